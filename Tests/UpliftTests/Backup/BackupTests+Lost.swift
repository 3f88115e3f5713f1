import Foundation
import TestSupport
import Testing
import Uplift

/// The backups of a database that is lost, or damaged later.
extension BackupTests {
  /// A user's database is lost, and the release that should replace it has a fault.
  @Test(.tags(.promise14), arguments: [false, true], [1, 2] as [Version])
  func `of a lost database keeps a name`(hasEmptyFile: Bool, reached: Version) throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)])
    try upgrader(site, target: 2).upgrade()
    try upgrader(site, target: 3).upgrade()
    try site.scratch.write("no database", to: "backups/app-0.db")
    let mine = try Shell.dump(site.scratch("backups/app-\(reached).db"))
    try site.ship(reached == 1 ? "2_two.sql" : "3_three.sql", "SELECT nope;")

    for _ in 0..<3 {
      try site.scratch.removeAll("data")
      if hasEmptyFile { try site.scratch.write("", to: "data/app.db") }
      for _ in 0..<3 {
        let error = #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
        #expect(error?.kind == "failed" && error?.reached == reached)
      }
    }

    #expect(mine.contains("mine"))
    #expect(try !Shell.dump(site.scratch("backups/app-\(reached).db")).contains("mine"))
    #expect(try Shell.dump(site.scratch("backups/app-\(reached)-replaced.db")) == mine)
    // Three losses of a database whose backup was made again each time, one of the other, and a file
    // that has the name of a backup.
    #expect(site.scratch.names("backups").filter { $0.contains("-replaced") }.count == 5)
  }

  @Test(.tags(.promise14), arguments: [false, true])
  func `of a lost database keeps a name without a seed`(hasEmptyFile: Bool) throws {
    let site = try Site(scripts: ["1_one.sql": "CREATE TABLE one(a);", "2_two.sql": "SELECT 2;"])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    func upgrade(target: Version) throws {
      try Upgrader(
        database: site.database, migrations: .directory(site.scripts), target: target,
        options: options
      ).upgrade()
    }
    try upgrade(target: 1)
    try upgrade(target: 2)
    let mine = try #require(site.scratch.bytes("backups/app-1.db"))
    try site.scratch.removeAll("data")
    if hasEmptyFile { try site.scratch.write("", to: "data/app.db") }
    try site.ship("2_two.sql", "SELECT nope;")

    for _ in 0..<3 {
      #expect(throws: UpgradeError.self) { try upgrade(target: 2) }
    }

    #expect(site.scratch.bytes("backups/app-1-replaced.db") == mine)
  }

  @Test(.tags(.promise14)) func `that is sound is kept if the database is damaged later`() throws {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    try Shell.run(
      site.database,
      """
      WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT INTO item SELECT i, hex(randomblob(50)) FROM n;
      """)
    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    let sound = try #require(site.scratch.bytes("backups/app-1.db"))
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(20 * 4096..<22 * 4096, with: Data(repeating: 0xee, count: 2 * 4096))
    try site.scratch.write(bytes, to: "data/app.db")

    for _ in 0..<3 {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    }

    #expect(site.scratch.names("backups") == ["app-1-replaced.db", "app-1.db"])
    #expect(site.scratch.bytes("backups/app-1-replaced.db") == sound)
  }

  /// SQLite cannot open the file, or read a page of it.
  @Test(
    .tags(.promise14, .O4),
    arguments: (1...6).flatMap { ["fail 24 call open at \($0)", "fail 13 call open at \($0)"] }
      + stride(from: 1, to: 60, by: 4).map { "fail 5 call read at \($0)" })
  func `that is sound is kept if it cannot be read for a moment`(rule: String) throws {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    try Shell.run(site.database, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")
    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    let sound = try #require(site.scratch.bytes("backups/app-1.db"))
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(9 * 4096..<11 * 4096, with: Data(repeating: 0xee, count: 2 * 4096))
    try site.scratch.write(bytes, to: "data/app.db")

    _ = try site.boot(
      target: 2, ["--backup", site.scratch("backups")],
      rules: rule + " path backups/app-1.db")

    let kept = site.scratch.names("backups").map { site.scratch.bytes("backups/" + $0) }
    #expect(kept.contains(sound))
  }

  /// Otherwise a later upgrade would replace the backup.
  @Test(.tags(.promise14))
  func `of a lost database must get its name before another one is made`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    try site.scratch.removeAll("data")

    let outcome = try site.boot(
      target: 1, ["--backup", site.scratch("backups")],
      rules: "fail 13 call link path app-1.db on;fail 13 call renameat2 path app-1.db on")

    #expect(outcome.output.hasPrefix("denied\n"))
    #expect(site.scratch.names("data") == [])
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  @Test(.tags(.promise14)) func `of a lost database is kept without hard links`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    let mine = site.scratch.bytes("backups/app-1.db")
    try site.scratch.removeAll("data")

    _ = try site.boot(
      target: 1, ["--backup", site.scratch("backups")], rules: "fail 1 call link on")

    #expect(site.scratch.names("backups") == ["app-1-replaced.db"])
    #expect(site.scratch.bytes("backups/app-1-replaced.db") == mine)
    #expect(site.calls().contains { $0.name == "fsync" && $0.path == "backups" })
  }

  /// Another boot has just given the file its other name.
  @Test(.tags(.promise14, .promise5))
  func `of a lost database may be kept by another boot, without hard links`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    try site.scratch.removeAll("data")

    let outcome = try site.boot(
      target: 1, ["--backup", site.scratch("backups")],
      rules: "fail 1 call link on;fail 2 call renameat2 path app-1.db")

    #expect(outcome.status == 0)
  }

  /// What may be wrong with the only file that has the rows of a lost database.
  private enum Flaw: CaseIterable { case hasLog, isLonger, isShorter, otherVersion, noFirstSector }

  @Test(.tags(.promise14), arguments: Flaw.allCases)
  private func `of a lost database keeps a name although it is not quite a backup`(
    flaw: Flaw
  ) throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    var mine = try #require(site.scratch.bytes("backups/app-1.db"))
    switch flaw {
    case .hasLog: try site.scratch.write("a log", to: "backups/app-1.db-wal")
    case .isLonger: mine.append(Data(count: 5000))
    case .isShorter: mine.removeLast(4000)
    case .otherVersion: mine[60] ^= 0x80
    case .noFirstSector: mine.replaceSubrange(..<512, with: Data(count: 512))
    }
    try site.scratch.write(mine, to: "backups/app-1.db")
    try site.scratch.removeAll("data")

    try upgrader(site, target: 1).upgrade()

    #expect(site.scratch.bytes("backups/app-1-replaced.db") == mine)
  }

  /// With another name instead of its own, it would lose its log.
  @Test(.tags(.promise14))
  func `of a lost database must have no log if there are no hard links`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    try site.scratch.write("a log", to: "backups/app-1.db-wal")
    try site.scratch.removeAll("data")

    let outcome = try site.boot(
      target: 1, ["--backup", site.scratch("backups")], rules: "fail 1 call link on")

    #expect(outcome.output.hasPrefix("backup\n"))
    #expect(site.scratch.names("data") == [])
    #expect(site.scratch.names("backups") == ["app-1.db", "app-1.db-wal"])
  }

  /// A link to the backup leads to the next backup later.
  @Test(.tags(.promise14)) func `of a lost database gets a name that is no link`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try upgrader(site, target: 2).upgrade()
    let mine = site.scratch.bytes("backups/app-1.db")
    try #require(symlink("app-1.db", site.scratch("backups/app-1-replaced.db")) == 0)
    try #require(symlink("elsewhere", site.scratch("backups/app-2.db")) == 0)
    try site.scratch.removeAll("data")

    try upgrader(site, target: 1).upgrade()

    #expect(site.scratch.bytes("backups/app-1-replaced_2.db") == mine)
    #expect(!site.scratch.names("backups").contains("app-2-replaced.db"))
  }

  /// Without a seed, the same scripts make the new database.
  @Test(.tags(.promise14, .promise5), arguments: 1...4)
  func `of a database that is emptied before the first script keeps a name`(call: Int) throws {
    let site = try Site(seed: nil, scripts: ["1_one.sql": Site.seed, "2_two.sql": Site.script(2)])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    for target in [1, 2] as [Version] {
      try site.upgrader(target: target, options: options).upgrade()
    }
    let mine = try #require(site.scratch.bytes("backups/app-1.db"))
    try site.ship("3_three.sql", Site.script(3))
    let writer = try site.hold(
      "BEGIN IMMEDIATE;", end: "DROP TABLE item; PRAGMA user_version = 0; COMMIT;")
    var calls = 0

    let upgrade = try site.upgrader(options: options).upgrade(isCancelled: {
      calls += 1
      if calls == call {
        #expect(throws: Never.self) {
          try site.letGo()
          _ = try writer.wait()
        }
      }
      return false
    })

    #expect(upgrade.start == .existing(0) && upgrade.applied.map(\.version) == [1, 2, 3])
    #expect(site.scratch.bytes("backups/app-1-replaced.db") == mine)
  }

  /// A script waits because a program has the database open.
  @Test(.tags(.promise14, .promise5))
  func `of a database that is emptied while a script waits keeps a name`() throws {
    let site = try Site(
      seed: nil,
      scripts: [
        "1_one.sql": Site.seed,
        "2_two.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;",
      ])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    try site.upgrader(target: 1, options: options).upgrade()
    try site.place("PRAGMA journal_mode = WAL; INSERT INTO item VALUES (7, 'mine');")
    let mine = try Shell.dump(site.database)
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    var hasWaited = false

    let upgrade = try site.upgrader(target: 2, options: options).upgrade { event in
      guard case .waiting = event, !hasWaited else { return }
      hasWaited = true
      #expect(throws: Never.self) {
        try Shell.run(site.database, "DROP TABLE item; PRAGMA user_version = 0;")
        try site.letGo()
        _ = try service.wait()
      }
    }

    #expect(hasWaited)
    #expect(upgrade.start == .existing(0) && upgrade.applied.map(\.version) == [1, 2])
    #expect(try Shell.dump(site.scratch("backups/app-1-replaced.db")) == mine)
  }
}
