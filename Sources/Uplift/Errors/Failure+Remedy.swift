extension UpgradeError.Failure {
  /// One line that says what to do; for the mistakes that people make, the mistake.
  var remedy: String {
    switch reason {
    case .sqlite(_, _, let words): hint(for: words) ?? general
    case .refused(let statement): statement.remedy
    case .transactionEnded:
      "correct the script: an error or OR ROLLBACK or RAISE(ROLLBACK) undid it"
    case .uncommitted where ranAlone: "commit what it begins"
    case .uncommitted: "remove the BEGIN: each script runs in a transaction of its own"
    case .foreignKeys: "correct the rows in the script, or the references"
    case .thrown: "the step gave up; nothing of it was kept"
    case .call(let problem): problem.remedy
    }
  }

  /// True if SQLite found no directory to put temporary files in.
  var lacksTemporaryDirectory: Bool {
    if case .sqlite(_, "SQLITE_IOERR_GETTEMPPATH", _) = reason { true } else { false }
  }

  private var general: String {
    ranAlone
      ? "correct the script, then start again; what it did before is kept, and it runs from its start"
      : "correct the script, then start again; nothing of it was kept"
  }

  /// SQLite's words are the only sign of these.
  private func hint(for words: String) -> String? {
    if words.contains("within a transaction") || words.contains("inside a transaction") {
      return "put -- uplift: no-transaction at the top of a script that does only this"
    }
    if words.hasPrefix("Cannot add a ") || words.hasPrefix("cannot drop ") {
      return "rebuild the table: ALTER TABLE cannot do this"
    }
    if let name = Self.rest(of: words, behind: "no such column: ") {
      if !text.contains(name.prefix { $0 != " " }.filter { $0 != "\"" }) {
        return "look for text in double quotes in triggers and views, "
          + "or set the option doubleQuotedStrings"
      }
      // Later versions of SQLite put the quotes into their words, and a question behind.
      guard name.hasPrefix("\"") || text.contains("\"\(name)\"") else { return nil }
      return "write text in single quotes, or set the option doubleQuotedStrings"
    }
    let own = ["no such function: ", "no such module: ", "no such collation sequence: "]
    if own.contains(where: words.hasPrefix) {
      return "use what SQLite itself has: scripts run without the program's own additions"
    }
    return nil
  }

  private static func rest(of words: String, behind start: String) -> Substring? {
    words.hasPrefix(start) ? words.dropFirst(start.count) : nil
  }
}

extension UpgradeError.Refused {
  fileprivate var remedy: String {
    switch self {
    case .transaction: "remove it: each script runs in a transaction of its own"
    case .savepoint: "remove it: a script is committed whole or not at all"
    case .attach, .detach, .vacuumInto: "a script works on its own database only"
    case .pragma("user_version"): "remove it: the script's number is its version"
    case .pragma("application_id"): "set it in the seed"
    case .pragma("writable_schema"):
      "create virtual tables with CREATE VIRTUAL TABLE, not with the INSERT that .dump writes"
    case .pragma: "remove it"
    case .pragmaInTransaction:
      "put -- uplift: no-transaction at the top of a script that does only this"
    }
  }
}
