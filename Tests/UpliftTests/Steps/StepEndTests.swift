import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// A step that ends its transaction, or outlives itself, fails.
struct StepEndTests {
  @Test(.tags(.S2))
  func `fails if a statement undid the transaction, though the step catches the error`()
    throws
  {
    let site = try Site.holding("CREATE TABLE t(a UNIQUE)")

    let failure = try site.failure { database in
      try database.execute("INSERT INTO t VALUES (1)")
      try? database.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      try? database.execute("INSERT INTO t VALUES (2)")
    }

    #expect(
      failure.message == "the transaction was rolled back: UNIQUE constraint failed: t.a")
    #expect(failure.text == "INSERT OR ROLLBACK INTO t VALUES (1)")
    #expect(try site.shell("SELECT count(*) FROM t; PRAGMA user_version;") == "0\n1")
  }

  @Test(.tags(.S2)) func `tells the error that ended the step, though the step throws another`()
    throws
  {
    struct Mine: Error {}
    let site = try Site.holding("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")

    let failure = try site.failure { database in
      do {
        try database.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      } catch {
        throw Mine()
      }
    }

    #expect(
      failure.message == "the transaction was rolled back: UNIQUE constraint failed: t.a")
  }

  @Test(.tags(.S2)) func `commits nothing by the lent handle once the transaction is gone`() throws
  {
    let site = try Site.holding("CREATE TABLE t(a UNIQUE)")

    let failure = try site.failure { database in
      try database.withHandle { handle in
        sqlite3_exec(handle, "INSERT INTO t VALUES (1)", nil, nil, nil)
        sqlite3_exec(handle, "INSERT OR ROLLBACK INTO t VALUES (1)", nil, nil, nil)
        sqlite3_exec(handle, "INSERT INTO t VALUES (2)", nil, nil, nil)
      }
    }

    #expect(failure.message == "the statement ended the transaction")
    #expect(try site.shell("SELECT count(*) FROM t; PRAGMA user_version;") == "0\n1")
  }

  @Test func `refuses transaction control by the lent handle`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let code = try database.withHandle { sqlite3_exec($0, "COMMIT", nil, nil, nil) }
      #expect(code == SQLITE_AUTH)
    }
  }

  @Test func `fails if the step left a statement open, and releases its locks`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    nonisolated(unsafe) var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }

    let failure = try site.failure { database in
      try database.withHandle { handle in
        sqlite3_prepare_v2(handle, "SELECT a FROM t", -1, &statement, nil)
        sqlite3_step(statement)
      }
    }

    #expect(failure.message == "the step left a statement that has not run to its end")
    #expect(try site.shell("INSERT INTO t VALUES (3); SELECT count(*) FROM t;") == "3")
  }

  @Test func `finds its own database busy, if it upgrades it`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    var options = Upgrader.Options()
    options.patience = .milliseconds(100)
    let nested = site.upgrader(of: [.sql(2, "two", "SELECT 2")], options: options)

    try site.step { _ in
      #expect(throws: UpgradeError.busy(site.database, reached: 1)) { try nested.upgrade() }
    }

    #expect(try Shell.version(site.database) == 2)
  }

  @Test func `upgrades another database inside a step`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let other = try Site.holding("CREATE TABLE t(a)")

    try site.step { _ in try other.upgrade([.sql(7, "seven", "SELECT 7")]) }

    #expect(try Shell.version(other.database) == 7)
    #expect(try Shell.version(site.database) == 2)
  }
}
