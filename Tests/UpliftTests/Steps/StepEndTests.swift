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

    #expect(failure.reason == .transactionEnded(words: "UNIQUE constraint failed: t.a"))
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

    #expect(failure.reason == .transactionEnded(words: "UNIQUE constraint failed: t.a"))
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

    #expect(failure.reason == .transactionEnded(words: nil))
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

    #expect(failure.reason == .call(.statementLeft))
    #expect(try site.shell("INSERT INTO t VALUES (3); SELECT count(*) FROM t;") == "3")
  }

  @Test func `refuses an upgrade of its own database at once`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let nested = site.upgrader(of: [.sql(2, "two", "SELECT 2")])

    let failure = try site.failure { _ in
      #expect(throws: UpgradeError.path(site.database, .nested)) { try nested.upgrade() }
      _ = try nested.upgrade()
    }

    let words = UpgradeError.path(site.database, .nested).description
    #expect(failure.reason == .thrown(words: words))
  }

  @Test func `refuses a restore of its own database at once`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let nested = site.upgrader(of: [.sql(2, "two", "SELECT 2")])

    try site.step { _ in
      #expect(throws: UpgradeError.path(site.database, .nested)) {
        try nested.restore(backup: site.scratch("backups"))
      }
    }
  }

  @Test func `refuses an upgrade of its own database from a step of another`() throws {
    let outer = try Site.holding("CREATE TABLE t(a)")
    let inner = try Site.holding("CREATE TABLE t(a)")
    var options = Upgrader.Options()
    options.patience = .milliseconds(100)
    let again = outer.upgrader(of: [.sql(2, "two", "SELECT 2")], options: options)

    try outer.step { _ in
      try inner.step { _ in
        #expect(throws: UpgradeError.path(outer.database, .nested)) { try again.upgrade() }
      }
    }

    #expect(try Shell.version(outer.database) == 2)
  }

  @Test func `upgrades another database inside a step`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let other = try Site.holding("CREATE TABLE t(a)")

    try site.step { _ in try other.upgrade([.sql(7, "seven", "SELECT 7")]) }

    #expect(try Shell.version(other.database) == 7)
    #expect(try Shell.version(site.database) == 2)
  }
}
