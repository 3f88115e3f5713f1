/// Cuts SQL into what matters to see where its statements end, by the rules of SQLite's own
/// tokenizer: words, quotes, comments, semicolons.
struct TokenReader {
  enum Token: Equatable {
    case semicolon
    case word
    case quoted
    /// From `--` to the end of the line, without it.
    case lineComment
    case blockComment
    case other
  }

  typealias Problem = TextCheck.Problem

  let text: UnsafeBufferPointer<UInt8>
  /// Where the next token, or the blanks before it, begin.
  private(set) var offset: Int

  init(_ text: UnsafeBufferPointer<UInt8>, from offset: Int) {
    self.text = text
    self.offset = offset
  }

  /// Moves to where the next token begins; false at the end.
  @inline(__always)
  mutating func skipBlanks() -> Bool {
    while offset < text.count, Self.isBlank(text[offset]) { offset += 1 }
    return offset < text.count
  }

  /// The next token and where it lies; nil at the end.
  @inline(__always)
  mutating func next() throws(Problem) -> (token: Token, range: Range<Int>)? {
    guard skipBlanks() else { return nil }
    let start = offset
    let token: Token
    (token, offset) = try read(text[start])
    return (token, start..<offset)
  }

  /// Moves behind the next semicolon: true; or to a comment or the end of the text before it.
  ///
  /// Only there can a statement end, and there is no need to look at what else it is made of.
  @inline(__always)
  mutating func skipToEnd() throws(Problem) -> Bool {
    while true {
      offset = text.firstIndex(from: offset) { index in
        let block = text.block(at: index)
        return block.contains(";") .| block.contains("'") .| block.contains("\"")
          .| block.contains("`") .| block.contains("[") .| block.contains("-")
          .| block.contains("/")
      }
      guard offset < text.count else { return false }
      switch text[offset] {
      case UInt8(ascii: ";"):
        offset += 1
        return true
      case UInt8(ascii: "-"), UInt8(ascii: "/"):
        if isComment(text[offset]) { return false }
        offset += 1
      case let quote: offset = try endOfQuoted(quote)
      }
    }
  }

  /// What begins with this byte, and where it ends.
  @inline(__always)
  private func read(_ byte: UInt8) throws(Problem) -> (Token, Int) {
    switch byte {
    case UInt8(ascii: ";"): return (.semicolon, offset + 1)
    case UInt8(ascii: "-") where isComment(byte):
      return (.lineComment, text.firstIndex(of: 0x0a, from: offset) ?? text.count)
    case UInt8(ascii: "/") where isComment(byte):
      return (.blockComment, try endOfComment())
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
      return (.quoted, try endOfQuoted(byte))
    case _ where Self.isName(byte):
      var end = offset + 1
      while end < text.count, Self.isName(text[end]) { end += 1 }
      return (.word, end)
    default: return (.other, offset + 1)
    }
  }

  private func isComment(_ byte: UInt8) -> Bool {
    let next = offset + 1 < text.count ? text[offset + 1] : 0
    return next == (byte == UInt8(ascii: "/") ? UInt8(ascii: "*") : UInt8(ascii: "-"))
  }

  /// Behind the closing quote; a doubled quote closes and opens again, which is all the same.
  @inline(__always)
  private func endOfQuoted(_ quote: UInt8) throws(Problem) -> Int {
    let last = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    guard let close = text.firstIndex(of: last, from: offset + 1) else {
      throw Problem(
        offset: offset,
        kind: quote == UInt8(ascii: "'") ? .unterminatedString : .unterminatedIdentifier)
    }
    return close + 1
  }

  private func endOfComment() throws(Problem) -> Int {
    var start = offset + 2
    while let star = text.firstIndex(of: UInt8(ascii: "*"), from: start) {
      if star + 1 < text.count, text[star + 1] == UInt8(ascii: "/") { return star + 2 }
      start = star + 1
    }
    throw Problem(offset: offset, kind: .unterminatedComment)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b
  }

  /// Letters, digits, `_`, `$`, and everything beyond ASCII.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
