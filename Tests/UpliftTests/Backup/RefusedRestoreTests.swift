import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A restore that is refused, and changes nothing.
struct RefusedRestoreTests {
  @Test(.tags(.O8)) func `refuses a damaged backup, and one of another version`() throws {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("data/app.db")
    var bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    bytes.replaceSubrange(4100..<4400, with: repeatElement(0xff, count: 300))
    bytes[63] = 2
    try site.scratch.write(bytes, to: "backups/app-2.db")
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA user_version = 9;")

    let damaged = #expect(throws: UpgradeError.self) { try site.restore(to: 2) }
    let other = #expect(throws: UpgradeError.self) { try site.restore(to: 1) }

    #expect(damaged?.description.contains("app-2.db\" is damaged: ") == true)
    #expect(damaged?.kind == "backup" && damaged?.exitCode == 78)
    #expect(other?.description.hasSuffix("app-1.db\" holds a database at 9") == true)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  /// The backup is checked, and then copied, and it must be the same file all the time.
  @Test(.tags(.O8)) func `ends although another program changes the backup all the time`() throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    let backup = site.scratch("backups/app-1.db")
    let count = Atomic(0)
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options)

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(
        from: site.scratch("backups"), to: 1,
        isCancelled: {
          let now = count.add(1, ordering: .relaxed).newValue
          try? FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(now))], ofItemAtPath: backup)
          return now > 100_000
        })
    }

    #expect(error?.kind == "busy")
    #expect(site.scratch.names("data") == [])
  }

  /// The next boot would refuse the database.
  @Test(.tags(.O8), arguments: [false, true])
  func `refuses a backup of another application, also if there is no database`(isEmpty: Bool) throws
  {
    let site = try Site.upgraded()
    try Shell.run(site.seed, "PRAGMA application_id = 777;")
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA application_id = 5;")
    try site.scratch.remove("data/app.db")
    if isEmpty { try site.scratch.write("", to: "data/app.db") }

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(
      error?.description
        == "\"\(site.scratch("backups/app-1.db"))\" belongs to application 5, not 777")
    #expect(site.scratch.bytes("data/app.db")?.isEmpty ?? true)
  }

  /// The first page is one of before, so the copy of the old content would have too few pages.
  @Test(.tags(.O8, .promise15), arguments: ["DELETE", "WAL"])
  func `refuses a database that has more pages than its header counts`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    let old = try #require(site.scratch.bytes("data/app.db")).prefix(4096)
    try Shell.run(
      site.database,
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
      INSERT INTO item(name) SELECT 'row ' || i FROM n;
      """)
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(..<4096, with: old)
    try site.scratch.write(bytes, to: "data/app.db")

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error?.kind == "damaged" && error?.exitCode == 78)
    #expect(error?.remedy.contains("move it away") == true)
    #expect(site.scratch.bytes("data/app.db") == bytes)
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  /// A database that only this process may read, at the version of the backup.
  private func linkBackup(of site: Site) throws {
    let secret = try site.scratch.write("", to: "secret.db")
    try Shell.run(secret, Site.seed + "CREATE TABLE secret(a);")
    let backup = site.scratch("backups/app-1.db")
    try? FileManager.default.removeItem(atPath: backup)
    try FileManager.default.createSymbolicLink(atPath: backup, withDestinationPath: secret)
  }

  @Test(.tags(.O8, .F12)) func `refuses a link, which another user may have made`() throws {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("data/app.db")
    try linkBackup(of: site)

    let there = #expect(throws: UpgradeError.self) { try site.restore(to: 1) }
    #expect(site.scratch.bytes("data/app.db") == before)
    try site.scratch.remove("data/app.db")
    let missing = #expect(throws: UpgradeError.self) { try site.restore(to: 1) }

    for error in [there, missing] {
      #expect(error?.description.contains("app-1.db\" is a link") == true)
      #expect(error?.exitCode == 78)
    }
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.O8, .F12)) func `refuses a backup that becomes a link while it is checked`() throws {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("data/app.db")
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3
    ) { _ in try linkBackup(of: site) }

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("backups"), to: 1)
    }

    #expect(error?.kind == "backup")
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  /// SQLite's check does not begin, because a collation is missing.
  @Test(.tags(.O8), arguments: ["item", "word"])
  func `finds damage in and beside a table that SQLite cannot check`(table: String) throws {
    let site = try Site()
    try site.place(Site.seed + Site.missingCollation)
    let page = Int(
      try Shell.run(site.database, "SELECT rootpage FROM sqlite_master WHERE name = '\(table)';"))
    let start = (try #require(page) - 1) * 4096
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()
    var bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    bytes.replaceSubrange(start..<start + 300, with: repeatElement(0xff, count: 300))
    try site.scratch.write(bytes, to: "backups/app-1.db")

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error?.description.contains("app-1.db\" is damaged: ") == true)
    #expect(try Shell.version(site.database) == 3)
  }

  /// SQLite's check of a single table does not find them.
  @Test(.tags(.O8)) func `finds pages of two tables beside a table that SQLite cannot check`()
    throws
  {
    let site = try Site()
    try site.place(
      Site.seed + "CREATE TABLE twin(id INTEGER PRIMARY KEY, name);" + Site.missingCollation + """
        UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'item')
          WHERE name = 'twin';
        """)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error?.kind == "backup")
    #expect(error?.description.contains("2nd reference to page") == true)
  }

  @Test(.tags(.promise15, .O8)) func `refuses a backup with a value that its column forbids`()
    throws
  {
    let site = try Site.upgraded()
    for (definition, rows) in [
      ("name", ""), ("name NOT NULL", "INSERT INTO item VALUES (8, NULL);"),
    ] {
      try Shell.run(
        site.scratch("backups/app-1.db"),
        """
        \(rows) PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = 'CREATE TABLE item(id INTEGER PRIMARY KEY, \(definition))'
          WHERE name = 'item';
        """)
    }

    #expect(throws: UpgradeError.self) { try site.restore() }
    #expect(try Shell.version(site.database) == 3)
  }

  @Test(.tags(.O7)) func `refuses another application's backup, and one above the target`() throws {
    let site = try Site.upgraded()
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA application_id = 77;")
    let before = site.scratch.bytes("data/app.db")

    let foreign = #expect(throws: UpgradeError.self) { try site.restore() }
    try site.scratch.write(before ?? Data(), to: "backups/app-3.db")
    let newer = #expect(throws: UpgradeError.self) { try site.restore(target: 2, to: 3) }
    let missing = #expect(throws: UpgradeError.self) { try site.restore(to: 2) }
    try site.scratch.remove("backups/app-1.db")
    let allNewer = #expect(throws: UpgradeError.self) { try site.restore(target: 2) }

    #expect(foreign?.kind == "foreign")
    #expect(newer?.exitCode == 76)
    #expect(missing?.exitCode == 66)
    #expect(allNewer == newer)
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(site.scratch.names("backups") == ["app-3.db"])
  }

  @Test(.tags(.promise2)) func `changes no seed`() throws {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("resources/app.db")
    let upgrader = Upgrader(
      database: site.seed, seed: .file(site.seed), migrations: .directory(site.scripts))

    #expect(throws: UpgradeError.path(site.seed, .isSeed)) {
      try upgrader.restore(from: site.scratch("backups"))
    }
    #expect(site.scratch.bytes("resources/app.db") == before)
  }
}
