extension UpgradeError.Failure {
  /// One line that says what to do; for the mistakes that people make, the mistake.
  var remedy: String {
    switch reason {
    case .sqlite(_, _, let words): Self.remedy(for: words)
    case .refused(let statement): statement.remedy
    case .transactionEnded:
      "correct the script: an error or OR ROLLBACK or RAISE(ROLLBACK) undid it"
    case .uncommitted: "remove the BEGIN: each script runs in a transaction of its own"
    case .foreignKeys: "correct the rows in the script, or the references"
    }
  }

  /// SQLite's words are the only sign of these.
  private static func remedy(for words: String) -> String {
    if words.contains("within a transaction") || words.contains("inside a transaction") {
      return "put -- uplift: no-transaction at the top of a script that does only this"
    }
    if words.hasPrefix("no such column: ") {
      return "write text in single quotes; double quotes are for names"
    }
    if words.hasPrefix("no such function: ") || words.hasPrefix("no such module: ")
      || words.hasPrefix("no such collation sequence: ")
    {
      return "use what SQLite itself has: scripts run without the program's own additions"
    }
    return "correct the script, then start again; nothing of it was kept"
  }
}

extension UpgradeError.Refused {
  fileprivate var remedy: String {
    switch self {
    case .transaction: "remove it: each script runs in a transaction of its own"
    case .savepoint: "remove it: a script is committed whole or not at all"
    case .workAfterCommit: "put it before the COMMIT, or in a script of its own"
    case .attach, .detach, .vacuumInto: "a script works on its own database only"
    case .pragma("user_version"): "remove it: the script's number is its version"
    case .pragma("application_id"): "set it in the seed"
    case .pragma: "remove it"
    case .pragmaInTransaction:
      "put -- uplift: no-transaction at the top of a script that does only this"
    }
  }
}
