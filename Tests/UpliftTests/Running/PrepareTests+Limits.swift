import CUpliftSQLite
import Synchronization
import TestSupport
import Testing
import Uplift

/// What a program may do while it prepares a connection, and what it may not.
extension PrepareTests {
  @Test(arguments: [
    "CREATE TABLE planted(a)", "INSERT INTO other VALUES(1)", "DELETE FROM item",
    "DROP TABLE other",
    "PRAGMA user_version = 7", "PRAGMA application_id = 7", "PRAGMA query_only = OFF",
    "CREATE TEMP TABLE leftover(a)", "CREATE TEMP VIEW leftover AS SELECT 1",
    "CREATE TEMP TRIGGER leftover AFTER INSERT ON other BEGIN SELECT 1; END",
    "CREATE TABLE temp.leftover(a)", "CREATE VIEW temp.leftover AS SELECT 1",
    "CREATE TRIGGER temp.leftover AFTER INSERT ON other BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE temp.leftover USING fts5(a)", "ATTACH ':memory:' AS leftover",
    "PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF", "PRAGMA recursive_triggers = ON",
    "PRAGMA foreign_keys = ON", "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA writable_schema = ON",
    "PRAGMA case_sensitive_like = ON", "PRAGMA wal_checkpoint", "PRAGMA incremental_vacuum",
    "PRAGMA threads = 4", "BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT leftover", "VACUUM",
    "VACUUM INTO 'leftover.db'", "ANALYZE", "REINDEX item",
  ])
  func `can neither write nor change the connection`(sql: String) throws {
    let site = try Self.site()
    let before = try Shell.dump(site.database)
    let code = Mutex<Int32>(-1)

    try Upgrader(
      database: site.database,
      migrations: [
        .code(3, "looks") { database in
          let facts = try database.query(
            """
            SELECT (SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp'))
                AS attached,
              (SELECT count(*) FROM sqlite_temp_master) AS leftover, 'A' LIKE 'a' AS alike,
              (SELECT synchronous FROM pragma_synchronous) AS synchronous
            """)
          let names = ["attached", "leftover", "alike", "synchronous"]
          let values: [Int] = try names.map { name in try #require(facts.first)[name] }
          #expect(values == [0, 0, 1, 3])
        }
      ],
      prepare: { handle in
        try Self.addCollation(handle)
        code.withLock { $0 = sqlite3_exec(handle, sql, nil, nil, nil) }
      }
    ).upgrade()

    #expect(code.withLock { $0 } != SQLITE_OK)
    #expect(try Shell.dump(site.database) == before)
    #expect(try Shell.version(site.database) == 3)
  }

  @Test(arguments: ["SELECT name FROM item", "PRAGMA table_info(item)", "PRAGMA user_version"])
  func `can read`(sql: String) throws {
    let site = try Self.site()
    let code = Mutex<Int32>(-1)

    try Upgrader(
      database: site.database, migrations: [Self.rename],
      prepare: { handle in
        try Self.addCollation(handle)
        code.withLock { $0 = sqlite3_exec(handle, sql, nil, nil, nil) }
      }
    ).upgrade()

    #expect(code.withLock { $0 } == SQLITE_OK)
  }

  @Test(.tags(.S15), .timeLimit(.minutes(20)))
  func `takes back the handlers, hooks and permissions that it has set`() throws {
    let site = try Self.site()
    // It ends, so that the test does, too, if nothing stops it.
    let long =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000000) SELECT count(*) FROM n"
    // A statement that stays open keeps its connection in memory.
    let open = Mutex<[Int]>([])
    defer {
      for statement in open.withLock({ $0 }) {
        sqlite3_finalize(OpaquePointer(bitPattern: statement))
      }
    }
    let meddle: Upgrader.Prepare = { handle in
      try Self.addCollation(handle)
      sqlite3_progress_handler(handle, 0, nil, nil)
      sqlite3_commit_hook(handle, { _ in 1 }, nil)
      sqlite3_enable_load_extension(handle, 1)
      sqlite3_extended_result_codes(handle, 0)
      var statement: OpaquePointer?
      sqlite3_prepare_v2(handle, "SELECT 1 FROM item NOT INDEXED", -1, &statement, nil)
      sqlite3_step(statement)
      open.withLock { $0.append(Int(bitPattern: statement)) }
    }

    let upgrade = try Upgrader(
      database: site.database, migrations: [Self.rename], prepare: meddle
    ).upgrade()
    let loading = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database, migrations: [.sql(4, "loads", "SELECT load_extension('x.so')")],
        prepare: meddle
      ).upgrade()
    }
    let unique = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database,
        migrations: [.sql(4, "twice", "CREATE TABLE u(a UNIQUE); INSERT INTO u VALUES(1), (1)")],
        prepare: meddle
      ).upgrade()
    }
    let begun = ContinuousClock.now
    let stopped = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database, migrations: [.sql(4, "long", long)], prepare: meddle
      ).upgrade(isCancelled: { ContinuousClock.now - begun > .milliseconds(300) })
    }

    #expect(upgrade.end == 3)
    #expect(loading?.description.contains("not authorized") == true)
    #expect(unique?.description.contains("SQLITE_CONSTRAINT_UNIQUE") == true)
    #expect(stopped == .cancelled(reached: 3))
  }

  @Test func `refuses a transaction that it leaves open`() throws {
    let site = try Self.site()

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database, migrations: [Self.rename],
        prepare: { handle in
          sqlite3_set_authorizer(handle, nil, nil)
          sqlite3_exec(handle, "BEGIN", nil, nil, nil)
        }
      ).upgrade()
    }

    let words = "prepare failed: a transaction was left open; the database is at 2"
    #expect(error?.says(.preparation, words) == true)
  }
}
