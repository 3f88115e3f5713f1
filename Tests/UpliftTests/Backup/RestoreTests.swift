import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A backup that is put back.
struct RestoreTests {
  @Test(.tags(.promise15, .O9), arguments: ["DELETE", "WAL"])
  func `goes back, and keeps what was written since`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let backup = site.scratch("backups/app-1.db")
    let content = try Shell.dump(backup)

    let restore = try site.restore()

    let replaced = site.scratch("backups/app-3-replaced.db")
    #expect(restore.version == 1 && restore.backup == backup && restore.replaced == replaced)
    #expect(try Shell.dump(site.database) == content)
    #expect(try Shell.version(site.database) == 1)
    #expect(try Shell.dump(replaced) == before)
    #expect(
      try Shell.run(site.database, "PRAGMA journal_mode;") == (journal == "WAL" ? "wal" : "delete"))
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
    #expect(site.scratch.names("backups") == ["app-1.db", "app-3-replaced.db"])
    // And forward again.
    #expect(try site.upgrader().upgrade().end == 3)
  }

  @Test(.tags(.promise15), arguments: ["DELETE", "WAL"])
  func `keeps a database whose file is longer than its pages`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let length = site.scratch.bytes("data/app.db")?.count
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: site.database))
    try file.seekToEnd()
    try file.write(contentsOf: Data(count: 10_000))
    try file.close()

    let restore = try site.restore()

    #expect(try Shell.dump(restore.replaced ?? "") == before)
    #expect(try Shell.version(site.database) == 1)
    // The copy has only its pages, so it can be put back.
    let copy = FileManager.default.contents(atPath: restore.replaced ?? "")
    #expect(copy?.count == length)
  }

  /// The disk brings back a first page that knows fewer tables, so SQLite finds nothing wrong.
  @Test(.tags(.promise15), arguments: ["DELETE", "WAL"])
  func `keeps pages that the database does not count`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let old = try #require(site.scratch.bytes("data/app.db")?.prefix(4096))
    try Shell.run(
      site.database, "CREATE TABLE note AS SELECT randomblob(90000) AS bytes;")
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(..<4096, with: old)
    try site.scratch.write(bytes, to: "data/app.db")

    let restore = try site.restore()

    #expect(FileManager.default.contents(atPath: restore.replaced ?? "") == bytes)
    #expect(try site.names() == ["seeded", "mine"])
  }

  @Test(.tags(.O6), arguments: [("DELETE", true), ("WAL", false)])
  func `waits for a reader, or goes on beside it`(journal: String, isBusy: Bool) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", end: "ROLLBACK;")

    if isBusy {
      #expect(throws: UpgradeError.busy(path: site.database, reached: nil)) { try site.restore() }
      #expect(site.scratch.names("backups") == ["app-1.db"])
    } else {
      #expect(try site.restore().version == 1)
    }

    try site.letGo()
    _ = try reader.wait()
    #expect(try Shell.version(site.database) == (isBusy ? 3 : 1))
    if isBusy { #expect(try Shell.dump(site.database) == before) }
  }

  /// SQLite 3.40.1 says "NULL value in setting.value" of the first table, which is sound, and
  /// something similar of the others.
  @Test(
    .tags(.promise15, .O8),
    arguments: [
      "(value TEXT NOT NULL, name TEXT PRIMARY KEY) WITHOUT ROWID",
      "(at DATETIME DEFAULT 'now', name TEXT PRIMARY KEY) WITHOUT ROWID",
      "(value CHECK (value > 5), name)",
      "(value INTEGER, name TEXT, more INTEGER AS (value * 1.5)) STRICT",
      "(value, name)",
    ])
  func `puts back a sound database of which SQLite complains`(table: String) throws {
    let site = try Site()
    try site.place(
      Site.seed
        + """
        CREATE TABLE setting \(table); PRAGMA ignore_check_constraints = ON;
        INSERT INTO setting VALUES (1, 'lang');
        ALTER TABLE setting ADD COLUMN isActive TEXT DEFAULT true;
        """)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()

    #expect(try site.restore().version == 1)
    #expect(try Shell.run(site.database, "SELECT name FROM setting;") == "lang")
  }

  /// The collation of the table is one of the service, and the command does not have it.
  @Test(.tags(.promise15, .O8), arguments: [true, false])
  func `puts back a database whose collation is missing`(isThere: Bool) throws {
    let site = try Site()
    try site.place(Site.seed + Site.missingCollation)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()
    if !isThere { try site.scratch.remove("data/app.db") }

    #expect(try site.restore(to: 1).version == 1)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM word NOT INDEXED;") == "2")
  }

  /// Another database beside it has the name that messages show.
  @Test(.tags(.promise15)) func `takes the backup of a database whose name is not UTF-8`() throws {
    let site = try Site()
    let names: [[UInt8]] = [Array("x\u{FFFD}.db".utf8), [0x78, 0xFF] + Array(".db".utf8)]
    var upgraders: [Upgrader] = []
    try site.scratch.write("", to: "data/other.db")
    for (index, name) in names.enumerated() {
      let link = site.scratch("link-\(index).db")
      try Shell.run(link, Site.seed + "INSERT INTO item VALUES (9, '\(index)');")
      let path = Path(site.scratch("data")).appending(name)
      try System.replace(path, by: Path(link))
      #expect(path.withCString { symlink($0, link) } == 0)
      var options = Upgrader.Options()
      options.backup = Upgrader.Backup(directory: site.scratch("backups"))
      upgraders.append(
        Upgrader(
          database: link, seed: .file(site.seed), migrations: .directory(site.scripts),
          options: options))
    }
    for upgrader in upgraders { try upgrader.upgrade() }

    for (index, upgrader) in upgraders.enumerated() {
      #expect(try upgrader.restore(from: site.scratch("backups"), to: 1).version == 1)
      #expect(
        try Shell.run(upgrader.database, "SELECT name FROM item WHERE id = 9;") == "\(index)")
    }
  }

  @Test(.tags(.O9), .enabled(if: geteuid() == 0))
  func `makes a database that the service can write, of a backup that is root's`() throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    try site.mode("backups/app-1.db", 0o400)
    try #require(chown(site.scratch("data"), 65534, 65534) == 0)

    _ = try site.restore()

    let facts = try System.facts(of: Path(site.database), followingLinks: false)
    #expect(facts?.owner.user == 65534)
    #expect(facts?.mode == 0o600)
  }

  /// The lock of the data directory is held, and none of SQLite's.
  @Test(.tags(.promise14, .promise15, .O12), arguments: ["DELETE", "WAL"])
  func `waits for a script without a transaction`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let directory = open(site.scratch("data"), O_RDONLY)
    // A program that another test starts has the lock of the upgrade for a moment.
    try waitUntil { flock(directory, LOCK_EX | LOCK_NB) == 0 }

    let error = #expect(throws: UpgradeError.self) { try site.restore() }
    let names = site.scratch.names("backups")
    let after = try Shell.dump(site.database)
    // The programs that other tests have started may have the directory open too.
    flock(directory, LOCK_UN)
    close(directory)

    #expect(error?.kind == "busy")
    #expect(names == ["app-1.db"])
    #expect(after == before)
    #expect(try site.restore().version == 1)
  }

  /// It is the first script of a new database, and would change the restored rows.
  @Test(.tags(.promise14, .promise15, .O12))
  func `waits for a script without a transaction in an empty database`() throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    try site.scratch.write("", to: "data/app.db")
    let directory = open(site.scratch("data"), O_RDONLY)
    // A program that another test starts has the lock of the upgrade for a moment.
    try waitUntil { flock(directory, LOCK_EX | LOCK_NB) == 0 }

    let error = #expect(throws: UpgradeError.self) { try site.restore() }
    let after = site.scratch.bytes("data/app.db")
    flock(directory, LOCK_UN)
    close(directory)

    #expect(error?.kind == "busy")
    #expect(after?.isEmpty == true)
    #expect(try site.restore().version == 1)
  }

  /// The copy of the old content is made under the lock to write, so there is one.
  @Test(.tags(.O6, .O9), arguments: ["DELETE", "WAL"])
  func `ends although another program writes all the time`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let writer = try site.keepWriting()
    defer { writer.terminate() }
    var options = Upgrader.Options()
    options.patience = .seconds(60)

    let restore = try Upgrader(database: site.database, target: 3, options: options)
      .restore(from: site.scratch("backups"))

    try site.letGo()
    _ = try writer.wait()
    #expect(restore.version == 1)
    #expect(site.scratch.names("backups") == ["app-1.db", "app-3-replaced.db"])
    let replaced = site.scratch("backups/app-3-replaced.db")
    #expect(try Shell.run(replaced, "PRAGMA integrity_check;") == "ok")
    #expect(try Shell.run(site.database, "PRAGMA integrity_check; PRAGMA user_version;") == "ok\n1")
  }

  @Test func `keeps each replaced state in a file of its own`() throws {
    let site = try Site.upgraded()

    _ = try site.restore()
    try Shell.run(site.database, "PRAGMA user_version = 3;")
    let second = try site.restore()
    try Shell.run(site.database, "PRAGMA user_version = 3;")
    // SQLite would take them for logs of the copy.
    try site.scratch.write("a log", to: "backups/app-3-replaced_3.db-wal")
    try site.scratch.write("a journal", to: "backups/app-3-replaced_4.db-journal")
    let third = try site.restore()

    #expect(second.replaced == site.scratch("backups/app-3-replaced_2.db"))
    #expect(third.replaced == site.scratch("backups/app-3-replaced_5.db"))
  }
}
