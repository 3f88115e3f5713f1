/// Splits SQL into tokens, by the rules of SQLite's own tokenizer.
///
/// It tells apart only the tokens that are needed to see where a statement ends.
package struct TokenReader {
  package enum Token: Equatable {
    case semicolon
    case word
    case quoted
    /// A comment from `--` to the end of the line, without the line feed.
    case lineComment
    case blockComment
    case other
  }

  typealias Problem = TextCheck.Problem

  let text: UnsafeBufferPointer<UInt8>
  /// The offset after the latest token.
  private(set) var offset: Int

  package init(_ text: UnsafeBufferPointer<UInt8>, from offset: Int) {
    self.text = text
    self.offset = offset
  }

  /// Moves to the start of the next token; false at the end of the text.
  @inline(__always)
  mutating func skipBlanks() -> Bool {
    while offset < text.count, Self.isBlank(text[offset]) { offset += 1 }
    return offset < text.count
  }

  /// The next token and its range; nil at the end of the text.
  @inline(__always)
  mutating func next() throws(Problem) -> (token: Token, range: Range<Int>)? {
    guard skipBlanks() else { return nil }
    let start = offset
    let token: Token
    (token, offset) = try read(text[start])
    return (token, start..<offset)
  }

  /// The next token and its range; nil at the end of the text or at a problem.
  ///
  /// A text that has been checked has no problem.
  package mutating func nextIfReadable() -> (token: Token, range: Range<Int>)? {
    do {
      return try next()
    } catch {
      return nil
    }
  }

  /// Moves past the next semicolon, and returns true.
  ///
  /// If a comment or the end of the text comes first, it stops there and returns false. Outside a
  /// trigger, a statement ends at its first semicolon, so its other tokens are skipped unread.
  @inline(__always)
  mutating func skipToEnd() throws(Problem) -> Bool {
    while true {
      guard offset < text.count else { return false }
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
  }

  /// The token that begins with this byte, and the offset of its end.
  @inline(__always)
  private func read(_ byte: UInt8) throws(Problem) -> (Token, Int) {
    switch byte {
    case UInt8(ascii: ";"): return (.semicolon, offset + 1)
    case UInt8(ascii: "-") where isComment(byte):
      return (.lineComment, first(0x0a, from: offset))
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

  /// The offset after the closing quote.
  ///
  /// A doubled quote is read as an end and a new start. The last quote is the same either way.
  @inline(__always)
  private func endOfQuoted(_ quote: UInt8) throws(Problem) -> Int {
    let last = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    let close = first(last, from: offset + 1)
    guard close < text.count else {
      throw Problem(
        offset: offset,
        kind: quote == UInt8(ascii: "'") ? .unterminatedString : .unterminatedIdentifier)
    }
    return close + 1
  }

  private func endOfComment() throws(Problem) -> Int {
    var star = offset + 1
    repeat {
      star = first(UInt8(ascii: "*"), from: star + 1)
      guard star + 1 < text.count else {
        throw Problem(offset: offset, kind: .unterminatedComment)
      }
    } while text[star + 1] != UInt8(ascii: "/")
    return star + 2
  }

  /// The offset of the first byte of this value, or the end of the text.
  @inline(__always)
  private func first(_ byte: UInt8, from start: Int) -> Int {
    var index = start
    while index < text.count, text[index] != byte { index += 1 }
    return min(index, text.count)
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
