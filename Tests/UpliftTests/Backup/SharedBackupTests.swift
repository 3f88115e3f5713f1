import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// Backups that several boots, or other users, have their hands in.
struct SharedBackupTests {
  func upgrader(_ site: Site, target: Version, keep: Int = 2) -> Upgrader {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"), keep: keep)
    return Upgrader(
      database: site.database, migrations: .directory(site.scripts), target: target,
      options: options)
  }

  func siteInUse(_ scripts: [String: String]) throws -> Site {
    let site = try Site(scripts: scripts)
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  /// Upgrades a database that must leave WAL mode, while a service has it open.
  ///
  /// As soon as the upgrade waits for that, the service closes the database, and another boot runs,
  /// or `meanwhile`.
  private func upgrade(
    _ site: Site, target: Version, keep: Int = 2, meanwhile: (() throws -> Void)? = nil
  ) throws -> (another: Outcome?, error: UpgradeError?) {
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    var service: Connection? = try Connection(
      path: site.database, access: .readWrite,
      deadline: Deadline(patience: .seconds(10), isCancelled: { false }))
    _ = try service?.text("SELECT count(*) FROM item")
    var another: Outcome?
    do {
      try upgrader(site, target: target, keep: keep).upgrade { event in
        guard case .waiting = event, service != nil else { return }
        service = nil
        #expect(throws: Never.self) {
          if let meanwhile { return try meanwhile() }
          another = try Command.product("uplift").run(
            "up", "--database", site.database, "--migrations", site.scripts,
            "--target", target.description, "--backup", site.scratch("backups"),
            "--keep", "\(keep)")
        }
      }
      return (another, nil)
    } catch {
      return (another, error)
    }
  }

  @Test(.tags(.O4, .promise14)) func `keep what another boot's failed script has deleted`() throws {
    let site = try siteInUse([
      "2_two.sql": """
      -- uplift: no-transaction
      PRAGMA journal_mode = DELETE;
      DELETE FROM item;
      SELECT nope;
      """
    ])

    let outcome = try upgrade(site, target: 2)
    // At the next start, the database has lost its rows.
    #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }

    #expect(outcome.another?.status == 1 && outcome.error != nil)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "0")
    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "2")
  }

  @Test(.tags(.O4, .promise14), arguments: [false, true])
  func `stay if another boot has made them`(hasOld: Bool) throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2),
      "3_three.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;",
    ])
    if hasOld {
      try site.scratch.write("", to: "backups/app-2.db")
      try Shell.run(
        site.scratch("backups/app-2.db"), "PRAGMA user_version = 2; CREATE TABLE old(a);")
    }

    let outcome = try upgrade(site, target: 3, keep: 1)

    #expect(outcome.another?.status == 0 && outcome.error == nil)
    let backup = site.scratch("backups/app-2.db")
    #expect(try Shell.run(backup, "SELECT group_concat(name) FROM item;") == "seeded,mine,script 2")
  }

  /// The first boot has made its own backup before, and runs the script afterwards.
  @Test(.tags(.O4, .promise14)) func `stay if another boot has replaced them`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2),
      "3_three.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;",
    ])
    let backup = site.scratch("backups/app-2.db")

    let outcome = try upgrade(site, target: 3) {
      try Shell.run(site.scratch("another"), "CREATE TABLE another(a);")
      #expect(rename(site.scratch("another"), backup) == 0)
    }

    #expect(outcome.error == nil)
    #expect(try Shell.run(backup, "SELECT name FROM sqlite_master;") == "another")
  }

  /// A restore may have passed over the script, and then its first attempt may have deleted rows.
  @Test(.tags(.O4, .promise14)) func `stay if the script is passed over`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2),
      "3_three.sql": "-- uplift: no-transaction\nDELETE FROM item;\nPRAGMA journal_mode = DELETE;",
      "4_four.sql": Site.script(4),
    ])

    let outcome = try upgrade(site, target: 4) {
      try Shell.run(site.database, "PRAGMA user_version = 3;")
    }

    #expect(outcome.error == nil)
    let backup = site.scratch("backups/app-2.db")
    #expect(try Shell.run(backup, "SELECT group_concat(name) FROM item;") == "seeded,mine,script 2")
  }

  /// It comes between two scripts of the first one, and so makes a backup of its own.
  @Test(.tags(.O4, .promise14)) func `stay if another boot ends the upgrade`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_three.sql": Site.script(3), "4_four.sql": Site.script(4),
    ])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"), keep: 1)
    options.commitInterval = .zero
    var another: Outcome?

    let upgrade = try Upgrader(
      database: site.database, migrations: .directory(site.scripts), target: 4, options: options
    ).upgrade { event in
      guard case .committed(let step) = event, step.version == 2 else { return }
      #expect(throws: Never.self) {
        another = try Command.product("uplift").run(
          "up", "--database", site.database, "--migrations", site.scripts,
          "--backup", site.scratch("backups"), "--keep", "1")
      }
    }

    #expect(another?.status == 0)
    #expect(upgrade.backup == site.scratch("backups/app-1.db"))
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
    // The next upgrade needs them no more.
    try site.ship("5_five.sql", Site.script(5))
    letFilesAge()
    try upgrader(site, target: 5, keep: 1).upgrade()
    #expect(site.scratch.names("backups") == ["app-4.db"])
  }

  /// It has made its backup later, and is not at its end when this one is.
  @Test(.tags(.O4, .promise14)) func `stay if another boot has made them meanwhile`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_three.sql": Site.script(3), "4_four.sql": Site.script(4),
    ])
    try site.scratch.write("", to: "backups/app-7.db")
    try Shell.run(
      site.scratch("backups/app-7.db"), "CREATE TABLE item(id, name); PRAGMA user_version = 7;")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"), keep: 1)
    options.commitInterval = .zero
    let upgrader = Upgrader(
      database: site.database, migrations: .directory(site.scripts), target: 4, options: options)
    let (isBetween, mayEnd, hasEnded) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let another = Thread {
      #expect(throws: Never.self) {
        try upgrader.upgrade { event in
          guard case .committed(let step) = event, step.version == 3 else { return }
          isBetween.signal()
          mayEnd.wait()
        }
      }
      hasEnded.signal()
    }

    try upgrader.upgrade { event in
      guard case .committed(let step) = event, step.version == 2 else { return }
      another.start()
      isBetween.wait()
    }
    let names = site.scratch.names("backups")
    mayEnd.signal()
    hasEnded.wait()

    #expect(names == ["app-1.db", "app-2.db", "app-7.db"])
  }

  /// A script has deleted rows, and waits; another boot makes a backup without them.
  ///
  /// Then a restore brings the database to the target.
  @Test(.tags(.O4, .promise14)) func `stay if a restore reaches the target`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item;\nPRAGMA journal_mode = DELETE;"
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    try site.scratch.write("", to: "backups/app-2.db")
    try Shell.run(
      site.scratch("backups/app-2.db"),
      "PRAGMA journal_mode = WAL; CREATE TABLE item(id, name); PRAGMA user_version = 2;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    let backups = site.scratch("backups")
    var outcomes: [Int32] = []

    try upgrader(site, target: 2).upgrade { event in
      guard case .waiting = event, outcomes.isEmpty else { return }
      #expect(throws: Never.self) {
        let boot = try Command.product("uplift").run(
          "up", "--database", site.database, "--migrations", site.scripts, "--backup", backups,
          "--wait", "0")
        let restore = try Command.product("uplift").run(
          "restore", "--database", site.database, "--backup", backups, "--to", "2")
        outcomes = [boot.status, restore.status]
        try site.letGo()
        _ = try service.wait()
      }
    }

    #expect(outcomes == [75, 0])
    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT group_concat(name) FROM item;") == "seeded,mine")
  }

  /// Replaces a backup while the boot, which has reached a version, is about to remove it.
  private func replace(
    _ backup: String, of site: Site, as boot: Running, reaches version: String
  ) throws {
    try waitUntil {
      (try? Shell.run(site.database, "PRAGMA user_version;")) == version || !boot.isRunning
    }
    try site.scratch.write("another", to: "another")
    usleep(100_000)
    #expect(rename(site.scratch("another"), site.scratch("backups/\(backup)")) == 0)
    _ = try boot.wait()
  }

  /// The boot is about to remove its copy of version 2, and another boot replaces the copy.
  @Test(.tags(.O4, .promise14)) func `stay if they are made in the last moment`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_three.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    let boot = try site.start(
      ["--backup", site.scratch("backups")], rules: "delay 2000 call renameat2 path app-2.db")

    try replace("app-2.db", of: site, as: boot, reaches: "3")

    #expect(site.scratch.bytes("backups/app-2.db") == Data("another".utf8))
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
  }

  /// The boot is about to delete an old backup, and a restore and another boot replace that.
  @Test(.tags(.O4, .promise14)) func `stay if they replace an old one in the last moment`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_three.sql": Site.script(3), "4_four.sql": Site.script(4),
    ])
    for version: Version in [2, 3] { try upgrader(site, target: version).upgrade() }
    letFilesAge()
    let boot = try site.start(
      target: 4, ["--backup", site.scratch("backups")],
      rules: "delay 2000 call renameat2 path app-1.db; delay 2000 call unlink path app-1.db")

    try replace("app-1.db", of: site, as: boot, reaches: "4")

    #expect(site.scratch.bytes("backups/app-1.db") == Data("another".utf8))
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db", "app-3.db"])
  }

  @Test(.tags(.O4, .promise14)) func `are not counted if they are gone`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)])
    try upgrader(site, target: 2).upgrade()
    letFilesAge()

    try upgrader(site, target: 3, keep: 1).upgrade { event in
      guard case .backedUp(let backup) = event else { return }
      #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: backup.path) }
    }

    #expect(site.scratch.names("backups") == ["app-1.db"])
  }
}
