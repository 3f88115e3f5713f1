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

  /// The next token and where it lies; nil at the end.
  mutating func next() throws(Problem) -> (token: Token, range: Range<Int>)? {
    while offset < text.count, Self.isBlank(text[offset]) { offset += 1 }
    guard offset < text.count else { return nil }
    let start = offset
    let token: Token
    (token, offset) = try read(text[start])
    return (token, start..<offset)
  }

  /// Moves to the next byte with which a quote, a comment or a semicolon can begin.
  mutating func skipPlain() {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: ";"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"),
        UInt8(ascii: "["), UInt8(ascii: "-"), UInt8(ascii: "/"):
        return
      default: offset += 1
      }
    }
  }

  /// What begins with this byte, and where it ends.
  private func read(_ byte: UInt8) throws(Problem) -> (Token, Int) {
    switch byte {
    case UInt8(ascii: ";"): return (.semicolon, offset + 1)
    case UInt8(ascii: "-") where self[1] == UInt8(ascii: "-"):
      return (.lineComment, index(of: 0x0a, from: offset) ?? text.count)
    case UInt8(ascii: "/") where self[1] == UInt8(ascii: "*"):
      return (.blockComment, try endOfComment())
    case UInt8(ascii: "'"):
      return (.quoted, try end(of: byte, else: .unterminatedString))
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return (.quoted, try end(of: byte, else: .unterminatedIdentifier))
    case UInt8(ascii: "["):
      return (.quoted, try end(of: UInt8(ascii: "]"), else: .unterminatedIdentifier))
    case _ where Self.isName(byte):
      var end = offset + 1
      while end < text.count, Self.isName(text[end]) { end += 1 }
      return (.word, end)
    default: return (.other, offset + 1)
    }
  }

  private subscript(distance: Int) -> UInt8 {
    offset + distance < text.count ? text[offset + distance] : 0
  }

  private func index(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    while index < text.count {
      if text[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Behind the closing quote; a doubled quote closes and opens again, which is all the same.
  private func end(
    of quote: UInt8, else problem: UpgradeError.TextProblem
  ) throws(Problem) -> Int {
    guard let close = index(of: quote, from: offset + 1) else {
      throw Problem(offset: offset, kind: problem)
    }
    return close + 1
  }

  private func endOfComment() throws(Problem) -> Int {
    var start = offset + 2
    while let star = index(of: UInt8(ascii: "*"), from: start) {
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
