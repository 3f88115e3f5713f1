internal import UpliftSQLite

extension UpgradeError.Failure {
  /// One line that says what to do; for common mistakes it names the mistake.
  var remedy: String {
    switch reason {
    case .sqlite(let message) where message.name == "SQLITE_CORRUPT_VTAB":
      "rebuild a full-text index in a script before this one: INSERT INTO name(name) "
        + "VALUES('rebuild'), which changes no row; for an R-tree, restore a backup"
    case .sqlite(let message) where readsSeed && message.name == "SQLITE_CONSTRAINT_UNIQUE":
      "a user's row may have the same text as a row of the seed: the script must say which one stays; "
        + "see New content"
    case .sqlite(let message):
      hint(for: message.words) ?? "correct the script, then start again; nothing of it was kept"
    case .refused(let statement): statement.remedy
    case .transactionEnded:
      "correct the script: an error, a RAISE(ROLLBACK) or an OR ROLLBACK clause has undone it"
    case .uncommitted: "remove the BEGIN: each script runs in a transaction of its own"
    case .foreignKeys(let violations) where violations.rows.allSatisfy { $0.fault == .noTable }:
      "to rebuild a table, make the new one under another name, drop the old one, then rename the new "
        + "one; if the table is to go, delete or change the rows that refer to it first"
    case .foreignKeys where readsSeed:
      "keep the rows that users' rows refer to: AND NOT EXISTS (SELECT …) in the DELETE; see New "
        + "content"
    case .foreignKeys:
      "correct the rows in the script, and delete or change those that refer to removed rows: "
        + "foreign keys do not cascade while a script runs"
    case .thrown: "correct the step or the data, then start again; nothing of it was kept"
    case .call(let problem): problem.remedy
    }
  }

  /// What to do about `ADD COLUMN … NOT NULL` without a default.
  package static let remedyForNotNull =
    "give it a DEFAULT, or leave out NOT NULL; otherwise rebuild the table"

  /// How Uplift's own words begin, which replace SQLite's message if no temporary file can be made.
  package static let noTemporaryFile = "no temporary file can be made in"

  /// True if SQLite found no directory for temporary files, or one in which no file can be made.
  var lacksTemporaryDirectory: Bool {
    guard case .sqlite(let message) = reason else { return false }
    return message.name == "SQLITE_IOERR_GETTEMPPATH"
      || message.words.hasPrefix(Self.noTemporaryFile)
  }

  /// The remedy for a common mistake, which only SQLite's words show; nil if they show none.
  private func hint(for words: String) -> String? {
    if words.contains("within a transaction") || words.contains("inside a transaction") {
      return "put -- uplift: no-transaction at the top of a script that does only this"
    }
    if reached == .zero, words.hasSuffix(" already exists") {
      return
        "correct the script; or if the database has lost its version, uplift adopt finds it out"
    }
    if words.contains(": duplicate column name: ") {
      return "choose another name: the table has a column of that name"
    }
    if words.hasPrefix("Cannot add a NOT NULL column ") {
      return Self.remedyForNotNull
    }
    let isAltering = words.hasPrefix("error in table ") && words.contains(" after ")
    if isAltering || ["Cannot add a ", "cannot drop "].contains(where: words.hasPrefix) {
      return "rebuild the table: ALTER TABLE cannot do this"
    }
    if words.hasPrefix("no such column: "), excerpt?.text.contains("\"") == true {
      return "correct the name; text stands in single quotes, or allow double-quoted strings "
        + "(doubleQuotedStrings, --double-quoted-strings)"
    }
    // SQLite puts the index or table in front if it cannot read it: "error in index i: no such …".
    let own = ["no such function: ", "no such module: ", "no such collation sequence: "]
    if own.contains(where: { words.hasPrefix($0) || words.contains(": " + $0) }) {
      return "it is not part of SQLite \(Engine.version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    }
    if let broken = BrokenObject(words) { return broken.remedy }
    return nil
  }
}

/// An index, trigger or view that SQLite cannot read when a statement alters a table.
///
/// SQLite's words are `error in view v: no such column: a` if it could not read the view before the
/// statement, and `error in view v after rename: …` if the statement broke the view.
private struct BrokenObject {
  private let name: Substring
  private let isNew: Bool
  /// True if it uses a column that the statement drops.
  private let lacksColumn: Bool

  init?(_ words: String) {
    let start = "error in "
    guard words.hasPrefix(start), let end = words.firstRange(of: ": ") else { return nil }
    let what = words[..<end.lowerBound].dropFirst(start.count)
    let after = what.firstRange(of: " after ")
    name = what[..<(after?.lowerBound ?? what.endIndex)]
    isNew = after != nil
    lacksColumn = what.hasSuffix(" after drop column")
  }

  var remedy: String {
    if name.hasPrefix("table ") {
      return "rebuild \(name), which SQLite cannot read; if it has text in double quotes, allow "
        + "double-quoted strings (doubleQuotedStrings, --double-quoted-strings)"
    }
    if lacksColumn {
      return
        "drop \(name) before this statement, and create it anew without the column if you need it"
    }
    return isNew
      ? "drop \(name) before this statement, and create it anew after it"
      : "drop \(name) before this statement: SQLite cannot read it; "
        + "if it has text in double quotes, create it anew with single quotes"
  }
}
