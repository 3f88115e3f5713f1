/// Splits SQL into tokens as SQLite does, and tells apart only those that show where a statement ends.
package struct TokenReader {
  package enum Token {
    case semicolon
    case word
    case quoted
    /// A comment from `--` to the end of the line, without the line feed.
    case lineComment
    case blockComment
    case other
  }

  private let text: UnsafeBufferPointer<UInt8>
  /// The offset after the latest token.
  private(set) var offset: Int

  package init(_ text: UnsafeBufferPointer<UInt8>, from offset: Int) {
    self.text = text
    self.offset = offset
  }

  /// The next token and its range; nil at the end of the text.
  @inline(__always)
  mutating func next() throws(TextProblem) -> (token: Token, range: Range<Int>)? {
    while offset < text.count, Self.isBlank(text[offset]) { offset += 1 }
    guard offset < text.count else { return nil }
    let start = offset
    let token: Token
    (token, offset) = try read(text[start])
    return (token, start..<offset)
  }

  /// As `next`, for a text that has been checked; nil also at a problem.
  package mutating func nextIfReadable() -> (token: Token, range: Range<Int>)? {
    do {
      return try next()
    } catch {
      return nil
    }
  }

  /// Moves past the next semicolon, where a statement ends outside a trigger; if a comment or the end
  /// of the text comes first, it stops there and returns false.
  @inline(__always)
  mutating func skipToEnd() throws(TextProblem) -> Bool {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: ";"):
        offset += 1
        return true
      case UInt8(ascii: "-"), UInt8(ascii: "/"):
        if isComment(text[offset]) { return false }
        offset += 1
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        offset = try endOfQuoted(text[offset])
      default: offset += 1
      }
    }
    return false
  }

  /// The token that begins with this byte, and the offset of its end.
  @inline(__always)
  private func read(_ byte: UInt8) throws(TextProblem) -> (Token, Int) {
    switch byte {
    case UInt8(ascii: ";"): return (.semicolon, offset + 1)
    case UInt8(ascii: "-") where isComment(byte): return (.lineComment, first(0x0a, from: offset))
    case UInt8(ascii: "/") where isComment(byte): return (.blockComment, try endOfComment())
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

  /// The offset after the closing quote; a doubled quote counts as an end and a new start.
  @inline(__always)
  private func endOfQuoted(_ quote: UInt8) throws(TextProblem) -> Int {
    let last = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    let close = first(last, from: offset + 1)
    guard close < text.count else {
      let what = quote == UInt8(ascii: "'") ? "string" : "quoted name"
      throw TextProblem(
        offset, "the \(what) that begins here has no end",
        fix: "close the quote, or look whether the file is cut short")
    }
    return close + 1
  }

  private func endOfComment() throws(TextProblem) -> Int {
    var star = first(UInt8(ascii: "*"), from: offset + 2)
    while star + 1 < text.count {
      if text[star + 1] == UInt8(ascii: "/") { return star + 2 }
      star = first(UInt8(ascii: "*"), from: star + 1)
    }
    throw TextProblem(
      offset, "the comment that begins here has no end",
      fix: "end it with */, or look whether the file is cut short")
  }

  /// The offset of the first byte of this value, or the end of the text.
  @inline(__always)
  private func first(_ byte: UInt8, from start: Int) -> Int {
    var index = start
    while index < text.count, text[index] != byte { index += 1 }
    return index
  }

  /// True for a blank between tokens; SQLite does not take a vertical tab for one.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b
  }

  /// True for letters, digits, `_`, `$`, and every byte beyond ASCII.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
