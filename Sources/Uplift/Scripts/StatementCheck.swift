/// What a script's statements are, found before the first script runs: that the last one ends, that
/// they are SQL, and the directives above them.
///
/// SQLite takes an unterminated comment for a comment, and a script cut short inside a trigger
/// fails only when it is reached.
struct StatementCheck {
  typealias Problem = TextCheck.Problem

  private(set) var runsAlone = false
  private(set) var hasStatement = false
  /// True if there is a comment that is not a directive.
  private(set) var hasComment = false
  /// The comment that begins a section for going down; it is wrong if a statement follows.
  private var section: Problem?

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(Problem) {
    var reader = TokenReader(text, from: start)
    var end = StatementEnd()
    var statementStart = start
    var afterLatest = start
    while reader.skipBlanks() {
      if end.isBetween, end.begin(with: text[reader.offset]) {
        try beginStatement()
        statementStart = reader.offset
      } else if let (token, range) = try reader.next() {
        switch token {
        case .blockComment:
          hasComment = true
          continue
        case .lineComment:
          try readComment(text[range], at: range.lowerBound, isBetween: end.isBetween)
          continue
        case .other where end.isBetween && text[range.lowerBound] == UInt8(ascii: "."):
          let command = text[range.lowerBound...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
          throw Problem(
            offset: range.lowerBound,
            kind: .dotCommand(String(decoding: command, as: UTF8.self)))
        case .semicolon, .word, .quoted, .other: break
        }
        if end.isBetween, token != .semicolon {
          try beginStatement()
          statementStart = range.lowerBound
        }
        end.see(token, text[range])
      }
      if end.isIndifferent, try reader.skipToEnd() { end.seeSemicolon() }
      if end.isBetween {
        try Self.checkLength(afterLatest..<reader.offset)
        afterLatest = reader.offset
      }
    }
    if end.isInTrigger { throw Problem(offset: statementStart, kind: .unterminatedTrigger) }
    try Self.checkLength(afterLatest..<text.count)
  }

  private mutating func beginStatement() throws(Problem) {
    hasStatement = true
    if let section { throw section }
  }

  /// Checks the stretch that SQLite reads for one statement, with the comments before it.
  ///
  /// SQLite refuses one of more than 1,000,000,000 bytes itself. But it looks at its limit after
  /// each comment or string, whose bytes it counts in 31 bits: a larger one would overflow.
  private static func checkLength(_ range: Range<Int>) throws(Problem) {
    guard range.count > Int(Int32.max) else { return }
    throw Problem(offset: range.upperBound, kind: .statementTooLong)
  }

  private mutating func readComment(
    _ comment: UnsafeBufferPointer<UInt8>.SubSequence, at offset: Int, isBetween: Bool
  ) throws(Problem) {
    if let directive = Self.directive(in: comment) {
      try readDirective(directive, at: offset)
      return
    }
    hasComment = true
    guard let found = DownSection(comment), found.isFirst(inLineAt: offset, of: comment.base) else {
      return
    }
    let problem = Problem(offset: offset, kind: .downSection(found.words))
    // Within a statement, only a tool's own mark is one.
    if isBetween { section = section ?? problem } else if found.isNamed { throw problem }
  }

  /// What follows `uplift:` in a comment; nil for any other comment.
  private static func directive(in comment: UnsafeBufferPointer<UInt8>.SubSequence) -> Substring? {
    // Most comments are none, and cost one look at their first letter.
    guard let first = comment.dropFirst(2).first(where: { $0 != 0x20 && $0 != 0x09 }),
      first | 0x20 == UInt8(ascii: "u")
    else { return nil }
    let words = String(decoding: comment.dropFirst(2), as: UTF8.self)
      .split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
      .joined(separator: " ")
    guard words.lowercased().hasPrefix("uplift:") else { return nil }
    return words.dropFirst(7).drop { $0 == " " }
  }

  /// `-- uplift: no-transaction` at the top, `-- uplift: unfinished` anywhere; a directive nobody
  /// knows is an error, not a comment.
  private mutating func readDirective(_ directive: Substring, at offset: Int) throws(Problem) {
    switch directive {
    case "no-transaction":
      guard !hasStatement else { throw Problem(offset: offset, kind: .lateDirective) }
      runsAlone = true
    case "unfinished":
      throw Problem(offset: offset, kind: .unfinished)
    default:
      throw Problem(offset: offset, kind: .unknownDirective(String(directive)))
    }
  }
}
