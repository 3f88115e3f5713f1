import Foundation
import TestSupport
import Testing
import Uplift

/// A backup that is put back.
struct RestoreTests {
  @Test(.tags(.promise15, .O9), arguments: ["DELETE", "WAL"])
  func `goes back, and keeps what was written since`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let backup = site.backup("0001-v1")
    let content = try Shell.dump(backup)

    let restore = try site.restore()

    let replaced = site.backup("0002-v3-replaced")
    #expect(restore.version == 1 && restore.backup == backup && restore.replaced == replaced)
    #expect(try Shell.dump(site.database) == content)
    #expect(try Shell.version(site.database) == 1)
    #expect(try Shell.dump(replaced) == before)
    #expect(
      try Shell.run(site.database, "PRAGMA journal_mode;") == (journal == "WAL" ? "wal" : "delete"))
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
    #expect(site.scratch.names("data") == ["app.db"])
    // And forward again.
    #expect(try site.upgrader().upgrade().end == 3)
  }

  /// A restore that is tried again would put the bad state back.
  @Test(.tags(.promise15, .O9)) func `takes what was replaced only if it is named`() throws {
    let site = try Site.upgraded()
    let bad = try Shell.dump(site.database)
    _ = try site.restore()

    let again = try site.restore()
    #expect(throws: UpgradeError.self) { try site.restore(to: 3) }
    let named = try site.restore(from: site.backup("0002-v3-replaced"))

    #expect(again.backup == site.backup("0001-v1") && named.version == 3)
    #expect(try Shell.dump(site.database) == bad)
    #expect(
      site.backups() == [
        "app-0001-v1.db", "app-0002-v3-replaced.db", "app-0003-v1-replaced.db",
        "app-0004-v1-replaced.db",
      ])
  }

  /// The higher version may be the older backup: an earlier restore went back.
  @Test(.tags(.promise15, .O7)) func `takes the newest that is not above the target`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let names = [
      "0003-v2": "old two", "0009-v2": "two", "0010-v1": "one", "0011-v3": "three",
      "10000-v2": "newest two",
    ]
    for (name, row) in names {
      let version = try #require(name.last)
      try site.placeBackup(
        name, Site.seed + "UPDATE item SET name = '\(row)'; PRAGMA user_version = \(version);")
    }

    var found: [[String]] = []
    for restore in [
      { try site.restore(target: 3) }, { try site.restore(target: 1) },
      { try site.restore(target: 3, to: 3) }, { try site.restore(target: 3, to: 2) },
    ] {
      _ = try restore()
      found.append(try site.names())
    }

    #expect(found == [["newest two"], ["one"], ["three"], ["newest two"]])
  }

  @Test(.tags(.promise15), arguments: [nil, ""])
  func `makes the database that is missing, or fills an empty one`(content: String?) throws {
    let site = try Site.upgraded(journal: "WAL")
    let backup = try Shell.dump(site.backup("0001-v1"))
    try site.scratch.remove("data/app.db")
    if let content { try site.scratch.write(content, to: "data/app.db") }

    let restore = try site.restore()

    #expect(restore.replaced == nil && restore.version == 1)
    #expect(try Shell.dump(site.database) == backup)
    #expect(site.backups() == ["app-0001-v1.db"])
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.O18)) func `makes a database with the mode and the owner of the backup`() throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    let backup = site.backup("0001-v1")
    try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: backup)
    if geteuid() == 0 { chown(backup, 65534, 65534) }

    _ = try site.restore()

    let facts = try FileManager.default.attributesOfItem(atPath: site.database)
    #expect(facts[.posixPermissions] as? Int == 0o640)
    #expect(facts[.ownerAccountID] as? Int == (geteuid() == 0 ? 65534 : Int(geteuid())))
  }

  /// SQLite cannot change the page size of a database in WAL mode.
  @Test(.tags(.promise15), arguments: ["DELETE", "WAL"], ["DELETE", "WAL"])
  func `puts back another page size and text encoding`(journal: String, backup: String) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    try site.placeBackup(
      "0002-v1",
      "PRAGMA page_size = 512; PRAGMA encoding = 'UTF-16le'; PRAGMA journal_mode = \(backup);"
        + Site.seed)

    let restore = try site.restore()

    #expect(try site.names() == ["seeded"])
    #expect(try Shell.run(site.database, "PRAGMA page_size; PRAGMA encoding;") == "512\nUTF-16le")
    let mode = try Shell.run(site.database, "PRAGMA journal_mode;")
    // With another encoding, SQLite cannot switch the log on again.
    if backup == "WAL" { #expect(mode == "wal") }
    #expect(try Shell.dump(restore.replaced ?? "") == before)
    #expect(site.scratch.names("backups").allSatisfy { $0.hasSuffix(".db") })
  }

  @Test(.tags(.promise15), arguments: [512, 4096])
  func `comes back to WAL mode`(pageSize: Int) throws {
    let site = try Site.upgraded(journal: "WAL")
    try site.placeBackup("0002-v1", "PRAGMA page_size = \(pageSize);" + Site.seed)

    _ = try site.restore()

    #expect(
      try Shell.run(site.database, "PRAGMA journal_mode; PRAGMA page_size;") == "wal\n\(pageSize)")
  }

  @Test(.tags(.promise15, .F19)) func `keeps what is only in the log of a killed service`() throws {
    let site = try Site.killed(version: 3, "INSERT INTO item VALUES (7, 'mine');")
    try site.placeBackup("0001-v1", Site.seed)

    let restore = try site.restore()

    let kept = try Shell.run(restore.replaced ?? "", "SELECT name FROM item ORDER BY id;")
    #expect(kept == "seeded\nmine")
    #expect(try site.names() == ["seeded"])
  }

  /// In rollback mode an idle service has no lock, and its next statement sees the backup.
  @Test(
    .tags(.O6),
    arguments: [
      ("DELETE", "BEGIN; SELECT count(*) FROM item;", true), ("DELETE", "SELECT 1;", false),
      ("WAL", "SELECT count(*) FROM item;", true),
      ("WAL", "BEGIN; SELECT count(*) FROM item;", true),
      ("WAL", "BEGIN IMMEDIATE; SELECT 1;", true),
    ])
  func `needs the database to itself`(journal: String, service: String, isBusy: Bool) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let running = try site.hold(service, end: "")

    if isBusy {
      let error = #expect(throws: UpgradeError.self) { try site.restore() }
      #expect(error?.kind == .busy && error?.exitCode == 75)
      #expect(error?.remedy.hasPrefix("stop the service") == true)
      #expect(site.backups() == ["app-0001-v1.db"])
    } else {
      #expect(try site.restore().version == 1)
    }

    try site.letGo()
    _ = try running.wait()
    #expect(try Shell.version(site.database) == (isBusy ? 3 : 1))
    if isBusy { #expect(try Shell.dump(site.database) == before) }
  }

  @Test(.tags(.O6)) func `waits until the service has ended`() throws {
    let site = try Site.upgraded(journal: "WAL")
    let service = try site.hold("BEGIN IMMEDIATE; SELECT 1;", seconds: 0.5)
    var options = Upgrader.Options()
    options.patience = .seconds(20)

    let restore = try site.upgrader(options: options).restore(backup: site.scratch("backups"))

    _ = try service.wait()
    #expect(restore.version == 1 && restore.replaced != nil)
  }

  /// SQLite 3.40.1 says "NULL value in setting.value" of the first table, which is sound.
  @Test(
    .tags(.promise15, .O8),
    arguments: [
      "CREATE TABLE setting(value NOT NULL, name PRIMARY KEY) WITHOUT ROWID;"
        + "INSERT INTO setting VALUES (1, 'lang');"
        + "ALTER TABLE setting ADD COLUMN isActive TEXT DEFAULT true;",
      "CREATE TABLE setting(value CHECK (value > 5)); PRAGMA ignore_check_constraints = ON;"
        + "INSERT INTO setting VALUES (1);",
      Site.missingCollation,
    ])
  func `puts back a sound database that SQLite cannot check whole`(table: String) throws {
    let site = try Site()
    try site.place(Site.seed + table)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()

    _ = try site.restore()

    #expect(try site.names() == ["seeded"])
  }

  @Test(.tags(.F12)) func `may be from a file behind a link, and into a database behind one`()
    throws
  {
    let site = try Site.upgraded()
    for (link, target) in [("from.db", site.backup("0001-v1")), ("to.db", site.database)] {
      try FileManager.default.createSymbolicLink(
        atPath: site.scratch(link), withDestinationPath: target)
    }

    let restore = try Upgrader(database: site.scratch("to.db"), target: 3)
      .restore(backup: site.scratch("backups"), from: site.scratch("from.db"))

    #expect(restore.replaced == site.backup("0002-v3-replaced"))
    #expect(try site.names() == ["seeded", "mine"])
  }
}
