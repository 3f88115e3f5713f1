import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift

/// A copy of the database before the first step.
struct BackupTests {
  private func upgrader(
    _ site: Site, target: Version? = 3, keep: Int = 2, database: String? = nil
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"), keep: keep)
    return Upgrader(
      database: database ?? site.database, seed: .file(site.seed),
      migrations: .directory(site.scripts), target: target, options: options)
  }

  private func siteInUse(_ scripts: [String: String]? = nil) throws -> Site {
    let site = try scripts.map { try Site(scripts: $0) } ?? Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  @Test(.tags(.promise14), arguments: ["DELETE", "WAL", "PERSIST"])
  func `holds what the database held before the first step`(journal: String) throws {
    let site = try siteInUse()
    try site.place("PRAGMA journal_mode = \(journal); INSERT INTO item VALUES (8, 'also');")
    let before = try Shell.dump(site.database)
    var copied: [String] = []

    let upgrade = try upgrader(site).upgrade { event in
      if case .backedUp(let backup) = event { copied.append(backup.path) }
    }

    let backup = site.backup("0001-v1")
    #expect(upgrade.backup == backup && copied == [backup])
    #expect(site.backups() == ["app-0001-v1.db"])
    #expect(try Shell.dump(backup) == before)
    #expect(try Shell.version(backup) == 1)
    #expect(try Shell.run(backup, "PRAGMA integrity_check;") == "ok")
  }

  /// The log of a killed service has rows that the file lacks.
  @Test(.tags(.promise14, .F19)) func `holds what is only in the log`() throws {
    let site = try Site.killed(version: 1, "INSERT INTO item VALUES (7, 'mine');")

    try upgrader(site).upgrade()

    let names = try Shell.run(site.backup("0001-v1"), "SELECT name FROM item ORDER BY id;")
    #expect(names == "seeded\nmine")
  }

  @Test(.tags(.O10, .promise14), arguments: ["DELETE", "WAL"])
  func `is made while nobody can write`(journal: String) throws {
    let site = try siteInUse()
    try site.place("PRAGMA journal_mode = \(journal);")
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

  /// The lock is free for a moment before the scripts of a group run again, one by one.
  @Test(.tags(.O10, .promise14))
  func `is made again if another program writes before the scripts run again`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": "SELECT nope;"])
    let connections = Mutex(0)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ) { _ in
      let count = connections.withLock { count in
        count += 1
        return count
      }
      if count == 2 { try Shell.run(site.database, "INSERT INTO item VALUES (8, 'late');") }
    }

    #expect(throws: UpgradeError.self) { try upgrader.upgrade() }

    #expect(site.backups() == ["app-0001-v1.db", "app-0002-v1.db"])
    let rows = try ["0001-v1", "0002-v1"].map {
      try Shell.run(site.backup($0), "SELECT max(name) FROM item WHERE id > 7;")
    }
    #expect(rows == ["", "late"])
  }

  @Test func `is not made if there is nothing to go back to`() throws {
    let new = try Site()
    let empty = try Site(seed: nil, scripts: ["1_one.sql": "CREATE TABLE one(a);"])
    try empty.place("PRAGMA journal_mode = wal; VACUUM;")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: empty.scratch("backups"))

    let first = try upgrader(new).upgrade()
    let second = try upgrader(new).upgrade()
    let third = try Upgrader(
      database: empty.database, migrations: .directory(empty.scripts), options: options
    ).upgrade()

    #expect(first.start == .seeded(1) && second.start == .existing(3) && third.end == 1)
    #expect([first.backup, second.backup, third.backup] == [nil, nil, nil])
    for site in [new, empty] { #expect(!site.scratch.names().contains("backups")) }
  }

  @Test func `is made before a step in Swift, and before one without a transaction`() throws {
    let site = try siteInUse([:])
    let alone = try siteInUse(["2_two.sql": "-- uplift: no-transaction\nVACUUM;"])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))

    try Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: [.code(2, "two") { database in try database.execute("DELETE FROM item") }],
      options: options
    ).upgrade()
    try upgrader(alone, target: 2).upgrade()

    for site in [site, alone] {
      let names = try Shell.run(site.backup("0001-v1"), "SELECT name FROM item ORDER BY id;")
      #expect(names == "seeded\nmine")
    }
    #expect(try site.names() == [])
  }

  /// The counter is compared as a number.
  @Test(.tags(.O5, .promise14)) func `has a name that no file had, and replaces none`() throws {
    let site = try siteInUse()
    try site.scratch.write("damaged", to: "backups/app-\(site.hash)-9999-v1.db")
    try site.scratch.write("", to: "backups/app-\(site.hash)-10000-v3.db/keep")
    try site.scratch.write("no backup", to: "backups/app-\(site.hash)-010001-v1.db")

    let upgrade = try upgrader(site, keep: 9).upgrade()

    #expect(upgrade.backup == site.backup("10001-v1"))
    #expect(
      site.backups() == [
        "app-010001-v1.db", "app-10000-v3.db", "app-10001-v1.db", "app-9999-v1.db",
      ])
    #expect(site.scratch.bytes("backups/app-\(site.hash)-9999-v1.db") == Data("damaged".utf8))
  }

  @Test(.tags(.O5, .promise14)) func `has the hash of the path, so two databases do not meet`()
    throws
  {
    let site = try siteInUse()
    let other = try site.scratch.write("", to: "other/app.db")
    try Shell.run(other, Site.seed + "INSERT INTO item VALUES (8, 'theirs');")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("link"), withDestinationPath: "data")
    let sum = try Command("/bin/sh").run("-c", "printf %s '\(site.database)' | sha256sum")

    try upgrader(site, target: 2, keep: 1, database: site.scratch("link/app.db")).upgrade()
    try upgrader(site, target: 3, keep: 1, database: other).upgrade()

    #expect(sum.output.hasPrefix(site.hash))
    let names = site.scratch.names("backups")
    #expect(names.count == 2 && names.contains("app-\(site.hash)-0001-v1.db"))
    for name in names {
      let row = try Shell.run(site.scratch("backups/" + name), "SELECT max(name) FROM item;")
      #expect(row == (name.contains(site.hash) ? "seeded" : "theirs"))
    }
  }

  @Test(.tags(.O2, .promise14)) func `stays as the first and the newest of its version`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": "SELECT nope;"])
    for id in 10..<15 {
      try site.place("INSERT INTO item(name) VALUES ('row \(id)');")
      let error = #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
      #expect(error?.kind == .failed)
    }

    #expect(site.backups() == ["app-0001-v1.db", "app-0002-v2.db", "app-0005-v2.db"])
    let rows = try ["0002-v2", "0005-v2"].map {
      try Shell.run(site.backup($0), "SELECT max(name) FROM item WHERE name LIKE 'row %';")
    }
    #expect(rows == ["row 11", "row 14"])
  }

  @Test(.tags(.O4)) func `is pruned after success only, and never the one just made`() throws {
    let site = try siteInUse(["2_two.sql": "SELECT nope;"])
    let others = [
      "app-00000000-0001-v1.db", "app-1.db", "app-x.db", "app-\(site.hash)-0001-v0.txt",
    ]
    for name in others { try site.scratch.write("", to: "backups/" + name) }
    for version in 4...6 { try site.placeBackup("000\(version)-v\(version)", "VACUUM;") }
    try site.placeBackup("0002-v5-replaced", "VACUUM;")
    let before = Set(site.scratch.names("backups"))

    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    let afterFailure = Set(site.scratch.names("backups"))
    try site.ship("2_two.sql", Site.script(2))
    try upgrader(site, target: 2).upgrade()

    #expect(afterFailure.subtracting(before).count == 1 && afterFailure.isSuperset(of: before))
    #expect(
      Set(site.backups()).subtracting(["app-0001-v0.txt"] + others)
        == ["app-0002-v5-replaced.db", "app-0007-v1.db", "app-0008-v1.db"])
    #expect(Set(site.scratch.names("backups")).isSuperset(of: others))
  }

  @Test(.tags(.O4), arguments: [0, 1, 3]) func `stays with as many as are to be kept`(keep: Int)
    throws
  {
    let site = try siteInUse()
    for number in 1...4 { try site.placeBackup("000\(number)-v0", "VACUUM;") }

    try upgrader(site, keep: keep).upgrade()

    let all = ["app-0003-v0.db", "app-0004-v0.db", "app-0005-v1.db"]
    #expect(site.backups() == Array(all.suffix(max(keep, 1))))
  }

  @Test(.tags(.O4, .promise14)) func `stays if another boot makes a later one meanwhile`() throws {
    let site = try siteInUse()

    try upgrader(site, keep: 1).upgrade { event in
      guard case .backedUp = event else { return }
      #expect(throws: Never.self) { try site.placeBackup("0002-v1", "VACUUM;") }
    }

    #expect(site.backups() == ["app-0001-v1.db", "app-0002-v1.db"])
  }

  @Test(.tags(.O3)) func `removes what a killed boot has left of this database`() throws {
    let site = try siteInUse()
    let torso = ".\(site.hash)-app.db.ghjkmnpqrstvwxyz.uplift"
    let others = [".00000000-app.db.ghjkmnpqrstvwxyz.uplift", ".app.db.uplift"]
    for name in others + [torso] { try site.scratch.write("half", to: "backups/" + name) }

    try upgrader(site).upgrade()

    #expect(
      site.scratch.names("backups").filter { $0.hasPrefix(".") }.sorted() == others.sorted())
    #expect(site.backups().last == "app-0001-v1.db")
  }

  @Test(.tags(.promise5, .promise14, .O5)) func `is whole, however many boot at once`() throws {
    let site = try siteInUse()

    let boots = try site.race(6, ["--backup", site.scratch("backups")])

    #expect(boots.allSatisfy { $0.status == 0 }, "\(boots)")
    let names = site.scratch.names("backups")
    #expect(!names.isEmpty && names.allSatisfy { !$0.hasPrefix(".") })
    for name in names {
      let version = try Shell.version(site.scratch("backups/" + name))
      #expect(name.hasSuffix("-v\(version).db"))
    }
    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "4")
  }
}
