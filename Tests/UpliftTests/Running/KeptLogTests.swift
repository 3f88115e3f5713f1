import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// The write-ahead log that a killed service left stays as it is until scripts run.
struct KeptLogTests {
  /// A database at version 3.
  ///
  /// Its file says 1, and its log holds the rest.
  private func killed(version: Int = 3, _ sql: String = "") throws -> Site {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let copy = try Scratch()
    let names = ["app.db", "app.db-wal", "app.db-shm"]
    try Shell.run(
      site.database,
      "PRAGMA user_version=\(version);\(sql)\n"
        + names.map { ".shell cp '\(site.scratch("data/" + $0))' '\(copy.path)'" }
        .joined(separator: "\n"))
    for name in names { try site.scratch.write(try #require(copy.bytes(name)), to: "data/" + name) }
    return site
  }

  @Test(.tags(.F19, .promise9)) func `is read by a boot with nothing to do, which leaves it`()
    throws
  {
    let site = try killed()
    let before = try Self.files(site)

    let outcome = try site.boot()

    let changes = site.calls().filter(\.changesSomething).filter { $0.name != "open" }
    #expect(outcome.output == "3 -> 3\n")
    #expect(changes.allSatisfy { $0.path == "data/app.db-shm" })
    #expect(try Self.files(site) == before)
  }

  @Test(.tags(.F19, .promise7, .promise16), arguments: [true, false])
  func `is kept when the database is refused, and by status`(hasSharedMemory: Bool) throws {
    let newer = try killed(version: 9)
    let unversioned = try killed(version: 0)
    let damaged = try killed(
      "PRAGMA writable_schema=on; UPDATE sqlite_master SET sql='nonsense';")
    let looked = try killed(version: 2)

    for site in [newer, unversioned, damaged, looked] {
      if !hasSharedMemory { try site.scratch.remove("data/app.db-shm") }
      let before = try Self.files(site)
      let upgrader = site.upgrader()
      if site.database != looked.database {
        #expect(throws: UpgradeError.self) { try upgrader.upgrade() }
      }
      _ = try? upgrader.status()
      #expect(try Self.files(site) == before)
    }
    #expect(try looked.upgrader().status().version == 2)
  }

  private static func files(_ site: Site) throws -> [Data] {
    try ["app.db", "app.db-wal"].map { try #require(site.scratch.bytes("data/" + $0)) }
  }

  @Test(.tags(.F19, .promise7)) func `is kept when a script meets a damaged page`() throws {
    let site = try killed(version: 2)
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(4096..<8192, with: repeatElement(0xff, count: 4096))
    try site.scratch.write(bytes, to: "data/app.db")
    let before = try Self.files(site)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == "damaged")
    #expect(try Self.files(site) == before)
  }

  /// The log may have what the file has lost.
  @Test(.tags(.F19, .promise7)) func `is kept when a later script meets a damaged page`() throws {
    let site = try killed(version: 1, "CREATE TABLE more(a);")
    try site.scratch.write("CREATE TABLE two(a);", to: "resources/scripts/2_two.sql")
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(4096..<8192, with: repeatElement(0xff, count: 4096))
    try site.scratch.write(bytes, to: "data/app.db")
    let log = try #require(site.scratch.bytes("data/app.db-wal"))

    var options = Upgrader.Options()
    options.commitInterval = .zero

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(options: options) }

    #expect(error?.kind == "damaged")
    #expect(site.scratch.bytes("data/app.db") == bytes)
    #expect(site.scratch.bytes("data/app.db-wal")?.starts(with: log) == true)
  }

  @Test(.tags(.F19)) func `is kept when the text of a script is refused`() throws {
    let site = try killed(version: 2)
    try site.scratch.write("SELECT 'open;", to: "resources/scripts/3_three.sql")
    let before = try Self.files(site)

    #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(try Self.files(site) == before)
  }

  /// A script that reads the seed gets a connection of its own, so the first one is closed.
  @Test(.tags(.F19)) func `is kept when a script that reads the seed fails`() throws {
    let site = try killed(version: 2)
    try site.scratch.write(
      "-- uplift: reads-seed\nDELETE FROM item; SELECT nope;", to: "resources/scripts/3_three.sql")
    try Shell.run(site.seed, "PRAGMA user_version = 3;")
    let before = try Self.files(site)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == "failed")
    #expect(try Self.files(site) == before)
  }

  @Test(.tags(.F19, .O7)) func `is kept when a restore is refused`() throws {
    let site = try killed(version: 2)
    try site.scratch.write("", to: "backups/app-1.db")
    try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA page_size = 512;" + Site.seed)
    let before = try Self.files(site)

    let error = #expect(throws: UpgradeError.self) { try site.restore(to: 1) }

    #expect(error?.kind == "backup")
    #expect(try Self.files(site) == before)
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  @Test(.tags(.F19, .promise8)) func `is checkpointed and removed when scripts have run`() throws {
    let site = try killed(version: 2)

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
    let before = try Self.files(site)

    let outcome = try site.boot()

    #expect(outcome.output == "3 -> 3\n")
    #expect(try Self.files(site) == before)
    _ = try service.wait()
  }

  /// The file says that the database is current, and the log says that it is not.
  @Test(.tags(.F14, .F19)) func `is not ignored if it cannot be read`() throws {
    let site = try killed()
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
    let with = try killed()
    let withoutMemory = try killed()
    try withoutMemory.scratch.remove("data/app.db-shm")

    for site in [without, with, withoutMemory] {
      let outcome = try site.boot(rules: "room 0;fail 28 call open path -shm on")

      #expect(outcome.output == "3 -> 3\n")
    }

    #expect(try with.boot(rules: "room 0").output == "3 -> 3\n")
    #expect(without.scratch.names("data") == ["app.db"])
    #expect(withoutMemory.scratch.names("data") == ["app.db", "app.db-wal"])
  }

  @Test(.tags(.F20, .F2, .promise7), arguments: ["", "-wal"])
  func `does not hide that the file was cut short if the log is empty`(log: String) throws {
    let site = try Site()
    try site.place(
      Site.seed + "CREATE TABLE more AS SELECT randomblob(9000) AS bytes; PRAGMA journal_mode=wal;")
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(4000), to: "data/app.db")
    if !log.isEmpty { try site.scratch.write("", to: "data/app.db" + log) }
    let before = try site.snapshot()

    #expect(
      throws: UpgradeError.damaged(
        path: site.database,
        .truncated(bytes: Int64(whole.count) - 4000, expected: Int64(whole.count)))
    ) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  /// The log still has the frames of pages that are in the file since the checkpoint, and would be
  /// there if it had not been cut.
  @Test(.tags(.F20, .F2, .promise7), arguments: [1, 4096, 4097, 40000])
  func `does not hide that the file was cut short`(missing: Int) throws {
    let site = try killed(
      version: 2,
      """
      CREATE TABLE more AS SELECT randomblob(90000) AS bytes;
      PRAGMA wal_checkpoint; INSERT INTO item VALUES(2, 'in the log');
      """)
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(missing), to: "data/app.db")
    let before = try Self.files(site)
    let expected = UpgradeError.damaged(
      path: site.database,
      .truncated(bytes: Int64(whole.count - missing), expected: Int64(whole.count)))

    #expect(throws: expected) { try site.upgrade() }
    #expect(throws: expected) { try site.upgrader().status() }

    #expect(try Self.files(site) == before)
  }

  /// SQLite may also have written some of these pages into the file, or a part of one.
  @Test(.tags(.F19, .F20), arguments: [nil, 1, 4096, 4097, 40000])
  func `may have the last pages of the file`(missing: Int?) throws {
    let site = try killed(version: 2, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")
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

  /// A service was killed in a transaction that was larger than its cache, or while it committed.
  @Test(.tags(.F19, .F20, .promise7), arguments: [true, false])
  func `has a page only if SQLite reads it there`(isCommitted: Bool) throws {
    let site = try killed(
      version: 2,
      """
      CREATE TABLE more AS SELECT randomblob(90000) AS bytes;
      PRAGMA wal_checkpoint; INSERT INTO item VALUES(2, 'in the log');
      PRAGMA cache_size = 2; BEGIN; UPDATE more SET bytes = randomblob(90000);
      CREATE TABLE other AS SELECT randomblob(90000) AS bytes; \(isCommitted ? "COMMIT;" : "")
      """)
    let whole = try #require(site.scratch.bytes("data/app.db"))
    var log = try #require(site.scratch.bytes("data/app.db-wal"))
    try site.scratch.write(whole.dropLast(40000), to: "data/app.db")
    if isCommitted {
      // A frame in the middle of the transaction is not what was written.
      log[32 + 8 * (24 + 4096) + 100] ^= 1
      try site.scratch.write(log, to: "data/app.db-wal")
    }
    let before = try Self.files(site)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == "damaged")
    #expect(try Self.files(site) == before)
  }

  /// Zeros are what a power cut or a bad copy leaves; a terabyte of them takes no room.
  @Test(.tags(.F19, .F20, .promise7)) func `may hold zeros without end`() throws {
    let site = try killed(
      version: 2, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes; PRAGMA wal_checkpoint;")
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(100), to: "data/app.db")
    try site.scratch.write("", to: "data/app.db-wal")
    try site.scratch.remove("data/app.db-shm")
    try #require(truncate(site.scratch("data/app.db-wal"), 1 << 40) == 0)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == "damaged")
  }

  @Test(.tags(.F19), arguments: [true, false])
  func `is not made while the journal mode is found out`(countsFiles: Bool) throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let diskUse = countsFiles ? try DiskUse() : nil

    let code = try Self.codeWithoutLog(site.database, diskUse)

    #expect(code == .cannotOpen)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  /// SQLite's result code for a database that is read without a log; nil if SQLite reads it.
  private static func codeWithoutLog(_ path: String, _ diskUse: DiskUse?) throws -> ResultCode? {
    try withExtendedLifetime(diskUse) {
      let deadline = Deadline(patience: .zero, isCancelled: { false })
      let connection = try Connection(
        path: Array(path.utf8), access: .readWrite, diskUse: diskUse, deadline: deadline)
      do throws(SQLiteError) {
        _ = try connection.withoutLog { () throws(SQLiteError) in
          try connection.integer("PRAGMA user_version")
        }
        return nil
      } catch {
        return error.code.primary
      }
    }
  }
}
