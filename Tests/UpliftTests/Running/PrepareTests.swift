import CUpliftSQLite
import Synchronization
import TestSupport
import Testing
import Uplift

/// A program prepares each connection: it adds what the schema uses and SQLite does not have.
struct PrepareTests {
  /// The program's collation, which compares lengths.
  private static let addCollation: Upgrader.Prepare = { handle in
    let code = sqlite3_create_collation_v2(
      handle, "LENGTHS", SQLITE_UTF8, nil,
      { _, one, _, other, _ in one < other ? -1 : one > other ? 1 : 0 },
      nil)
    guard code == SQLITE_OK else { throw Refused() }
  }

  private struct Refused: Error, CustomStringConvertible {
    var description: String { "no licence" }
  }

  /// A database at version 1 with an index that needs the collation.
  private static func site() throws -> Site {
    let site = try Site(seed: nil, scripts: [:])
    try site.place("CREATE TABLE item(name TEXT); CREATE TABLE other(a); PRAGMA user_version = 1;")
    let setUp = Upgrader(
      database: site.database,
      migrations: [
        .sql(
          2, "index",
          """
          INSERT INTO item VALUES('one'), ('three');
          CREATE INDEX item_name ON item(name COLLATE LENGTHS);
          """)
      ], target: 2, prepare: addCollation)
    try setUp.upgrade()
    return site
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test func `counts as cancelled if it throws after the upgrade was cancelled`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let flag = Flag()

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database, migrations: [.sql(2, "two", "CREATE TABLE two(a);")], target: 2,
        prepare: { _ in
          flag.isSet.store(true, ordering: .relaxed)
          throw Refused()
        }
      ).upgrade(isCancelled: { flag.isSet.load(ordering: .relaxed) })
    }

    #expect(error?.exitCode == 143)
  }

  private static let rename: Upgrader.Migration = .sql(
    3, "rename", "ALTER TABLE other RENAME COLUMN a TO b")

  @Test func `renames a column of another table only if the collation of an index is known`() throws
  {
    let site = try Self.site()

    let without = #expect(throws: UpgradeError.self) {
      try Upgrader(database: site.database, migrations: [Self.rename]).upgrade()
    }
    try Upgrader(database: site.database, migrations: [Self.rename], prepare: Self.addCollation)
      .upgrade()

    #expect(without?.kind == "failed")
    #expect(without?.remedy.contains("prepare") == true)
    #expect(
      try Shell.run(site.database, "SELECT sql FROM sqlite_master WHERE name = 'other';")
        == "CREATE TABLE other(b)")
  }

  @Test(.tags(.promise12)) func `prepares each connection that runs steps in the same way`() throws
  {
    let site = try Self.site()
    let count = Mutex(0)
    let look = "INSERT INTO item SELECT 'four' WHERE 'aa' = 'bb' COLLATE LENGTHS;"
    let steps: Upgrader.Migrations = [
      .sql(3, "leaves", "CREATE TEMP TABLE leftover(a); " + look),
      .sql(4, "fresh", look),
      .sql(5, "alone", "-- uplift: no-transaction\n" + look),
      .sql(6, "after", look),
      .code(7, "swift") { database in try database.execute(look) },
      .sql(8, "last", look),
    ]

    let upgrade = try Upgrader(
      database: site.database, migrations: steps,
      prepare: { handle in
        count.withLock { $0 += 1 }
        try Self.addCollation(handle)
      }
    ).upgrade()

    #expect(upgrade.applied.map(\.version) == [3, 4, 5, 6, 7, 8])
    #expect(try Shell.run(site.database, "SELECT count(*) FROM item NOT INDEXED;") == "8")
    #expect(count.withLock { $0 } >= 4)
  }

  @Test(.tags(.promise13, .R10)) func `prepares the connection of a script that reads the seed`()
    throws
  {
    let site = try Site(
      seed:
        "CREATE TABLE item(name TEXT); INSERT INTO item VALUES('seed'); PRAGMA user_version = 2;",
      scripts: [:])
    try site.place("CREATE TABLE item(name TEXT); PRAGMA user_version = 1;")
    let step: Upgrader.Migration = .sql(
      2, "words",
      "-- uplift: reads-seed\nINSERT INTO item SELECT name FROM seed.item ORDER BY name COLLATE LENGTHS;"
    )

    try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: [step],
      prepare: Self.addCollation
    ).upgrade()

    #expect(try Shell.run(site.database, "SELECT name FROM item;") == "seed")
  }

  @Test(.tags(.promise9)) func `is not called if there is nothing to do, nor by status`() throws {
    let site = try Self.site()
    let upgrader = Upgrader(
      database: site.database, migrations: [.sql(2, "two", "SELECT 1")],
      prepare: { _ in throw Refused() })

    let upgrade = try upgrader.upgrade()
    let status = try upgrader.status()

    #expect(upgrade.end == 2)
    #expect(status.pending == [])
  }

  @Test(.tags(.promise4)) func `runs no step if it throws, and says what it has thrown`() throws {
    let site = try Self.site()
    let before = try site.snapshot()

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database, migrations: [Self.rename], prepare: { _ in throw Refused() }
      ).upgrade()
    }

    #expect(error == .preparation("no licence", reached: 2))
    #expect(error?.exitCode == 65)
    #expect(try site.snapshot() == before)
  }

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

    #expect(error == .preparation("a transaction was left open", reached: 2))
  }

  @Test(.timeLimit(.minutes(20))) func `refuses an upgrade of the database that it prepares`()
    throws
  {
    let site = try Self.site()
    let database = site.database
    let count = Mutex(0)

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: database, migrations: [Self.rename],
        prepare: { handle in
          count.withLock { $0 += 1 }
          try Upgrader(
            database: database, migrations: [Self.rename],
            prepare: { _ in count.withLock { $0 += 1 } }
          ).upgrade()
        }
      ).upgrade()
    }

    let words = UpgradeError.path(database, .nested).description
    #expect(error == .preparation(words, reached: 2))
    #expect(count.withLock { $0 } == 1)
  }

  @Test(.tags(.promise10)) func `checks foreign keys with the program's collation`() throws {
    let site = try Self.site()
    let family = """
      CREATE TABLE parent(name TEXT COLLATE LENGTHS PRIMARY KEY);
      CREATE TABLE child(name TEXT REFERENCES parent(name));
      INSERT INTO parent VALUES('abc');
      INSERT INTO child VALUES('xyz');
      """

    let upgrade = try Upgrader(
      database: site.database, migrations: [.sql(3, "family", family)], prepare: Self.addCollation
    ).upgrade()
    let orphan = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.database,
        migrations: [.sql(4, "orphan", "INSERT INTO child VALUES('four')")],
        prepare: Self.addCollation
      ).upgrade()
    }

    #expect(upgrade.end == 3)
    guard case .failed(let failure) = orphan, case .foreignKeys(let violations) = failure.reason
    else {
      Issue.record("\(String(describing: orphan))")
      return
    }
    #expect(violations.count == 1)
  }

  /// Without the collation, SQLite cannot read the table, and a restore does not need it.
  @Test(.tags(.promise15)) func `finds damage in a table with the program's collation`() throws {
    let site = try Self.site()
    var options = Upgrader.Options()
    options.backup = .init(directory: site.scratch("old"))
    let upgrader = Upgrader(
      database: site.database, migrations: [Self.rename], options: options,
      prepare: Self.addCollation)
    try upgrader.upgrade()

    let restore = try upgrader.restore(from: site.scratch("old"))
    try Shell.run(
      site.scratch("old/app-2.db"),
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE TABLE item(name TEXT, more NOT NULL)'
        WHERE name = 'item';
      """)
    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("old"))
    }
    let without = try Upgrader(database: site.database, target: 3)
      .restore(from: site.scratch("old"))

    #expect(restore.version == 2 && without.version == 2)
    #expect(error?.description.contains("is damaged: NULL value in item.more") == true)
    #expect(try Shell.version(site.database) == 2)
  }
}
