import Foundation
import TestSupport
import Testing
import Uplift

/// The write-ahead log that a killed service left stays as it is until scripts run.
struct KeptLogTests {
  @Test(.tags(.F19, .promise9)) func `is read by a boot with nothing to do, which leaves it`()
    throws
  {
    let site = try Site.killed()
    let before = try site.databaseAndLog()

    let outcome = try site.boot()

    let changes = site.calls().filter(\.changesSomething).filter { $0.name != "open" }
    #expect(outcome.output == "3 -> 3\n")
    #expect(changes.allSatisfy { $0.path == "data/app.db-shm" })
    #expect(try site.databaseAndLog() == before)
  }

  @Test(.tags(.F19, .promise7, .promise16), arguments: [true, false])
  func `is kept when the database is refused, and by status`(hasSharedMemory: Bool) throws {
    let newer = try Site.killed(version: 9)
    let unversioned = try Site.killed(version: 0)
    let damaged = try Site.killed(
      "PRAGMA writable_schema=on; UPDATE sqlite_master SET sql='nonsense';")
    let looked = try Site.killed(version: 2)

    for site in [newer, unversioned, damaged, looked] {
      if !hasSharedMemory { try site.scratch.remove("data/app.db-shm") }
      let before = try site.databaseAndLog()
      let upgrader = site.upgrader()
      if site.database != looked.database {
        #expect(throws: UpgradeError.self) { try upgrader.upgrade() }
      }
      _ = try? upgrader.status()
      #expect(try site.databaseAndLog() == before)
    }
    #expect(try looked.upgrader().status().version == 2)
  }

  @Test(.tags(.F19, .promise7)) func `is kept when a script meets a damaged page`() throws {
    let site = try Site.killed(version: 2)
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(4096..<8192, with: repeatElement(0xff, count: 4096))
    try site.scratch.write(bytes, to: "data/app.db")
    let before = try site.databaseAndLog()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == .damaged)
    #expect(try site.databaseAndLog() == before)
  }

  @Test(.tags(.F19)) func `is kept when the text of a script is refused`() throws {
    let site = try Site.killed(version: 2)
    try site.scratch.write("SELECT 'open;", to: "resources/scripts/3_three.sql")
    let before = try site.databaseAndLog()

    #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(try site.databaseAndLog() == before)
  }

  /// A script that reads the seed gets a connection of its own, so the first one is closed.
  @Test(.tags(.F19)) func `is kept when a script that reads the seed fails`() throws {
    let site = try Site.killed(version: 2)
    try site.scratch.write(
      "-- uplift: reads-seed\nDELETE FROM item; SELECT nope;", to: "resources/scripts/3_three.sql")
    try Shell.run(site.seed, "PRAGMA user_version = 3;")
    let before = try site.databaseAndLog()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == .failed)
    #expect(try site.databaseAndLog() == before)
  }

  @Test(.tags(.F19, .O7)) func `is kept when a restore is refused`() throws {
    let site = try Site.killed(version: 2)
    try site.placeBackup("0001-v1", "PRAGMA application_id = 7;" + Site.seed)
    let before = try site.databaseAndLog()

    let error = #expect(throws: UpgradeError.self) { try site.restore(to: 1) }

    #expect(error?.kind == .foreign)
    #expect(try site.databaseAndLog() == before)
    #expect(site.backups() == ["app-0001-v1.db"])
  }

  @Test(.tags(.F19, .promise8)) func `is checkpointed and removed when scripts have run`() throws {
    let site = try Site.killed(version: 2)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .existing(2))
    #expect(site.scratch.names("data") == ["app.db"])
    #expect(try site.names() == ["seeded", "script 3"])
  }

  /// The service keeps the database open meanwhile.
  @Test(.tags(.F19, .F21)) func `is read beside the service that writes it`() throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version=2; PRAGMA journal_mode=wal;")
    let service = try site.hold("PRAGMA user_version=3; BEGIN;", seconds: 0.5)
    let before = try site.databaseAndLog()

    let outcome = try site.boot()

    #expect(outcome.output == "3 -> 3\n")
    #expect(try site.databaseAndLog() == before)
    _ = try service.wait()
  }

  /// The file says that the database is current, and the log says that it is not.
  @Test(.tags(.F14, .F19)) func `is not ignored if it cannot be read`() throws {
    let site = try Site.killed()
    try site.scratch.remove("data/app.db-shm")
    for name in ["app.db", "app.db-wal"] { try site.mode("data/" + name, 0o444) }
    try site.mode("data", 0o555)

    let outcome = try site.boot(target: 1, Site.unprivileged)

    #expect(outcome.output.hasPrefix("denied\n"))
  }

  @Test(.tags(.F21, .promise9))
  func `does not stop a boot on a full disk, whether it exists or not`() throws {
    let without = try Site()
    try without.place(Site.seed + "PRAGMA user_version=3; PRAGMA journal_mode=wal;")
    let with = try Site.killed()

    let rules = "room 0;fail 28 call open path -shm on"
    #expect(try without.boot(rules: rules).output == "3 -> 3\n")
    #expect(try with.boot(rules: "room 0").output == "3 -> 3\n")
    #expect(without.scratch.names("data") == ["app.db"])
  }

  /// SQLite may also have written some of these pages into the file, or a part of one.
  @Test(.tags(.F19, .F20), arguments: [nil, 1, 4096, 4097, 40000])
  func `may have the last pages of the database`(missing: Int?) throws {
    let site = try Site.killed(
      version: 2, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")
    if let missing {
      let whole = try Scratch()
      try whole.write(try #require(site.scratch.bytes("data/app.db")), to: "app.db")
      try whole.write(try #require(site.scratch.bytes("data/app.db-wal")), to: "app.db-wal")
      try Shell.run(whole("app.db"), "PRAGMA wal_checkpoint;")
      let written = try #require(whole.bytes("app.db"))
      try site.scratch.write(written.dropLast(missing), to: "data/app.db")
    }

    #expect(try site.upgrader().status().version == 2)
    _ = try site.upgrade()

    #expect(try Shell.run(site.database, "PRAGMA quick_check;") == "ok")
    #expect(try site.names() == ["seeded", "script 3"])
  }

  /// The pages of the script are in the log too, and would fill the disk for ever.
  @Test(.tags(.F19, .F1)) func `is not kept when a script has filled the disk`() throws {
    let site = try Site.killed(version: 2)
    try site.scratch.write(
      "CREATE TABLE big AS SELECT randomblob(9000000) AS bytes;",
      to: "resources/scripts/3_three.sql")

    let outcome = try site.boot(rules: "room 4000000")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(site.scratch.names("data") == ["app.db"])
    #expect(try Shell.version(site.database) == 2)
  }
}
