import CUpliftSQLite
import Synchronization
import TestSupport
import Testing
import Uplift

/// A program prepares each connection: it adds what the schema uses and SQLite does not have.
struct PrepareTests {
  /// The program's collation, which compares lengths.
  static let addCollation: Upgrader.Prepare = { handle in
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
  static func site() throws -> Site {
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

  static let rename: Upgrader.Migration = .sql(
    3, "rename", "ALTER TABLE other RENAME COLUMN a TO b")

  @Test func `renames a column of another table only if the collation of an index is known`() throws
  {
    let site = try Self.site()

    let without = #expect(throws: UpgradeError.self) {
      try Upgrader(database: site.database, migrations: [Self.rename]).upgrade()
    }
    try Upgrader(database: site.database, migrations: [Self.rename], prepare: Self.addCollation)
      .upgrade()

    #expect(without?.kind == .failed)
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
      .sql(5, "alone", "-- uplift: no-transaction\nVACUUM;"),
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
    #expect(try Shell.run(site.database, "SELECT count(*) FROM item NOT INDEXED;") == "7")
    #expect(count.withLock { $0 } >= 2)
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

    #expect(
      error?.says(.preparation, "prepare failed: no licence; the database is at 2") == true)
    #expect(error?.exitCode == 65)
    #expect(try site.snapshot() == before)
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
    #expect(orphan?.kind == .failed)
    #expect(orphan?.orphans?.count == 1)
  }

  /// Without the collation, SQLite cannot read the table, and a restore does not need it.
  @Test(.tags(.promise15)) func `finds damage in a table with the program's collation`() throws {
    let site = try Self.site()
    var options = Upgrader.Options()
    options.backup = .init(directory: site.scratch("old"))
    let upgrader = Upgrader(
      database: site.database, migrations: [Self.rename], options: options,
      prepare: Self.addCollation)
    let upgrade = try upgrader.upgrade()

    let restore = try upgrader.restore(backup: site.scratch("old"))
    try Shell.run(
      upgrade.backup ?? "",
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE TABLE item(name TEXT, more NOT NULL)'
        WHERE name = 'item';
      """)
    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(backup: site.scratch("old"))
    }
    let without = try Upgrader(database: site.database, target: 3)
      .restore(backup: site.scratch("old"))

    #expect(restore.version == 2 && without.version == 2)
    #expect(error?.description.contains("is damaged: NULL value in item.more") == true)
    #expect(try Shell.version(site.database) == 2)
  }
}
