import Uplift

extension UpgradeErrorTests {
  /// A script failed.
  static let failures: [Row] = [
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "near \"x\": syntax error"),
      "2.sql:3:4: near \"x\": syntax error (SQLITE_ERROR, 1); the database is at 1",
      "correct the script, then start again; nothing of it was kept"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "cannot VACUUM from within a transaction"),
      "2.sql:3:4: cannot VACUUM from within a transaction (SQLITE_ERROR, 1); the database is at 1",
      "put -- uplift: no-transaction at the top of a script that does only this"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: #"no such column: "x""#),
      #"2.sql:3:4: no such column: "x" (SQLITE_ERROR, 1); the database is at 1"#,
      "write text in single quotes, or set the option doubleQuotedStrings"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such function: slug"),
      "2.sql:3:4: no such function: slug (SQLITE_ERROR, 1); the database is at 1",
      "use what SQLite itself has: scripts run without the program's own additions"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such module: vector"),
      "2.sql:3:4: no such module: vector (SQLITE_ERROR, 1); the database is at 1",
      "use what SQLite itself has: scripts run without the program's own additions"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such collation sequence: icu"),
      "2.sql:3:4: no such collation sequence: icu (SQLITE_ERROR, 1); the database is at 1",
      "use what SQLite itself has: scripts run without the program's own additions"
    ),
    Row(
      .refused(.transaction("COMMIT")),
      "2.sql:3:4: COMMIT is not for scripts; the database is at 1",
      "remove it: each script runs in a transaction of its own"
    ),
    Row(
      .refused(.savepoint),
      "2.sql:3:4: SAVEPOINT, RELEASE and ROLLBACK TO are not for scripts; the database is at 1",
      "remove it: a script is committed whole or not at all"
    ),
    Row(
      .refused(.attach),
      "2.sql:3:4: ATTACH is not for scripts; the database is at 1",
      "a script works on its own database only"
    ),
    Row(
      .refused(.detach),
      "2.sql:3:4: DETACH is not for scripts; the database is at 1",
      "a script works on its own database only"
    ),
    Row(
      .refused(.vacuumInto),
      "2.sql:3:4: VACUUM INTO is not for scripts; the database is at 1",
      "a script works on its own database only"
    ),
    Row(
      .refused(.pragma("user_version")),
      "2.sql:3:4: PRAGMA user_version is not for scripts; the database is at 1",
      "remove it: the script's number is its version"
    ),
    Row(
      .refused(.pragma("application_id")),
      "2.sql:3:4: PRAGMA application_id is not for scripts; the database is at 1",
      "set it in the seed"
    ),
    Row(
      .refused(.pragma("writable_schema")),
      "2.sql:3:4: PRAGMA writable_schema is not for scripts; the database is at 1",
      "create virtual tables with CREATE VIRTUAL TABLE, not with the INSERT that .dump writes"
    ),
    Row(
      .refused(.pragmaInTransaction("journal_mode")),
      "2.sql:3:4: PRAGMA journal_mode does nothing inside a transaction; the database is at 1",
      "put -- uplift: no-transaction at the top of a script that does only this"
    ),
    Row(
      .transactionEnded(words: nil),
      "2.sql:3:4: the statement ended the transaction; the database is at 1",
      "correct the script: an error or OR ROLLBACK or RAISE(ROLLBACK) undid it"
    ),
    Row(
      .transactionEnded(words: "UNIQUE constraint failed: t.a"),
      "2.sql:3:4: the transaction was rolled back: UNIQUE constraint failed: t.a; the database is at 1",
      "correct the script: an error or OR ROLLBACK or RAISE(ROLLBACK) undid it"
    ),
    Row(
      .uncommitted,
      "2.sql:3:4: the script begins a transaction and does not commit it; the database is at 1",
      "remove the BEGIN: each script runs in a transaction of its own"
    ),
    Row(
      .foreignKeys(violations: [one], count: 1),
      "2.sql:3:4: 1 new foreign-key violation: row 7 of \"pet\" refers to no row of \"owner\""
        + "; the database is at 1",
      "correct the rows in the script, or the references"
    ),
    Row(
      .foreignKeys(violations: [one, none], count: 12),
      "2.sql:3:4: 12 new foreign-key violations: row 7 of \"pet\" refers to no row of \"owner\", "
        + "\"pet\" refers to \"owner\", …; the database is at 1",
      "correct the rows in the script, or the references"
    ),
  ]

  private static let one = UpgradeError.Violation(table: "pet", row: 7, parent: "owner")
  private static let none = UpgradeError.Violation(table: "pet", row: nil, parent: "owner")
}
