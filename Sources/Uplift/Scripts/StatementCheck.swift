/// Checks the statements of a script and reads its directives, before the first script runs.
///
/// No comment, string, quoted name or trigger may lack its end, and no statement may be a command
/// of the sqlite3 shell. SQLite itself notices too late or not
/// at all: it accepts a comment without an end, and a script that was cut short inside a trigger
/// fails only after the statements before the trigger have run.
struct StatementCheck {
  typealias Problem = TextCheck.Problem

  private(set) var runsAlone = false
  /// The offset of the `reads-seed` directive; nil if there is none.
  private(set) var seedDirective: Int?
  private(set) var hasStatement = false
  /// True if there is a comment that is not a directive.
  private(set) var hasComment = false
  /// The comment that begins a ``DownSection``; it is an error if a statement follows.
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
        end.advance(past: token, text[range])
      }
      if end.endsAtSemicolon, try reader.skipToEnd() { end.advancePastSemicolon() }
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

  /// Checks the length of a statement together with the comments before it.
  ///
  /// SQLite itself refuses more than 1,000,000,000 bytes. But it checks this limit only after a
  /// comment or string ends. A comment or string of more than 2 GiB would overflow SQLite's
  /// counter.
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
    guard isBetween else { throw problem }
    section = section ?? problem
  }

  /// The words after `uplift:` in a comment; nil for any other comment.
  private static func directive(in comment: UnsafeBufferPointer<UInt8>.SubSequence) -> Substring? {
    // The first letter rules out most comments.
    guard let first = comment.dropFirst(2).first(where: { $0 != 0x20 && $0 != 0x09 }),
      first | 0x20 == UInt8(ascii: "u")
    else { return nil }
    let words = String(decoding: comment.dropFirst(2), as: UTF8.self)
      .split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
      .joined(separator: " ")
    guard words.lowercased().hasPrefix("uplift") else { return nil }
    let rest = words.dropFirst(6).drop { $0 == " " }
    return rest.first == ":" ? rest.dropFirst().drop { $0 == " " } : nil
  }

  /// Reads `-- uplift: no-transaction` or `-- uplift: reads-seed`, which must precede all
  /// statements, or `-- uplift: unfinished`, which may stand anywhere.
  ///
  /// An unknown directive is an error and not a comment.
  private mutating func readDirective(_ directive: Substring, at offset: Int) throws(Problem) {
    switch directive {
    case "no-transaction", "reads-seed":
      guard !hasStatement else { throw Problem(offset: offset, kind: .lateDirective) }
      if directive == "reads-seed" { seedDirective = offset } else { runsAlone = true }
      if runsAlone, seedDirective != nil {
        throw Problem(offset: offset, kind: .conflictingDirectives)
      }
    case "unfinished":
      throw Problem(offset: offset, kind: .unfinished)
    default:
      throw Problem(offset: offset, kind: .unknownDirective(String(directive)))
    }
  }

  /// True if the rest of a checked text has only blanks, comments and semicolons.
  static func isBlank(_ text: ScriptBytes, from start: Int) -> Bool {
    let rest = UnsafeBufferPointer(rebasing: text.buffer[start...])
    do {
      return try !StatementCheck(rest, from: 0).hasStatement
    } catch {
      return false
    }
  }
}
