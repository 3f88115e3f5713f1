import CUpliftSQLite
import Uplift
import UpliftSQLite

extension UpgradeErrorTests {
  /// Scripts that failed at a statement.
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
      .sqlite(
        code: 1, name: "SQLITE_ERROR", words: "error in view v after rename: no such column: a"),
      "2.sql:3:4: error in view v after rename: no such column: a (SQLITE_ERROR, 1)"
        + "; the database is at 1",
      "drop view v before this statement, and create it anew after it"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "error in index i: no such column: a"),
      "2.sql:3:4: error in index i: no such column: a (SQLITE_ERROR, 1); the database is at 1",
      "drop index i before this statement: SQLite cannot read it; "
        + "if it has text in double quotes, create it anew with single quotes"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such function: slug"),
      "2.sql:3:4: no such function: slug (SQLITE_ERROR, 1); the database is at 1",
      "it is not part of SQLite \(version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such module: vector"),
      "2.sql:3:4: no such module: vector (SQLITE_ERROR, 1); the database is at 1",
      "it is not part of SQLite \(version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    ),
    Row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such collation sequence: icu"),
      "2.sql:3:4: no such collation sequence: icu (SQLITE_ERROR, 1); the database is at 1",
      "it is not part of SQLite \(version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    ),
    Row(
      .sqlite(
        code: 1, name: "SQLITE_ERROR", words: "error in index i: no such collation sequence: icu"),
      "2.sql:3:4: error in index i: no such collation sequence: icu (SQLITE_ERROR, 1); "
        + "the database is at 1",
      "it is not part of SQLite \(version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    ),
    Row(
      .refused(.transaction("COMMIT")),
      "2.sql:3:4: COMMIT is not allowed in a script; the database is at 1",
      "remove it: each script runs in a transaction of its own"
    ),
    Row(
      .refused(.savepoint),
      "2.sql:3:4: SAVEPOINT, RELEASE and ROLLBACK TO are not allowed in a script; the database is at 1",
      "remove it: a script is committed whole or not at all"
    ),
    Row(
      .refused(.seedChange(table: "word")),
      "2.sql:3:4: the script changes \"word\" of the seed, which can only be read; the database is at 1",
      "change main.word; if the database has no such table, make it in a script before this one"
    ),
    Row(
      .refused(.seedChange(table: "")),
      "2.sql:3:4: the script changes the seed, which can only be read; the database is at 1",
      "remove it, or name the database itself: main.NAME, ANALYZE main"
    ),
    Row(
      .refused(.schemaChange("CREATE TABLE word")),
      "2.sql:3:4: CREATE TABLE word is not allowed in a script that reads the seed; "
        + "the database is at 1",
      "put it into a script before this one, and make the seed anew, so that it has the change"
    ),
    Row(
      .refused(.attach),
      "2.sql:3:4: ATTACH is not allowed in a script; the database is at 1",
      "remove it: only the database itself can be committed together with its version"
    ),
    Row(
      .refused(.detach),
      "2.sql:3:4: DETACH is not allowed in a script; the database is at 1",
      "remove it: only the database itself can be committed together with its version"
    ),
    Row(
      .refused(.parameter("?1")),
      "2.sql:3:4: the parameter ?1 has no value in a script; the database is at 1",
      "write the value into the script: SQLite would take NULL"
    ),
    Row(
      .refused(.vacuumInto),
      "2.sql:3:4: VACUUM INTO is not allowed in a script; the database is at 1",
      "remove it: only the database itself can be committed together with its version"
    ),
    Row(
      .refused(.pragmaInTransaction("journal_mode")),
      "2.sql:3:4: PRAGMA journal_mode does nothing inside a transaction; the database is at 1",
      "put -- uplift: no-transaction at the top of a script that does only this"
    ),
    Row(
      .transactionEnded(words: nil),
      "2.sql:3:4: the statement ended the transaction; the database is at 1",
      "correct the script: an error, a RAISE(ROLLBACK) or an OR ROLLBACK clause has undone it"
    ),
    Row(
      .transactionEnded(words: "UNIQUE constraint failed: t.a"),
      "2.sql:3:4: the transaction was rolled back: UNIQUE constraint failed: t.a; the database is at 1",
      "correct the script: an error, a RAISE(ROLLBACK) or an OR ROLLBACK clause has undone it"
    ),
    Row(
      .uncommitted,
      "2.sql:3:4: the script begins a transaction and does not commit it; the database is at 1",
      "remove the BEGIN: each script runs in a transaction of its own"
    ),
    Row(
      .foreignKeys(.init(rows: [one], count: 1)),
      "2.sql:3:4: 1 new foreign-key violation: row 7 of \"pet\" (\"of\") refers to no row of "
        + "\"owner\"; the database is at 1",
      "correct the rows in the script, and delete or change those that refer to removed rows: "
        + "foreign keys do not cascade while a script runs"
    ),
    Row(
      .foreignKeys(.init(rows: [one, none], count: 12)),
      "2.sql:3:4: 12 new foreign-key violations: row 7 of \"pet\" (\"of\") refers to no row of "
        + "\"owner\", a row of \"pet\" (\"x\", \"y\") refers to no row of \"owner\", …; "
        + "the database is at 1",
      "correct the rows in the script, and delete or change those that refer to removed rows: "
        + "foreign keys do not cascade while a script runs"
    ),
    Row(
      .foreignKeys(.init(rows: faulty, count: 3)),
      "2.sql:3:4: 3 new foreign-key violations: row 1 of \"pet\" (\"of\") refers to no row of "
        + "\"owner\", which is not there, row 2 of \"pet\" (\"of\") refers to no row of \"owner\", "
        + "which does not have the columns, row 3 of \"pet\" (\"of\") refers to no row of \"owner\", "
        + "whose columns are not a key; the database is at 1",
      "correct the rows in the script, and delete or change those that refer to removed rows: "
        + "foreign keys do not cascade while a script runs"
    ),
  ]

  /// Scripts that failed as a whole, at no statement.
  static let wholeScripts: [Row] = [
    Row(
      .failed(
        UpgradeError.Failure(
          script: "m/2.sql", reason: .foreignKeys(.init(rows: [one], count: 1)), reached: "1.2")),
      "m/2.sql: 1 new foreign-key violation: row 7 of \"pet\" (\"of\") refers to no row of "
        + "\"owner\"; the database is at 1.2 (1020000)",
      "correct the rows in the script, and delete or change those that refer to removed rows: "
        + "foreign keys do not cascade while a script runs"
    )
  ]

  /// A script that reads the seed.
  static let unique: [Row] = [false, true].map { readsSeed in
    Row(
      .failed(
        UpgradeError.Failure(
          script: "2.sql", line: 3, column: 4, excerpt: UpgradeError.Excerpt(text: "x", caret: 1),
          reason: .sqlite(
            code: 2067, name: "SQLITE_CONSTRAINT_UNIQUE",
            words: "UNIQUE constraint failed: word.text"),
          reached: 1, readsSeed: readsSeed)),
      "2.sql:3:4: UNIQUE constraint failed: word.text (SQLITE_CONSTRAINT_UNIQUE, 2067); "
        + "the database is at 1",
      readsSeed
        ? "a user's row may have the same text as a row of the seed: the script must say which one "
          + "stays; see New content"
        : "correct the script, then start again; nothing of it was kept"
    )
  }

  static let keptWords = Row(
    .failed(
      UpgradeError.Failure(
        script: "2.sql", line: 3, column: 4, excerpt: UpgradeError.Excerpt(text: "x", caret: 1),
        reason: .foreignKeys(.init(rows: [one], count: 1)), reached: 1,
        readsSeed: true)),
    "2.sql:3:4: 1 new foreign-key violation: row 7 of \"pet\" (\"of\") refers to no row of "
      + "\"owner\"; the database is at 1",
    "keep the rows that users' rows refer to: AND NOT EXISTS (SELECT …) in the DELETE; see New "
      + "content")

  /// The pragmas that are refused, each with the reason.
  static let pragmas: [Row] = [
    ("user_version", "remove it: the script's number is its version"),
    (
      "application_id",
      "set it in the seed: it must be right before the first script runs"
    ),
    (
      "schema_version",
      "remove it: SQLite counts it itself, and a wrong number damages the database"
    ),
    (
      "writable_schema",
      "use ALTER TABLE or rebuild the table; if .dump wrote an INSERT into sqlite_schema, write "
        + "CREATE VIRTUAL TABLE instead: a schema written by hand can make the database unreadable"
    ),
    ("encoding", "remove it: the encoding of a database that exists cannot change"),
    ("synchronous", "remove it: Uplift sets it so that a power cut loses nothing"),
    ("locking_mode", "remove it: other programs could not open the database"),
    (
      "ignore_check_constraints",
      "remove it, and correct the rows: rows that break a CHECK would be kept"
    ),
    ("busy_timeout", "remove it: Uplift waits for other programs itself (patience, --wait)"),
    (
      "temp_store",
      "remove it: it ends with the script's connection; SQLITE_TMPDIR moves temporary files"
    ),
    ("page_count", "remove the value: it can only be read"),
    ("query_only", "remove it: the script's version could not be written"),
    (
      "journal_mode=off",
      "use WAL, DELETE, TRUNCATE or PERSIST: in other modes a crash can destroy the database"
    ),
    (
      "mmap_size",
      "set it in the program: it lasts only as long as its connection, "
        + "and Uplift closes the script's connection"
    ),
    ("nosuch", "remove it: Uplift does not know whether it is safe in a script"),
  ].map { name, remedy in
    Row(
      .refused(.pragma(name)),
      "2.sql:3:4: PRAGMA \(name) is not allowed in a script; the database is at 1", remedy)
  }

  private static let version = String(cString: sqlite3_libversion())

  private static let one = UpgradeError.Violation(
    table: "pet", row: 7, columns: ["of"], parent: "owner")
  private static let none = UpgradeError.Violation(
    table: "pet", row: nil, columns: ["x", "y"], parent: "owner")
  private static let faulty = [
    (1, UpgradeError.Violation.Fault.noTable), (2, .noColumns), (3, .noKey),
  ].map { row, fault in
    UpgradeError.Violation(
      table: "pet", row: row, columns: ["of"], parent: "owner", fault: fault)
  }
}
