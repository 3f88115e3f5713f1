internal import UpliftSQLite

/// Checks the statements of a script and reads its directives, before the first script runs.
///
/// SQLite would notice too late or not at all: it accepts a comment without an end, and runs the
/// statements before a trigger that is cut short.
struct StatementCheck {
  private typealias Text = UnsafeBufferPointer<UInt8>.SubSequence

  /// How a script runs that has a directive about it; none runs in two ways.
  enum Mode: String {
    case alone = "no-transaction"
    case readingSeed = "reads-seed"
    case repeating = "repeat"
  }

  private(set) var mode: Mode?
  /// The lowest version that a database may have, and the offset of its directive.
  private(set) var floor: (version: Version, offset: Int)?
  /// The offset of the directive about the mode.
  private(set) var modeOffset = 0
  /// The kinds of findings that the author has seen and means.
  private(set) var accepted: [String] = []
  private(set) var hasStatement = false
  /// True if there is a comment that is not a directive.
  private(set) var hasComment = false
  /// The comment that begins the part for going down; it is an error if a statement follows.
  private var downSection: TextProblem?

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(TextProblem) {
    var reader = TokenReader(text, from: start)
    var end = StatementEnd()
    var statementStart = start
    while let (token, range) = try reader.next() {
      switch token {
      case .blockComment:
        hasComment = true
        continue
      case .lineComment:
        try readComment(text[range], isBetween: end.isBetween)
        continue
      case .word, .quoted, .other:
        guard end.isBetween else { break }
        try beginStatement(text[range.lowerBound...])
        statementStart = range.lowerBound
      case .semicolon: break
      }
      end.advance(past: text[range])
      if end.endsAtSemicolon, try reader.skipToEnd() { end = StatementEnd() }
    }
    if end.isInTrigger {
      throw TextProblem(
        statementStart, "the trigger that begins here has no END",
        fix: "end it with END;, or look whether the file is cut short")
    }
  }

  private mutating func beginStatement(_ rest: Text) throws(TextProblem) {
    if rest.first == UInt8(ascii: ".") {
      let command = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
      let name = String(decoding: command, as: UTF8.self)
      throw TextProblem(
        rest.startIndex, "\(name.quoted) is a command of the sqlite3 shell, not SQL",
        fix: "write it in SQL")
    }
    hasStatement = true
    if let downSection { throw downSection }
  }

  private mutating func readComment(_ comment: Text, isBetween: Bool) throws(TextProblem) {
    if let directive = Self.directive(in: comment) {
      return try readDirective(directive, at: comment.startIndex)
    }
    hasComment = true
    guard let mark = Self.downMark(in: comment) else { return }
    let problem = TextProblem(
      comment.startIndex, "\(mark.quoted) begins statements that undo those above",
      fix: "Uplift only goes forward: remove everything from here on, or change the comment if it "
        + "has another meaning")
    guard isBetween else { throw problem }
    downSection = downSection ?? problem
  }

  /// The words after `uplift:` in a comment; nil for any other comment.
  private static func directive(in comment: Text) -> Substring? {
    let text = comment.dropFirst(2).drop(while: isBlank)
    // The first letter rules out most comments.
    guard let first = text.first, first | 0x20 == UInt8(ascii: "u") else { return nil }
    let words = Self.words(of: text)
    guard words.lowercased().hasPrefix("uplift") else { return nil }
    let rest = words.dropFirst(6).drop { $0 == " " }
    return rest.first == ":" ? rest.dropFirst().drop { $0 == " " } : nil
  }

  /// The comment, if it begins the second part of a file, which undoes the first part.
  ///
  /// goose, sql-migrate and dbmate write both parts in one file. Only blanks may precede the comment
  /// on its line.
  private static func downMark(in comment: Text) -> String? {
    // The first letter rules out most comments. A comment may be very long; a mark never is.
    let text = comment.drop { $0 == UInt8(ascii: "-") || isBlank($0) }
    guard let first = text.first, first == UInt8(ascii: "+") || first | 0x20 == UInt8(ascii: "m"),
      comment.count < 200
    else { return nil }
    let words = Self.words(of: text).lowercased().split(separator: " ")
    switch (words.first, words.dropFirst().first) {
    case ("+goose", "down"), ("+migrate", "down"): break
    // dbmate allows options after the mark.
    case ("migrate:down", let option) where option?.contains(":") ?? true: break
    default: return nil
    }
    let start = comment.startIndex
    let before = comment.base[..<start].last { !isBlank($0) }
    let isFirst = before == nil || before == 0x0a || before == 0xbf && start == 3
    return isFirst ? Self.words(of: comment) : nil
  }

  /// The words of a comment, with one space between them.
  private static func words(of comment: Text) -> String {
    String(decoding: comment, as: UTF8.self).split { " \t\r".contains($0) }.joined(separator: " ")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Reads a directive; an unknown one is an error and not a comment.
  private mutating func readDirective(_ directive: Substring, at offset: Int) throws(TextProblem) {
    let words = directive.split(separator: " ")
    let mode = words.count == 1 ? Mode(rawValue: String(directive)) : nil
    switch words.first ?? "" {
    case "accepts" where words.count > 1, "from" where words.count == 2, _ where mode != nil:
      guard !hasStatement else {
        throw TextProblem(
          offset, "a directive after the first statement", fix: "put it at the top of the script")
      }
      if words[0] == "from" {
        guard let version = Version(String(words[1])) else { break }
        return floor = (version, offset)
      }
      guard let mode else { return accepted += words.dropFirst().map(String.init) }
      if let other = self.mode, other != mode {
        throw TextProblem(
          offset, "the directives \(other.rawValue) and \(mode.rawValue) exclude each other",
          fix: "remove one of them, or make two scripts")
      }
      return (self.mode, modeOffset) = (mode, offset)
    case "unfinished" where words.count == 1:
      throw TextProblem(
        offset, "the script says that it is unfinished",
        fix: "write the script, and remove the line")
    default: break
    }
    throw TextProblem(
      offset, "no directive is called \(String(directive).quoted)",
      fix: "the directives are no-transaction, reads-seed, repeat, from VERSION, unfinished and "
        + "accepts KIND")
  }
}

/// Knows after each token whether a statement has ended, as `sqlite3_complete` does: at a semicolon
/// that is not inside a trigger.
struct StatementEnd {
  /// How much of `CREATE TRIGGER … ; END;` has been read.
  private enum State { case start, normal, explain, create, trigger, semicolon, end }

  private enum Word: String {
    case semicolon = ";"
    case explain, create, temp, temporary, trigger, end
    case other = ""
  }

  private var state = State.start

  /// True between statements.
  var isBetween: Bool { state == .start }
  /// True if the next semicolon ends the statement, whatever stands before it.
  var endsAtSemicolon: Bool { state == .normal }
  /// True inside a trigger whose `END` has not come.
  var isInTrigger: Bool { state == .trigger || state == .semicolon }

  /// Moves past a token that is not a comment.
  mutating func advance(past token: UnsafeBufferPointer<UInt8>.SubSequence) {
    state =
      switch (state, Self.word(token)) {
      case (.trigger, .semicolon), (.semicolon, .semicolon): .semicolon
      case (_, .semicolon): .start
      case (.start, .explain), (.explain, .other), (.explain, .explain): .explain
      case (.start, .create), (.explain, .create), (.create, .temp), (.create, .temporary): .create
      case (.create, .trigger): .trigger
      case (.semicolon, .end): .end
      case (.trigger, _), (.semicolon, _), (.end, _): .trigger
      default: .normal
      }
  }

  private static func word(_ token: UnsafeBufferPointer<UInt8>.SubSequence) -> Word {
    // The first byte and the length rule out most tokens.
    guard let first = token.first, token.count <= 9 else { return .other }
    switch first | 0x20 {
    case UInt8(ascii: ";"), UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "t"):
      return Word(rawValue: String(decoding: token, as: UTF8.self).lowercased()) ?? .other
    default: return .other
    }
  }
}

/// Checks that a `repeat` script changes rows, and nothing else.
enum RowsCheck {
  static func check(_ bytes: ScriptBytes) throws(TextProblem) {
    var offset = bytes.textStart
    while let start = bytes.statementStart(from: offset) {
      let statement = bytes.statement(from: start)
      guard
        ["INSERT", "UPDATE", "DELETE", "REPLACE", "SELECT", "WITH"].contains(statement.words.first)
      else {
        throw TextProblem(
          start, "a script that repeats holds INSERT, UPDATE, DELETE and SELECT only",
          fix: "move the statement into a script of its own, before or after this one")
      }
      offset = statement.end
    }
  }
}

/// Checks that a `no-transaction` script holds a few pragmas and `VACUUM`, and nothing else.
///
/// Such statements change no value that a column holds, so the script may run twice. SQLite prepares
/// each on an empty database in memory: on the live one, `page_size` would act at once.
enum AloneCheck {
  static func check(_ bytes: ScriptBytes) throws(TextProblem) {
    let connection = try emptyDatabase()
    connection.installGuard()
    let scriptGuard = connection.scriptGuard
    scriptGuard.begin(.alone)
    try bytes.withText { start throws(TextProblem) in
      var position = start + bytes.textStart
      while let offset = bytes.statementStart(from: position - start) {
        // The authorizer is not asked about `VACUUM`, nor about a `REINDEX` of an empty database.
        let words = bytes.statement(from: offset).words
        guard words.first == "PRAGMA" || words.first == "VACUUM" && !words.contains("INTO") else {
          throw TextProblem(offset, Refusal.notAlone.words, fix: Refusal.notAlone.remedy)
        }
        scriptGuard.beginStatement(at: offset)
        do throws(SQLiteError) {
          _ = try connection.prepareNext(at: &position)
        } catch {
          guard let refusal = scriptGuard.refusal else {
            throw notPrepared(error, error.offset.map { position - start + $0 } ?? offset)
          }
          throw TextProblem(offset, refusal.words, fix: refusal.remedy)
        }
      }
    }
  }

  private static func emptyDatabase() throws(TextProblem) -> Connection {
    do {
      let deadline = Deadline(patience: .zero, isCancelled: { false })
      return try Connection(path: ":memory:", access: .memory, deadline: deadline)
    } catch {
      throw notPrepared(error, 0)
    }
  }

  private static func notPrepared(_ error: SQLiteError, _ offset: Int) -> TextProblem {
    TextProblem(offset, error.message, fix: "correct the statement; nothing has run")
  }
}
