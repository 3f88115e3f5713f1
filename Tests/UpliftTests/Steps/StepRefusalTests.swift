import TestSupport
import Testing
import Uplift

/// A step in Swift may do no more than a script, by a call or by the lent handle.
struct StepRefusalTests {
  static let refused = [
    ("BEGIN", "BEGIN is not allowed in a script"),
    ("COMMIT", "COMMIT is not allowed in a script"),
    ("END", "COMMIT is not allowed in a script"),
    ("ROLLBACK", "ROLLBACK is not allowed in a script"),
    ("SAVEPOINT a", "SAVEPOINT, RELEASE and ROLLBACK TO are not allowed in a script"),
    ("ATTACH 'x.db' AS x", "ATTACH is not allowed in a script"),
    ("DETACH x", "DETACH is not allowed in a script"),
    ("PRAGMA user_version = 9", "PRAGMA user_version is not allowed in a script"),
    ("PRAGMA journal_mode = OFF", "PRAGMA journal_mode=off is not allowed in a script"),
    ("PRAGMA writable_schema = ON", "PRAGMA writable_schema is not allowed in a script"),
  ]

  @Test(.tags(.S1, .S3, .S4, .S7), arguments: refused)
  func `refuses a statement that no script may run`(sql: String, message: String) throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in try database.execute(sql) }

    #expect(failure.message == message)
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

    #expect(failure.message == "no such table: nowhere (SQLITE_ERROR, 1)")
  }

  @Test func `reports an error of SQLite's in a query, though another statement was refused`()
    throws
  {
    let site = try Site.holding(
      "CREATE TABLE t(a); INSERT INTO t VALUES (1), (-9223372036854775808)")

    let failure = try site.failure { database in
      try database.query("SELECT abs(a) FROM t") { _ in try? database.execute("COMMIT") }
    }

    #expect(failure.message == "integer overflow (SQLITE_ERROR, 1)")
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
