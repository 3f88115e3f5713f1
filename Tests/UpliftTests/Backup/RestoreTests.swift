import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A backup that is put back.
struct RestoreTests {
  /// A database that was upgraded from 1 to 3, with a backup of version 1, and used since.
  private func upgradedSite(journal: String = "DELETE") throws -> Site {
    let site = try Site()
    try site.place(
      "PRAGMA journal_mode = \(journal);" + Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ).upgrade()
    try Shell.run(site.database, "INSERT INTO item VALUES (99, 'late');")
    return site
  }

  private func restore(
    _ site: Site, target: Version = 3, to version: Version? = nil
  ) throws(UpgradeError) -> Restore {
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    return try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target, options: options
    ).restore(from: site.scratch("backups"), to: version)
  }

  @Test(.tags(.promise15, .O9), arguments: ["DELETE", "WAL"])
  func `goes back, and keeps what was written since`(journal: String) throws {
    let site = try upgradedSite(journal: journal)
    let before = try Shell.dump(site.database)
    let backup = site.scratch("backups/app-1.db")
    let content = try Shell.dump(backup)

    let restore = try restore(site)

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
    let site = try upgradedSite(journal: journal)
    let before = try Shell.dump(site.database)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: site.database))
    try file.seekToEnd()
    try file.write(contentsOf: Data(count: 10_000))
    try file.close()

    let restore = try restore(site)

    #expect(try Shell.dump(restore.replaced ?? "") == before)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.O6), arguments: [("DELETE", true), ("WAL", false)])
  func `waits for a reader, or goes on beside it`(journal: String, isBusy: Bool) throws {
    let site = try upgradedSite(journal: journal)
    let before = try Shell.dump(site.database)
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", end: "ROLLBACK;")

    if isBusy {
      #expect(throws: UpgradeError.busy(path: site.database, reached: nil)) { try restore(site) }
      #expect(site.scratch.names("backups") == ["app-1.db"])
    } else {
      #expect(try restore(site).version == 1)
    }

    try site.letGo()
    _ = try reader.wait()
    #expect(try Shell.version(site.database) == (isBusy ? 3 : 1))
    if isBusy { #expect(try Shell.dump(site.database) == before) }
  }

  @Test(.tags(.O8)) func `refuses a damaged backup, and one of another version`() throws {
    let site = try upgradedSite()
    let before = site.scratch.bytes("data/app.db")
    var bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    bytes.replaceSubrange(4100..<4400, with: repeatElement(0xff, count: 300))
    bytes[63] = 2
    try site.scratch.write(bytes, to: "backups/app-2.db")
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA user_version = 9;")

    let damaged = #expect(throws: UpgradeError.self) { try restore(site, to: 2) }
    let other = #expect(throws: UpgradeError.self) { try restore(site, to: 1) }

    #expect(damaged?.description.contains("app-2.db\" is damaged: ") == true)
    #expect(damaged?.kind == "backup" && damaged?.exitCode == 78)
    #expect(other?.description.hasSuffix("app-1.db\" holds a database at 9") == true)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  /// SQLite 3.40.1 says "NULL value in setting.value" of the first table, which is sound.
  @Test(
    .tags(.promise15, .O8),
    arguments: [
      "setting(value TEXT NOT NULL, name TEXT PRIMARY KEY) WITHOUT ROWID",
      "setting(at DATETIME DEFAULT 'now', name TEXT PRIMARY KEY) WITHOUT ROWID",
      "setting(value CHECK (value > 5), name)",
    ])
  func `puts back a sound database of which SQLite complains`(table: String) throws {
    let site = try Site()
    try site.place(
      Site.seed
        + """
        CREATE TABLE \(table); PRAGMA ignore_check_constraints = ON;
        INSERT INTO setting VALUES (1, 'lang');
        """)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(options: options).upgrade()

    #expect(try restore(site).version == 1)
    #expect(try Shell.run(site.database, "SELECT name FROM setting;") == "lang")
  }

  @Test(.tags(.promise15, .O8)) func `refuses a backup with a value that its column forbids`()
    throws
  {
    let site = try upgradedSite()
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

    #expect(throws: UpgradeError.self) { try restore(site) }
    #expect(try Shell.version(site.database) == 3)
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

  @Test(.tags(.O7)) func `refuses another application's backup, and one above the target`() throws {
    let site = try upgradedSite()
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA application_id = 77;")
    let before = site.scratch.bytes("data/app.db")

    let foreign = #expect(throws: UpgradeError.self) { try restore(site) }
    try site.scratch.write(before ?? Data(), to: "backups/app-3.db")
    let newer = #expect(throws: UpgradeError.self) { try restore(site, target: 2, to: 3) }
    let missing = #expect(throws: UpgradeError.self) { try restore(site, to: 2) }

    #expect(foreign?.kind == "foreign")
    #expect(newer?.exitCode == 76)
    #expect(missing?.exitCode == 66)
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(site.scratch.names("backups") == ["app-1.db", "app-3.db"])
  }

  /// The option is about a boot, which does not know the backups.
  @Test(.tags(.O9), arguments: [Upgrader.IfMissing.fail, .empty])
  func `makes a database that a boot must not make from the seed`(ifMissing: Upgrader.IfMissing)
    throws
  {
    let site = try upgradedSite()
    try site.scratch.remove("data/app.db")
    var options = Upgrader.Options()
    options.ifMissing = ifMissing

    let restore = try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ).restore(from: site.scratch("backups"))

    #expect(restore.version == 1)
    #expect(try site.names() == ["seeded", "mine"])
  }

  /// The mode of a new database would let others read its rows.
  @Test(.tags(.O9)) func `makes a database that is not there, with the mode of the backup`() throws
  {
    let site = try upgradedSite()
    try site.scratch.remove("data/app.db")
    try site.mode("backups/app-1.db", 0o600)

    let restore = try restore(site)

    #expect(restore.replaced == nil)
    #expect(try site.names() == ["seeded", "mine"])
    #expect(try site.mode("data/app.db") == 0o600)
  }

  @Test(.tags(.O9), .enabled(if: geteuid() == 0))
  func `makes a database that the service can write, of a backup that is root's`() throws {
    let site = try upgradedSite()
    try site.scratch.remove("data/app.db")
    try site.mode("backups/app-1.db", 0o400)
    try #require(chown(site.scratch("data"), 65534, 65534) == 0)

    _ = try restore(site)

    let facts = try System.facts(of: Path(site.database), followingLinks: false)
    #expect(facts?.owner.user == 65534)
    #expect(facts?.mode == 0o600)
  }

  @Test(.tags(.promise2)) func `changes no seed`() throws {
    let site = try upgradedSite()
    let before = site.scratch.bytes("resources/app.db")
    let upgrader = Upgrader(
      database: site.seed, seed: .file(site.seed), migrations: .directory(site.scripts))

    #expect(throws: UpgradeError.path(site.seed, .isSeed)) {
      try upgrader.restore(from: site.scratch("backups"))
    }
    #expect(site.scratch.bytes("resources/app.db") == before)
  }

  /// A restore may have gone back behind the backup with the highest version, or a copy of the
  /// directory has other times.
  @Test(.tags(.promise15)) func `chooses no backup if the highest version is not the newest`()
    throws
  {
    let site = try upgradedSite()
    let bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    let second = try site.scratch.write(bytes, to: "backups/app-2.db")
    try Shell.run(second, "PRAGMA user_version = 2;")
    let before = site.scratch.bytes("data/app.db")
    _ = try Command("/usr/bin/touch").run("-d", "@1700000000", second)

    let error = #expect(throws: UpgradeError.self) { try restore(site) }

    #expect(error == .backup(Path(second), .olderThan(site.scratch("backups/app-1.db"))))
    #expect(site.scratch.bytes("data/app.db") == before)
    // The other one is above this target.
    #expect(try restore(site, target: 1).version == 1)
    #expect(try restore(site, to: 2).version == 2)
    _ = try Command("/usr/bin/touch").run(second)
    #expect(try restore(site).version == 2)
  }

  /// The lock of the data directory is held, and none of SQLite's.
  @Test(.tags(.promise14, .promise15, .O12), arguments: ["DELETE", "WAL"])
  func `waits for a script without a transaction`(journal: String) throws {
    let site = try upgradedSite(journal: journal)
    let before = try Shell.dump(site.database)
    let directory = open(site.scratch("data"), O_RDONLY)
    try #require(flock(directory, LOCK_EX | LOCK_NB) == 0)

    let error = #expect(throws: UpgradeError.self) { try restore(site) }
    let names = site.scratch.names("backups")
    let after = try Shell.dump(site.database)
    close(directory)

    #expect(error?.kind == "busy")
    #expect(names == ["app-1.db"])
    #expect(after == before)
    #expect(try restore(site).version == 1)
  }

  /// The newest backup may be too new for the program.
  @Test(.tags(.O12), arguments: [true, false])
  func `chooses no backup if the scripts or the seed cannot be read`(isSeed: Bool) throws {
    let site = try upgradedSite()
    let before = site.scratch.bytes("data/app.db")
    let gone = site.scratch("gone")
    let upgrader = Upgrader(
      database: site.database, seed: .file(isSeed ? gone : site.seed),
      migrations: .directory(isSeed ? site.scripts : gone))

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("backups"))
    }

    #expect(error?.kind == "missing")
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(try upgrader.restore(from: site.scratch("backups"), to: 1).version == 1)
    #expect(
      try Upgrader(database: site.database).restore(from: site.scratch("backups")).version == 1)
  }

  /// Only a person can say which of the two is wanted.
  @Test(.tags(.O12)) func `refuses a backup while an older one of the same version is there`()
    throws
  {
    let site = try upgradedSite()
    let before = site.scratch.bytes("data/app.db")
    let bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    let earlier = try site.scratch.write(bytes, to: "backups/app-1-earlier.db")

    let error = #expect(throws: UpgradeError.self) { try restore(site) }

    #expect(error?.kind == "backup")
    #expect(error?.remedy.contains(earlier) == true)
    #expect(site.scratch.bytes("data/app.db") == before)
    try site.scratch.remove("backups/app-1-earlier.db")
    #expect(try restore(site).version == 1)
  }

  /// The copy of the old content is made under the lock to write, so there is one.
  @Test(.tags(.O6, .O9), arguments: ["DELETE", "WAL"])
  func `ends although another program writes all the time`(journal: String) throws {
    let site = try upgradedSite(journal: journal)
    let writer = try Command("/bin/sh").start([
      "-c",
      """
      while ! test -e '\(site.scratch("let-go"))'; do
        sqlite3 -cmd '.timeout 20000' '\(site.database)' "INSERT INTO item VALUES (NULL, 'busy');"
      done
      """,
    ])
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
    let site = try upgradedSite()

    _ = try restore(site)
    try Shell.run(site.database, "PRAGMA user_version = 3;")
    let second = try restore(site)

    #expect(second.replaced == site.scratch("backups/app-3-replaced_2.db"))
  }
}
