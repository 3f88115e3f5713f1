import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// A step in Swift keeps the promises that a script keeps.
struct StepTests {
  @Test(.tags(.promise5)) func `runs in its place among scripts`() throws {
    let site = try Site(scripts: ["2.sql": Site.script(2), "4.sql": Site.script(4)])
    let steps: Upgrader.Migrations =
      .directory(site.scripts) + [
        .code(3, "three") { database in
          try database.execute("INSERT INTO item(name) VALUES ('step 3')")
        },
        .sql(5, "five", "INSERT INTO item(name) VALUES ('step 5');"),
      ]

    let upgrade = try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: steps, target: 5
    ).upgrade()

    #expect(upgrade.applied.map(\.name) == ["2.sql", "three", "4.sql", "five"])
    #expect(try site.names() == ["seeded", "script 2", "step 3", "script 4", "step 5"])
    #expect(try Shell.version(site.database) == 5)
  }

  @Test func `shares a commit with the scripts around it`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    var committed: [Version] = []

    _ = try site.upgrader(of: [
      .sql(2, "two", "SELECT 2"), .sql(3, "three", "SELECT 3"), .code(4, "four") { _ in },
      .code(5, "five") { _ in }, .sql(6, "six", "SELECT 6"), .sql(7, "seven", "SELECT 7"),
    ]).upgrade { event in if case .committed(let last) = event { committed.append(last) } }

    #expect(committed == [7])
  }

  @Test func `sorts rows without threads of SQLite's, even if it asks for them`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let threads = try database.withHandle { handle in
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, -1)
      }
      try database.execute("INSERT INTO t VALUES (?)", [Int(threads)])
    }

    #expect(try site.shell("SELECT a FROM t") == "0")
  }

  @Test(.tags(.promise4, .promise6)) func `is undone as a whole, and those before it are kept`()
    throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")
    let steps: Upgrader.Migrations = [
      .sql(2, "two", "INSERT INTO t VALUES (2)"),
      .code(3, "three") { database in
        try database.execute("INSERT INTO t VALUES (3); CREATE TABLE u(a)")
        try database.execute("INSERT INTO nowhere VALUES (3)")
      },
    ]

    #expect(throws: UpgradeError.self) { try site.upgrade(steps) }

    #expect(try site.shell("SELECT a FROM t; SELECT name FROM sqlite_schema;") == "2\nt")
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.promise12)) func `leaves nothing on the connection for the next step`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.upgrade([
      .code(2, "two") { database in
        try database.execute("CREATE TEMP TABLE x(a); PRAGMA recursive_triggers=ON")
      },
      .code(3, "three") { database in
        #expect(throws: UpgradeError.self) { try database.query("SELECT * FROM x") }
        let rows = try database.query("PRAGMA recursive_triggers")
        #expect(rows.map(\.values) == [[.integer(0)]])
      },
    ])
  }

  @Test(.tags(.promise12)) func `leaves none of the settings that it made by the lent handle`()
    throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.upgrade([
      .code(2, "two") { database in
        try database.withHandle { handle in
          _ = sqlite3_create_function(
            handle, "lower", 1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) },
            nil, nil)
        }
      },
      .sql(3, "three", "CREATE TABLE u(a); INSERT INTO u(a) VALUES (lower('X'))"),
    ])

    #expect(try site.shell("SELECT a FROM u") == "x")
  }

  @Test func `is listed as applied or pending`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let steps: Upgrader.Migrations = [
      .code(1, "one") { _ in }, .code(2, "two") { _ in }, .sql(3, "three", "SELECT 3"),
    ]

    let status = try site.upgrader(of: steps).status()

    #expect(status.applied.map(\.name) == ["one"])
    #expect(status.pending.map(\.name) == ["two", "three"])
    #expect(status.pending.map(\.version) == [2, 3])
  }

  @Test func `has a status that can be compared`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    func status(_ sql: String) throws -> Status {
      try site.upgrader(of: [.code(1, "one") { _ in }, .sql(2, "two", sql)]).status()
    }

    let before = try status("SELECT 2")
    let (again, other) = try (status("SELECT 2"), status("SELECT 3"))
    let elsewhere = try site.upgrader(of: [.code(1, "one") { _ in }, .sql(2, "two", "SELECT 2")])
      .status()
    try site.upgrade([.sql(2, "two", "SELECT 2")])
    let after = try status("SELECT 2")

    #expect(before == again)
    #expect(Set([before, again, other, elsewhere, after]).count == 4)
  }

  @Test(.tags(.promise5)) func `runs once if several boots race`() async throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try site.step { database in try database.execute("INSERT INTO t VALUES (1)") }
        }
      }
      try await group.waitForAll()
    }

    #expect(try site.shell("SELECT count(*) FROM t") == "1")
  }
}
