import CUpliftSQLite
import Foundation
import TestSupport
import Testing
import Uplift

/// A backup that is sound, and a database that is damaged later.
extension BackupTests {
  /// Without the collation, SQLite does not check the table, and its rows are only read.
  @Test(.tags(.promise14), arguments: [true, false])
  func `that is sound is kept if a table with a collation is damaged`(hasCollation: Bool) throws {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    try Shell.run(
      site.database,
      """
      CREATE TABLE word(text TEXT COLLATE NOCASE PRIMARY KEY);
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO word SELECT hex(randomblob(50)) FROM n;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'NOCASE', 'german') WHERE name = 'word';
      """)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    let upgrader = Upgrader(
      database: site.database, migrations: .directory(site.scripts), target: 2, options: options
    ) { handle in
      guard hasCollation else { return }
      let code = sqlite3_create_collation(handle, "german", SQLITE_UTF8, nil) {
        _, count, one, otherCount, other in
        guard let one, let other else { return 0 }
        let order = memcmp(one, other, Int(min(count, otherCount)))
        return order == 0 ? count - otherCount : order
      }
      try #require(code == SQLITE_OK)
    }
    #expect(throws: UpgradeError.self) { try upgrader.upgrade() }
    let sound = try #require(site.scratch.bytes("backups/app-1.db"))
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(20 * 4096..<22 * 4096, with: Data(repeating: 0xee, count: 2 * 4096))
    try site.scratch.write(bytes, to: "data/app.db")

    #expect(throws: UpgradeError.self) { try upgrader.upgrade() }

    #expect(site.scratch.bytes("backups/app-1-replaced.db") == sound)
  }

  /// The table that SQLite makes for `AUTOINCREMENT` stays, and so does a view.
  @Test(
    .tags(.promise14),
    arguments: [
      "", "CREATE VIEW one AS SELECT 1;",
      "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE a;",
    ], [1, 0])
  func `that has rows is kept if the database has no table any more`(rest: String, version: Int)
    throws
  {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    try Shell.run(site.database, rest)
    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    let mine = site.scratch.bytes("backups/app-1.db")
    let older = site.scratch("backups/app-0.db")
    try Shell.run(older, "CREATE TABLE item(id, older);")
    let theirs = site.scratch.bytes("backups/app-0.db")
    try Shell.run(site.database, "DROP TABLE item; PRAGMA user_version = \(version);")

    var counts: Set<Int> = []
    for start in 0..<4 {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
      if start > 1 { counts.insert(site.scratch.names("backups").count) }
    }

    let files = site.scratch.names("backups").map { site.scratch.bytes("backups/" + $0) }
    #expect(files.contains(mine))
    #expect(files.contains(theirs))
    // However often it starts.
    #expect(counts.count == 1)
  }

  /// The copy is whole, and is compared with the backup that it would replace.
  @Test(.tags(.promise14)) func `is kept if the database is deleted while it is checked`() throws {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    try Shell.run(site.database, "INSERT INTO item VALUES (8, 'late');")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    let preparing = Upgrader(
      database: site.database, migrations: .directory(site.scripts), target: 2, options: options
    ) { _ in
      if site.scratch.names("backups").contains("app-1.db.uplift-part") {
        try? FileManager.default.removeItem(atPath: site.database)
      }
    }

    let error = #expect(throws: UpgradeError.self) { try preparing.upgrade() }

    #expect(error?.kind == "moved")
    let kept = site.scratch("backups/app-1-replaced.db")
    #expect(try Shell.run(kept, "SELECT name FROM item WHERE id = 8;") == "late")
  }

  /// A negative version is no version of Uplift's.
  @Test(.tags(.promise14, .O5))
  func `keeps a database of another application that looks damaged`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    let other = try site.scratch.write("", to: "backups/app-1.db")
    try Shell.run(
      other, "PRAGMA application_id = 7; PRAGMA user_version = -5; CREATE TABLE theirs(a);")
    let theirs = site.scratch.bytes("backups/app-1.db")

    try upgrader(site, target: 2).upgrade()

    #expect(site.scratch.bytes("backups/app-1-replaced.db") == theirs)
    #expect(try Shell.version(other) == 1)
  }

  /// Scripts may have removed all tables.
  @Test(.tags(.promise1, .promise14), arguments: ["", "-- uplift: no-transaction\n"])
  func `is made of a database that has a version and no table`(directive: String) throws {
    let site = try Site(scripts: [
      "1_one.sql": "CREATE TABLE one(a);", "2_two.sql": "DROP TABLE one;",
      "3_three.sql": directive + "CREATE TABLE three(a);",
    ])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    func upgrade(target: Version) throws -> Upgrade {
      try Upgrader(
        database: site.database, migrations: .directory(site.scripts), target: target,
        options: options
      ).upgrade()
    }
    _ = try upgrade(target: 2)

    #expect(try upgrade(target: 3).backup == site.scratch("backups/app-2.db"))

    #expect(try Shell.version(site.scratch("backups/app-2.db")) == 2)
  }

  /// The listing of the directory that all databases share is older than the backup.
  @Test(.tags(.promise14)) func `that is made during a run for many databases is kept`() throws {
    let site = try siteInUse(["2_two.sql": "CREATE TABLE two(a);"])
    let (other, backup) = (site.scratch("data/other.db"), site.scratch("backups/other-1.db"))
    try site.scratch.write("", to: "data/other.db")
    try Shell.run(other, Site.seed)
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let run = try Command.product("uplift").start([
      "up", "--each", site.scratch("data"), "--jobs", "1", "--migrations", site.scripts,
      "--backup", site.scratch("backups"),
    ])
    usleep(1_000_000)
    try site.scratch.write("", to: "backups/other-1.db")
    try Shell.run(backup, Site.seed)
    let rows = site.scratch.bytes("backups/other-1.db")
    try Shell.run(other, "DROP TABLE item;")
    try site.letGo()
    _ = try writer.wait()
    let outcome = try run.wait()

    #expect(outcome.status == 0)
    #expect(site.scratch.bytes("backups/other-1-replaced.db") == rows)
  }

  @Test(.tags(.promise14), arguments: ["", "CREATE TABLE _litestream_seq(id, seq);"])
  func `that is newer is kept if a restore puts back the tables`(rest: String) throws {
    let site = try siteInUse(["2_two.sql": "CREATE TABLE two(a);"])
    let newer = site.scratch("backups/app-2.db")
    try upgrader(site, target: 2).upgrade()
    try FileManager.default.copyItem(atPath: site.database, toPath: newer)
    let rows = site.scratch.bytes("backups/app-2.db")
    try Shell.run(site.database, "DROP TABLE item; DROP TABLE two; \(rest)")

    _ = try upgrader(site, target: 2).restore(from: site.scratch("backups"), to: 1)

    #expect(site.scratch.bytes("backups/app-2-replaced.db") == rows)
  }
}
