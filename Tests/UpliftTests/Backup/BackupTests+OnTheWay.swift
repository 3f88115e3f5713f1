import Foundation
import TestSupport
import Testing
import Uplift

/// The backup before a script without a transaction, whose changes are not undone if it fails.
extension BackupTests {
  @Test(.tags(.O12)) func `is made before a script without a transaction`() throws {
    let alone = "-- uplift: no-transaction\nINSERT INTO item(name) VALUES ('alone');"
    let site = try siteInUse(["2_alone.sql": alone, "3_three.sql": Site.script(3)])

    try upgrader(site).upgrade()

    #expect(try site.names() == ["seeded", "mine", "alone", "script 3"])
    #expect(site.scratch.names("backups") == ["app-1.db"])
    #expect(
      try Shell.run(site.scratch("backups/app-1.db"), "SELECT name FROM item ORDER BY id;")
        == "seeded\nmine")
  }

  /// The first boot fails in the script without a transaction, after another one was committed.
  @Test(.tags(.O4, .O12, .promise14))
  func `is made again before a script without a transaction that is not the first`() throws {
    let half = "-- uplift: no-transaction\nUPDATE item SET name = 'half'; SELECT nope;"
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": half])
    let names = "SELECT group_concat(name) FROM item;"
    for _ in 1...3 {
      #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    }

    #expect(site.scratch.names("backups") == ["app-1.db", "app-2-earlier.db", "app-2.db"])
    #expect(
      try Shell.run(site.scratch("backups/app-2-earlier.db"), names) == "seeded,mine,script 2")
    #expect(try Shell.run(site.scratch("backups/app-2.db"), names) == "half,half,half")

    try site.ship("3_three.sql", half.replacing("SELECT nope;", with: ""))
    try upgrader(site, keep: 1).upgrade()
    #expect(
      try Shell.run(site.scratch("backups/app-2-earlier.db"), names) == "seeded,mine,script 2")
  }

  @Test(.tags(.O4, .O12)) func `is removed after success if it was made on the way`() throws {
    let alone = "-- uplift: no-transaction\nINSERT INTO item(name) VALUES ('alone');"
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_alone.sql": alone, "4_four.sql": Site.script(4),
      "5_alone.sql": alone,
    ])
    let old = try site.scratch.write("", to: "backups/app-2.db")
    try Shell.run(
      old, "CREATE TABLE old(a); INSERT INTO old VALUES ('old'); PRAGMA user_version = 2;")
    var made: [Version] = []

    let upgrade = try upgrader(site, target: 5).upgrade { event in
      if case .backedUp(let backup) = event { made.append(backup.version) }
    }

    #expect(made == [1, 2, 4])
    #expect(upgrade.backup == site.scratch("backups/app-1.db"))
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
    #expect(try Shell.run(site.scratch("backups/app-2.db"), "SELECT * FROM old;") == "old")
  }

  @Test(.tags(.O4, .promise14))
  func `leaves the old one its name if the copy cannot get it`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_alone.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    let old = try site.scratch.write("", to: "backups/app-2.db")
    try Shell.run(old, "CREATE TABLE old(a); PRAGMA user_version = 2;")

    let outcome = try site.boot(
      target: 3, ["--backup", site.scratch("backups")],
      rules: "fail 5 call rename path app-2.db.uplift-part")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
    #expect(try Shell.run(old, "SELECT name FROM sqlite_master;") == "old")
  }

  /// If it cannot be read for the moment, nobody knows that it is a backup.
  @Test(.tags(.O4, .promise14)) func `leaves a file of its name, whatever that is`() throws {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_alone.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    try site.scratch.write("notes", to: "backups/app-2.db")

    try upgrader(site).upgrade()

    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
    #expect(site.scratch.bytes("backups/app-2.db") == Data("notes".utf8))
  }

  /// Without room for the copy, for example.
  @Test(.tags(.O1, .O4)) func `leaves the old one its name if it cannot be made on the way`() throws
  {
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_alone.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    let old = try site.scratch.write("", to: "backups/app-2.db")
    try Shell.run(old, "CREATE TABLE old(a); PRAGMA user_version = 2;")
    try site.scratch.write("", to: "backups/app-2.db.uplift-part/file")

    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db", "app-2.db.uplift-part"])
    #expect(try Shell.run(old, "SELECT name FROM sqlite_master;") == "old")
  }

  @Test(.tags(.O4, .O12)) func `is removed when the script that needed it has succeeded`() throws {
    let alone = "-- uplift: no-transaction\nINSERT INTO item(name) VALUES ('alone');"
    let site = try siteInUse([
      "2_two.sql": Site.script(2), "3_alone.sql": alone, "4_four.sql": Site.script(4),
      "5_nope.sql": alone + "SELECT nope;",
    ])

    #expect(throws: UpgradeError.self) { try upgrader(site, target: 5).upgrade() }

    #expect(site.scratch.names("backups") == ["app-1.db", "app-4-earlier.db", "app-4.db"])
    try site.ship("5_nope.sql", alone)
    try upgrader(site, target: 5).upgrade()
    #expect(site.scratch.names("backups").contains("app-1.db"))
  }

  /// The script begins, and must wait until it has the database to itself.
  @Test(.tags(.O12, .promise14))
  func `has no change of a script without a transaction that had to begin again`() throws {
    let site = try siteInUse([
      "2_log.sql": """
      -- uplift: no-transaction
      UPDATE item SET name = 'changed';
      PRAGMA journal_mode = delete;
      """
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = wal;")
    let reader = try Command("/usr/bin/sqlite3").start(
      [site.database],
      input: "BEGIN;\nSELECT count(*) FROM item;\n.shell touch held; sleep 2\nCOMMIT;\n",
      in: site.scratch.path)
    try waitUntil { site.scratch.bytes("held") != nil }
    var made = 0

    try upgrader(site, target: 2).upgrade { event in
      if case .backedUp = event { made += 1 }
    }

    _ = try reader.wait()
    #expect(made == 1)
    #expect(site.scratch.names("backups") == ["app-1.db"])
    #expect(
      try Shell.run(site.scratch("backups/app-1.db"), "SELECT group_concat(name) FROM item;")
        == "seeded,mine")
    #expect(try site.names() == ["changed", "changed"])
  }
}
