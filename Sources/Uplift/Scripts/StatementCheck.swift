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

/// Follows a script token by token and knows where its statements end.
///
/// A statement ends at a semicolon, except at one inside a trigger. These are the rules of
/// `sqlite3_complete`.
struct StatementEnd {
  /// How much of `CREATE TRIGGER … ; END;` has been read.
  private enum State { case start, normal, explain, create, trigger, semicolon, end }

  private enum Word { case semicolon, explain, create, temporary, trigger, end, other }

  private var state = State.start

  /// True between statements.
  var isBetween: Bool { state == .start }
  /// True if the next semicolon ends the statement, whatever stands before it.
  var endsAtSemicolon: Bool { state == .normal }
  /// True inside a trigger whose `END` has not come.
  var isInTrigger: Bool { state == .trigger || state == .semicolon }

  /// Moves past a token; `text` is its text.
  mutating func advance(
    past token: TokenReader.Token, _ text: UnsafeBufferPointer<UInt8>.SubSequence
  ) {
    switch token {
    case .lineComment, .blockComment: return
    case .semicolon: advance(past: .semicolon)
    case .word where !endsAtSemicolon: advance(past: Self.word(text))
    case .word, .quoted, .other: advance(past: .other)
    }
  }

  mutating func advancePastSemicolon() { advance(past: .semicolon) }

  /// Begins a statement if its first letter shows that it is not a trigger; if not, returns false.
  ///
  /// A trigger begins with `CREATE` or `EXPLAIN`, and most statements do not.
  mutating func begin(with letter: UInt8) -> Bool {
    let lowerCase = letter | 0x20
    guard lowerCase >= UInt8(ascii: "a"), lowerCase <= UInt8(ascii: "z"),
      lowerCase != UInt8(ascii: "c"), lowerCase != UInt8(ascii: "e")
    else { return false }
    state = .normal
    return true
  }

  private mutating func advance(past word: Word) {
    state =
      switch (state, word) {
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

  private static let words: [(letters: [UInt8], word: Word)] = [
    (Array("create".utf8), .create), (Array("trigger".utf8), .trigger),
    (Array("temp".utf8), .temporary), (Array("temporary".utf8), .temporary),
    (Array("end".utf8), .end), (Array("explain".utf8), .explain),
  ]

  private static func isSame(_ lowerCase: UInt8, _ byte: UInt8) -> Bool {
    lowerCase == byte | 0x20
  }

  private static func word(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Word {
    words.first { $0.letters.count == text.count && $0.letters.elementsEqual(text, by: isSame) }?
      .word ?? .other
  }
}

/// A comment that begins the second part of a file, which undoes the first part.
///
/// goose, sql-migrate and dbmate write both parts in one file, and this comment divides them. If the
/// whole file ran as one script, its second part would undo the first at once.
package struct DownSection {
  /// The comment, with one space between its words.
  let words: String

  /// Nil for any other comment.
  package init?(_ comment: UnsafeBufferPointer<UInt8>.SubSequence) {
    // The first letter rules out most comments. A comment may be very long; a mark never is.
    let text = comment.drop { $0 == UInt8(ascii: "-") || $0 == 0x20 || $0 == 0x09 }
    guard let first = text.first, Self.initials.contains(first | 0x20), comment.count < 200 else {
      return nil
    }
    let words = Self.words(of: text).map { $0.lowercased() }
    switch (words.first, words.dropFirst().first) {
    case ("+goose", "down"), ("+migrate", "down"): break
    // dbmate allows options after the mark.
    case ("migrate:down", let option) where option?.contains(":") ?? true: break
    default: return nil
    }
    self.words = Self.words(of: comment).joined(separator: " ")
  }

  /// True if only blanks precede the comment on its line.
  ///
  /// The tools demand that.
  func isFirst(inLineAt offset: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    let before = text[..<offset].last { $0 != 0x20 && $0 != 0x09 }
    return before == nil || before == 0x0a || before == 0xbf && offset == 3
  }

  private static func words(of text: UnsafeBufferPointer<UInt8>.SubSequence) -> [String] {
    String(decoding: text, as: UTF8.self).split { " \t\r".contains($0) }.map(String.init)
  }

  /// The first characters of the marks, in lower case or with the same bit (0x20) set.
  private static let initials = Set("+m".utf8.map { $0 | 0x20 })
}
