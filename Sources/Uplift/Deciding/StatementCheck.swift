/// Where statements begin and whether the last one ends, by the rules of `sqlite3_complete`:
/// quotes, comments, and the semicolons inside a trigger.
///
/// SQLite takes an unterminated comment for a comment, and a script cut short inside a trigger
/// fails only when it is reached; here both are found before the first script runs.
struct StatementCheck {
  typealias Problem = TextCheck.Problem

  private(set) var hasStatement = false
  private(set) var runsAlone = false
  private var state = State.start
  private var statementStart = 0

  /// How much of `CREATE TRIGGER … ; END;` has been seen.
  private enum State { case start, normal, explain, create, trigger, semicolon, end }

  private enum Token { case semicolon, explain, create, temporary, trigger, end, other }

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(Problem) {
    var offset = start
    while offset < text.count {
      let byte = text[offset]
      switch byte {
      case UInt8(ascii: " "), 0x09...0x0d: offset += 1
      case UInt8(ascii: ";"):
        see(.semicolon, at: offset)
        offset += 1
      case UInt8(ascii: "-") where Self.byte(text, offset + 1) == UInt8(ascii: "-"):
        let end = Self.index(of: 0x0a, in: text, from: offset) ?? text.count
        try readDirective(text, offset..<end)
        offset = end
      case UInt8(ascii: "/") where Self.byte(text, offset + 1) == UInt8(ascii: "*"):
        offset = try Self.endOfComment(in: text, from: offset)
      case UInt8(ascii: "'"):
        see(.other, at: offset)
        offset = try Self.end(of: byte, in: text, from: offset, else: .unterminatedString)
      case UInt8(ascii: "\""), UInt8(ascii: "`"):
        see(.other, at: offset)
        offset = try Self.end(of: byte, in: text, from: offset, else: .unterminatedIdentifier)
      case UInt8(ascii: "["):
        see(.other, at: offset)
        let close = UInt8(ascii: "]")
        offset = try Self.end(of: close, in: text, from: offset, else: .unterminatedIdentifier)
      case UInt8(ascii: ".") where state == .start:
        throw Problem(offset: offset, kind: .dotCommand(Self.word(in: text, from: offset)))
      case _ where Self.isName(byte):
        var end = offset + 1
        while end < text.count, Self.isName(text[end]) { end += 1 }
        // Within an ordinary statement no word means anything here.
        if state != .normal { see(Self.token(text, offset..<end), at: offset) }
        offset = end
      default:
        see(.other, at: offset)
        offset += 1
      }
    }
    if state == .trigger || state == .semicolon {
      throw Problem(offset: statementStart, kind: .unterminatedTrigger)
    }
    guard hasStatement else { throw Problem(offset: start, kind: .noStatement) }
  }

  private mutating func see(_ token: Token, at offset: Int) {
    if state == .start, token != .semicolon {
      hasStatement = true
      statementStart = offset
    }
    state =
      switch (state, token) {
      case (.start, .semicolon), (.normal, .semicolon), (.explain, .semicolon),
        (.create, .semicolon), (.end, .semicolon):
        .start
      case (.start, .explain), (.explain, .other), (.explain, .explain): .explain
      case (.start, .create), (.explain, .create), (.create, .temporary): .create
      case (.create, .trigger): .trigger
      case (.trigger, .semicolon), (.semicolon, .semicolon): .semicolon
      case (.semicolon, .end): .end
      case (.trigger, _), (.semicolon, _), (.end, _): .trigger
      default: .normal
      }
  }

  /// `-- uplift: no-transaction` at the top; a directive nobody knows is an error, not a comment.
  private mutating func readDirective(
    _ text: UnsafeBufferPointer<UInt8>, _ comment: Range<Int>
  ) throws(Problem) {
    var offset = comment.lowerBound + 2
    while offset < comment.upperBound, text[offset] == UInt8(ascii: " ") { offset += 1 }
    guard text[offset..<comment.upperBound].starts(with: Array("uplift:".utf8)) else { return }
    let words = String(decoding: text[(offset + 7)..<comment.upperBound], as: UTF8.self)
    let directive = words.split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
      .joined(separator: " ")
    guard directive == "no-transaction" else {
      throw Problem(offset: comment.lowerBound, kind: .unknownDirective(directive))
    }
    guard !hasStatement else { throw Problem(offset: comment.lowerBound, kind: .lateDirective) }
    runsAlone = true
  }
}

extension StatementCheck {
  /// Where a statement's first word is, behind the blanks and comments before it.
  static func firstWord(in bytes: ScriptBytes, from start: Int) -> Int {
    let text = bytes.buffer
    var offset = start
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: " "), 0x09...0x0d, UInt8(ascii: ";"): offset += 1
      case UInt8(ascii: "-") where byte(text, offset + 1) == UInt8(ascii: "-"):
        offset = index(of: 0x0a, in: text, from: offset) ?? text.count
      case UInt8(ascii: "/") where byte(text, offset + 1) == UInt8(ascii: "*"):
        guard let end = try? endOfComment(in: text, from: offset) else { return start }
        offset = end
      default: return offset
      }
    }
    return start
  }

  private static func byte(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt8 {
    index < text.count ? text[index] : 0
  }

  private static func index(
    of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    var index = start
    while index < text.count {
      if text[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Behind the closing quote. A doubled quote closes and opens again, which is all the same.
  private static func end(
    of quote: UInt8, in text: UnsafeBufferPointer<UInt8>, from start: Int,
    else problem: UpgradeError.TextProblem
  ) throws(Problem) -> Int {
    guard let close = index(of: quote, in: text, from: start + 1) else {
      throw Problem(offset: start, kind: problem)
    }
    return close + 1
  }

  private static func endOfComment(
    in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) throws(Problem) -> Int {
    var offset = start + 2
    while let star = index(of: UInt8(ascii: "*"), in: text, from: offset) {
      if byte(text, star + 1) == UInt8(ascii: "/") { return star + 2 }
      offset = star + 1
    }
    throw Problem(offset: start, kind: .unterminatedComment)
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

  private static func token(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Token {
    guard (3...9).contains(range.count) else { return .other }
    switch String(decoding: text[range], as: UTF8.self).lowercased() {
    case "create": return .create
    case "trigger": return .trigger
    case "temp", "temporary": return .temporary
    case "end": return .end
    case "explain": return .explain
    default: return .other
    }
  }

  private static func word(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> String {
    String(decoding: text[start...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }, as: UTF8.self)
  }
}
