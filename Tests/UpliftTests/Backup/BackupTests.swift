import Foundation
import TestSupport
import Testing
import Uplift

/// A copy of the database before the first script.
struct BackupTests {
  func upgrader(
    _ site: Site, target: Version = 3, keep: Int = 2, directory: String? = nil
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: directory ?? site.scratch("backups"), keep: keep)
    return Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target, options: options)
  }

  func siteInUse(_ scripts: [String: String]? = nil) throws -> Site {
    let site = try scripts.map { try Site(scripts: $0) } ?? Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  @Test(.tags(.promise14, .O2), arguments: ["DELETE", "WAL", "PERSIST"])
  func `holds what the database held before the first script`(journal: String) throws {
    let site = try siteInUse()
    try site.place("PRAGMA journal_mode = \(journal); INSERT INTO item VALUES (8, 'also');")
    let before = try Shell.dump(site.database)
    var events: [Upgrader.Event] = []

    let upgrade = try upgrader(site).upgrade { events.append($0) }

    let backup = site.scratch("backups/app-1.db")
    #expect(upgrade.backup == backup)
    #expect(events.first { if case .backedUp = $0 { true } else { false } } != nil)
    #expect(try Shell.dump(backup) == before)
    #expect(try Shell.version(backup) == 1)
    #expect(try Shell.run(backup, "PRAGMA integrity_check;") == "ok")
    let mode = journal == "WAL" ? "wal" : "delete"
    #expect(try Shell.run(backup, "PRAGMA journal_mode;") == mode)
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  @Test func `is not made if no script is pending, or if the upgrade has made the database`() throws
  {
    let site = try Site()

    let first = try upgrader(site).upgrade()
    let second = try upgrader(site).upgrade()

    #expect(first.start == .seeded(1) && first.backup == nil)
    #expect(second.start == .existing(3) && second.backup == nil)
    #expect(
      site.scratch.bytes("backups") == nil && site.scratch.names().contains("backups") == false)
  }

  /// Each start finds an empty database, and a backup of one.
  @Test(.tags(.O4)) func `of a database without tables is one file, however often it is made`()
    throws
  {
    let site = try Site(scripts: ["1_one.sql": "SELECT nope;"])
    try site.place("PRAGMA journal_mode = wal;")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))

    for _ in 0..<3 {
      #expect(throws: UpgradeError.self) {
        try Upgrader(
          database: site.database, migrations: .directory(site.scripts), options: options
        ).upgrade()
      }
    }

    #expect(site.scratch.names("backups") == ["app-0.db"])
  }

  @Test func `is not made of an empty file`() throws {
    let site = try Site(scripts: [
      "1_one.sql": "CREATE TABLE one(a);", "2_two.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    try site.scratch.write("", to: "data/app.db")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))

    let upgrade = try Upgrader(
      database: site.database, migrations: .directory(site.scripts), options: options
    ).upgrade()

    #expect(upgrade.backup == nil && upgrade.end == 2)
    #expect(site.scratch.names("backups") == [])
  }

  @Test(.tags(.O2, .O3, .promise14)) func `is one file a version, however often a script fails`()
    throws
  {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": "SELECT nope;"])
    try site.scratch.write("torso of a killed upgrade", to: "backups/app-1.db.uplift-part")
    for version in 7...9 { try site.scratch.write("", to: "backups/app-\(version).db") }
    for _ in 0..<5 {
      let error = #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
      #expect(error?.kind == "failed")
    }

    #expect(
      site.scratch.names("backups") == [
        "app-1.db", "app-2.db", "app-7.db", "app-8.db", "app-9.db",
      ])
    #expect(try Shell.version(site.scratch("backups/app-2.db")) == 2)
  }

  @Test(.tags(.O4)) func `prunes after success only, and never the one just made`() throws {
    let site = try siteInUse()
    for name in ["app-x.db", "app-01.db", "app-2.db.uplift-part", "b-1.db"] {
      try site.scratch.write("", to: "backups/" + name)
    }
    for version in 4...6 {
      let backup = try site.scratch.write("", to: "backups/app-\(version).db")
      try Shell.run(backup, "CREATE TABLE a(b); PRAGMA user_version = \(version);")
    }
    try site.scratch.write("", to: "backups/app-3.db/keep")
    let elsewhere = try site.scratch.write("", to: "elsewhere.db")
    try Shell.run(elsewhere, "CREATE TABLE a(b); PRAGMA user_version = 2;")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("backups/app-2.db"), withDestinationPath: elsewhere)

    try upgrader(site).upgrade()

    #expect(
      site.scratch.names("backups").sorted() == [
        "app-01.db", "app-1.db", "app-2.db", "app-2.db.uplift-part", "app-3.db", "app-5.db",
        "app-6.db",
        "app-x.db",
        "b-1.db",
      ])
  }

  @Test(.tags(.O4)) func `deletes no backup if the upgrade fails`() throws {
    let site = try siteInUse(["2_no.sql": "SELECT nope;"])
    for version in 4...6 {
      let backup = try site.scratch.write("", to: "backups/app-\(version).db")
      try Shell.run(backup, "CREATE TABLE a(b); PRAGMA user_version = \(version);")
    }

    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }

    #expect(
      site.scratch.names("backups") == ["app-1.db", "app-4.db", "app-5.db", "app-6.db"])
  }

  @Test(.tags(.O5)) func `replaces a damaged backup, and refuses another application's`() throws {
    let site = try siteInUse()
    try site.scratch.write("damaged", to: "backups/app-1.db")
    try upgrader(site, target: 2).upgrade()
    try Shell.run(
      site.scratch("backups/app-2.db"), "CREATE TABLE a(b); PRAGMA application_id = 77;")
    let before = site.scratch.bytes("data/app.db")

    #expect(
      throws: UpgradeError.foreign(
        path: site.scratch("backups/app-2.db"), applicationID: 77, expected: 0)
    ) { try upgrader(site).upgrade() }

    #expect(try Shell.version(site.scratch("backups/app-1.db")) == 1)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  @Test(.tags(.O5, .promise14)) func `replaces no database without the application_id`() throws {
    let site = try siteInUse()
    try Shell.run(site.database, "PRAGMA application_id = 77;")
    let other = try site.scratch.write("", to: "backups/app-1.db")
    try Shell.run(other, "CREATE TABLE theirs(a); PRAGMA user_version = 1;")
    let before = site.scratch.bytes("backups/app-1.db")

    #expect(throws: UpgradeError.foreign(path: other, applicationID: 0, expected: 77)) {
      try upgrader(site).upgrade()
    }

    #expect(site.scratch.bytes("backups/app-1.db") == before)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.O10, .promise14)) func `is made while nobody can write`() throws {
    let site = try siteInUse()
    var refusal: Shell.Failure?

    _ = try upgrader(site).upgrade { event in
      guard case .backedUp = event else { return }
      do {
        try Shell.run(site.database, "INSERT INTO item VALUES (9, 'late');")
      } catch {
        refusal = error as? Shell.Failure
      }
    }

    #expect(refusal?.outcome.errors.contains("database is locked") == true)
  }

  @Test(.tags(.O11)) func `may be behind a link, and in a new directory`() throws {
    let site = try siteInUse()
    try site.scratch.write("", to: "real/keep")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("link"), withDestinationPath: "real")

    try upgrader(site, target: 2, directory: site.scratch("link")).upgrade()
    try upgrader(site, target: 3, directory: site.scratch("new/")).upgrade()

    #expect(site.scratch.names("real") == ["app-1.db", "keep"])
    #expect(site.scratch.names("new") == ["app-2.db"])
    let nowhere = try siteInUse()
    let path = nowhere.scratch("not/there")
    #expect(throws: UpgradeError.missing(.backups, path: path)) {
      try upgrader(nowhere, directory: path).upgrade()
    }
    #expect(try Shell.version(nowhere.database) == 1)
  }

  @Test(.tags(.O11, .promise2))
  func `is refused beside the database, where it could replace another`()
    throws
  {
    let site = try siteInUse()
    try site.scratch.write("", to: "data/app-1.db")
    try Shell.run(
      site.scratch("data/app-1.db"), "CREATE TABLE tenant(a); PRAGMA user_version = 1;")
    let others = site.scratch.bytes("data/app-1.db")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("link"), withDestinationPath: "data")

    for directory in [site.scratch("data"), site.scratch("data/"), site.scratch("link")] {
      #expect(throws: UpgradeError.path(directory, .holdsDatabase)) {
        try upgrader(site, directory: directory).upgrade()
      }
    }

    #expect(site.scratch.bytes("data/app-1.db") == others)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.O11)) func `is refused if it will be that of the database`() throws {
    let site = try Site()
    let up = [
      "up", "--database", "data/app.db", "--seed", site.seed, "--migrations", site.scripts,
      "--backup",
    ]

    for directory in ["data", "./data/", site.scratch("data")] {
      let outcome = try Command.product("uplift").run(
        arguments: up + [directory], in: site.scratch.path)
      #expect(outcome.status == 64)
    }

    #expect(!site.scratch.names().contains("data"))
  }

  @Test func `is made before a step in Swift, under its lock`() throws {
    let site = try siteInUse([:])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: [
        .code(2, "two") { database in try database.execute("DELETE FROM item") }
      ], options: options)

    try upgrader.upgrade()

    #expect(try site.names() == [])
    #expect(
      try Shell.run(site.scratch("backups/app-1.db"), "SELECT name FROM item ORDER BY id;")
        == "seeded\nmine")
  }
}
