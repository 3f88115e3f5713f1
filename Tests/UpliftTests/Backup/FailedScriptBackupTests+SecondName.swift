import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// The second name of the backup, if the script meets other processes or a disk that fails.
extension FailedScriptBackupTests {
  /// SQLite counts no commit if the directory cannot be synced.
  @Test(.tags(.O4, .promise14), arguments: 1...12)
  func `leaves a second name if the disk fails after a change`(sync: Int) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])

    _ = try site.boot(
      target: 2, ["--backup", site.scratch("backups")], rules: "fail 5 call fdatasync at \(sync)")

    if try Shell.run(site.database, "SELECT count(*) FROM item;") == "0" {
      #expect(site.scratch.names("backups").contains("app-1-earlier.db"))
    }
  }

  /// SQLite does not count what the trigger has changed.
  @Test(.tags(.O4, .promise14)) func `stays if a trigger fails after a change`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nINSERT INTO log VALUES (1);"
    ])
    try Shell.run(
      site.database,
      """
      CREATE TABLE log(a);
      CREATE TRIGGER fails BEFORE INSERT ON log
        BEGIN DELETE FROM item; SELECT RAISE(FAIL, 'no'); END;
      """)

    try fail(site, 2)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "0")
    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "2")
  }

  /// The boot that "stayed busy" is started again, and then the script fails.
  @Test(.tags(.O4, .promise14), arguments: ["delete", "wal"])
  func `goes if the database stays busy before a change`(mode: String) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try Shell.run(site.database, "PRAGMA journal_mode = \(mode);")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    options.patience = .milliseconds(200)
    let other = try Connection(
      path: site.database, access: .readWrite,
      deadline: Deadline(patience: .seconds(10), isCancelled: { false }))
    var error: UpgradeError?

    do {
      try site.upgrader(target: 2, options: options).upgrade { event in
        guard case .started = event else { return }
        try? other.run(mode == "wal" ? "BEGIN IMMEDIATE" : "BEGIN")
        _ = try? other.text("SELECT count(*) FROM item")
      }
    } catch let thrown {
      error = thrown
    }

    #expect(error == .busy(path: site.database, reached: 1))
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  /// Each attempt to run the script finds that a service has the database open.
  @Test(.tags(.O4, .promise14), arguments: [true, false])
  func `goes after a wait if no attempt has changed anything`(isFirst: Bool) throws {
    let change = "DELETE FROM item WHERE id > 0;"
    let wait = "PRAGMA journal_mode = DELETE;"
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\n" + (isFirst ? wait + change : change + wait)
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    options.patience = .milliseconds(500)

    #expect(throws: UpgradeError.busy(path: site.database, reached: 1)) {
      try site.upgrader(target: 2, options: options).upgrade()
    }

    try site.letGo()
    _ = try service.wait()
    let earlier = isFirst ? [] : ["app-1-earlier.db"]
    #expect(site.scratch.names("backups") == earlier + ["app-1.db"])
  }

  /// The directory of the backups cannot be synced, or the database not be opened again.
  @Test(.tags(.O4, .promise14), arguments: [("fsync", "backups"), ("open", "data/app.db")])
  func `goes if the script cannot begin`(call: String, path: String) throws {
    let scripts = ["2_two.sql": Site.script(2), "3_three.sql": Self.failing]
    let first = try siteInUse(scripts)
    _ = try first.boot(target: 3, ["--backup", first.scratch("backups")])
    let calls = first.calls()
    let named = try #require(
      calls.lastIndex { $0.name == "link" && $0.other == "backups/app-2-earlier.db" })
    let failing = try #require(
      calls[named...].firstIndex { $0.name == call && $0.path == path })
    let number = calls[...failing].count { $0.name == call && $0.path == path }
    let site = try siteInUse(scripts)

    let outcome = try site.boot(
      target: 3, ["--backup", site.scratch("backups")],
      rules: "fail 13 call \(call) path \(path) at \(number)")

    #expect(outcome.status != 0)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "3")
    #expect(site.scratch.names("backups").contains("app-2.db"))
    #expect(!site.scratch.names("backups").contains("app-2-earlier.db"))
  }

  /// The script waits because a program has the database open.
  ///
  /// A restore removes the second name meanwhile.
  @Test(.tags(.O4, .promise14)) func `gets its second name again after a wait`() throws {
    let site = try siteInUse([
      "2_two.sql": """
      -- uplift: no-transaction
      DELETE FROM item; PRAGMA journal_mode = DELETE; SELECT nope;
      """
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    let earlier = "backups/app-1-earlier.db"
    var hasWaited = false

    #expect(throws: UpgradeError.self) {
      try upgrader(site).upgrade { event in
        guard case .waiting = event, !hasWaited, site.scratch.bytes(earlier) != nil else { return }
        hasWaited = (try? site.scratch.remove(earlier)) != nil
        try? site.letGo()
        _ = try? service.wait()
      }
    }

    #expect(hasWaited)
    #expect(try Shell.run(site.scratch(earlier), "SELECT count(*) FROM item;") == "2")
  }

  /// A restore sets the database back while a script waits, so the scripts run again.
  @Test(.tags(.O4, .promise14))
  func `there is a backup of rows that were written after a restore`() throws {
    let site = try siteInUse([
      "2_two.sql": "DELETE FROM item;",
      "3_three.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;",
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    var hasWaited = false

    try upgrader(site, target: 3).upgrade { event in
      guard case .waiting = event, !hasWaited else { return }
      hasWaited = true
      #expect(throws: Never.self) {
        try Shell.run(
          site.database, Site.seed.split(separator: "\n").dropFirst().joined(separator: "\n"))
        try site.letGo()
        _ = try service.wait()
      }
    }

    #expect(hasWaited)
    #expect(try Shell.run(site.scratch("backups/app-1.db"), "SELECT name FROM item;") == "seeded")
  }

  /// Somebody has changed the backup in WAL mode, and was killed.
  @Test(.tags(.O4, .promise14)) func `a restore leaves a second name beside a log alone`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    try fail(site, 2)
    try site.scratch.write("", to: "backups/app-0.db")
    try Shell.run(site.scratch("backups/app-0.db"), "CREATE TABLE zero(a);")
    try site.scratch.write("a log", to: "backups/app-1.db-wal")

    _ = try site.restore(to: 0)

    #expect(site.scratch.names("backups").contains("app-1.db"))
    #expect(site.scratch.names("backups").contains("app-1-replaced.db"))
  }

  /// Between the two locks of the upgrade.
  @Test(.tags(.O4, .promise14), arguments: 1...4)
  func `no backup of an emptied database replaces that of the rows`(call: Int) throws {
    let site = try Site(
      seed: nil, scripts: ["1_one.sql": "-- uplift: no-transaction\nSELECT nope;"])
    try site.place("CREATE TABLE item(id INTEGER PRIMARY KEY); INSERT INTO item VALUES(1);")
    let backup = ["--backup", site.scratch("backups")]
    _ = try site.boot(target: 1, backup)
    let mine = try #require(site.scratch.bytes("backups/app-0.db"))

    let boot = try site.start(
      target: 1, backup, rules: "delay 400 call open path /data at \(call)")
    usleep(200_000)
    try Shell.run(site.database, "DROP TABLE item;")
    _ = try boot.wait()

    let kept = site.scratch.names("backups").map { site.scratch.bytes("backups/" + $0) }
    #expect(kept.contains(mine))
  }

  /// Only this file has the rows that the failed script has deleted.
  @Test(.tags(.O4, .promise14))
  func `leads to a file that stays after a restore of an older backup`() throws {
    let site = try siteInUse([
      "2_two.sql": "CREATE TABLE two(a);", "3_three.sql": Self.failing,
    ])
    try fail(site, 1)
    let rows = try #require(site.scratch.bytes("backups/app-2-earlier.db"))

    _ = try site.restore(to: 1)
    try site.ship("3_three.sql", "CREATE TABLE three(a);")
    try upgrader(site, target: 2).upgrade()
    try upgrader(site, target: 3).upgrade()

    #expect(site.scratch.names("backups").contains("app-2.db"))
    let kept = site.scratch.names("backups").filter { $0.contains("-replaced") }
    #expect(kept.contains { site.scratch.bytes("backups/" + $0) == rows })
    #expect(!site.scratch.names("backups").contains("app-2-earlier.db"))
  }

  @Test(.tags(.O4, .promise14), arguments: [0, 1] as [Version])
  func `stays if a log is beside it`(restored: Version) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 1)
    try site.scratch.write("", to: "backups/app-0.db")
    try Shell.run(site.scratch("backups/app-0.db"), "CREATE TABLE zero(a);")
    try site.scratch.write("a log", to: "backups/app-1-earlier.db-wal")

    _ = try site.restore(to: restored)

    #expect(site.scratch.names("backups").contains("app-1-earlier.db"))
    try site.scratch.remove("data/app.db")
    try upgrader(site, target: 1).upgrade()
    #expect(site.scratch.names("backups").contains("app-1-earlier.db"))
  }
}
