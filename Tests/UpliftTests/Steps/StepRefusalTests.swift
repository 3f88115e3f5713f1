import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// A step in Swift may do no more than a script, by a call or by the lent handle.
struct StepRefusalTests {
  static let refused: [(String, Refusal)] = [
    ("BEGIN", .transaction("BEGIN")),
    ("COMMIT", .transaction("COMMIT")),
    ("END", .transaction("COMMIT")),
    ("ROLLBACK", .transaction("ROLLBACK")),
    ("SAVEPOINT a", .savepoint),
    ("ATTACH 'x.db' AS x", .attach),
    ("DETACH x", .detach),
    ("PRAGMA user_version = 9", .pragma("user_version")),
    ("PRAGMA journal_mode = OFF", .pragma("journal_mode=off")),
    ("PRAGMA writable_schema = ON", .pragma("writable_schema")),
  ]

  @Test(.tags(.S1, .S3, .S4, .S7), arguments: refused)
  func `refuses a statement that no script may run`(
    sql: String, refused: Refusal
  ) throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in try database.execute(sql) }

    #expect(failure.reason == .refused(refused))
    #expect(failure.text == sql)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test func `goes on after a refusal that the step catches`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      #expect(throws: UpgradeError.self) { try database.execute("COMMIT") }
      try database.execute("INSERT INTO t VALUES (1)")
    }

    #expect(try site.shell("SELECT a FROM t") == "1")
  }

  @Test func `reports an error of SQLite's after a refusal, not the refusal again`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in
      try? database.execute("COMMIT")
      try database.execute("INSERT INTO nowhere VALUES (1)")
    }

    #expect(
      failure.reason
        == .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such table: nowhere"))
  }

  @Test func `reports an error of SQLite's in a query, though another statement was refused`()
    throws
  {
    let site = try Site.holding(
      "CREATE TABLE t(a); INSERT INTO t VALUES (1), (-9223372036854775808)")

    let failure = try site.failure { database in
      try database.query("SELECT abs(a) FROM t") { _ in try? database.execute("COMMIT") }
    }

    #expect(
      failure.reason == .sqlite(code: 1, name: "SQLITE_ERROR", words: "integer overflow"))
  }

  @Test(.tags(.S5)) func `takes the pragma for foreign keys, which does nothing`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE child(parent REFERENCES parent ON DELETE CASCADE);
      INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
      """)

    try site.step { database in
      try database.execute("PRAGMA foreign_keys = ON; CREATE TABLE new(id INTEGER PRIMARY KEY)")
      try database.execute("INSERT INTO new SELECT id FROM parent; DROP TABLE parent")
      try database.execute("ALTER TABLE new RENAME TO parent")
    }

    #expect(try site.shell("SELECT count(*) FROM child") == "1")
  }
}
