import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// What the write-ahead log of a killed service holds, and whether the database is whole with it.
struct LogContentTests {
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
    let site = try Site.killed(
      version: 2,
      """
      CREATE TABLE more AS SELECT randomblob(90000) AS bytes;
      PRAGMA wal_checkpoint; INSERT INTO item VALUES(2, 'in the log');
      """)
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(missing), to: "data/app.db")
    let before = try site.databaseAndLog()
    let expected = UpgradeError.damaged(
      path: site.database,
      .truncated(bytes: Int64(whole.count - missing), expected: Int64(whole.count)))

    #expect(throws: expected) { try site.upgrade() }
    #expect(throws: expected) { try site.upgrader().status() }

    #expect(try site.databaseAndLog() == before)
  }

  /// SQLite may also have written some of these pages into the file, or a part of one.
  @Test(.tags(.F19, .F20), arguments: [nil, 1, 4096, 4097, 40000])
  func `may have the last pages of the file`(missing: Int?) throws {
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

  /// A service was killed in a transaction that was larger than its cache, or while it committed.
  @Test(.tags(.F19, .F20, .promise7), arguments: [true, false])
  func `has a page only if SQLite reads it there`(isCommitted: Bool) throws {
    let site = try Site.killed(
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
    let before = try site.databaseAndLog()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == "damaged")
    #expect(try site.databaseAndLog() == before)
  }

  /// SQLite cannot begin the log anew while a boot reads it, so a busy service only appends.
  @Test(.tags(.F19, .F20, .promise7)) func `may grow as fast as it is read`() throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let service = try Connection(
      path: site.database, access: .readWrite,
      deadline: Deadline(patience: .zero, isCancelled: { false }))
    try service.run("CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")

    let questions = Atomic(0)
    let upgrade = try site.upgrader().upgrade(isCancelled: {
      // The boot may have the lock.
      try? service.run("INSERT INTO item(name) VALUES('one more')")
      return questions.add(1, ordering: .relaxed).newValue > 10_000
    })

    #expect(upgrade.end == 3)
  }

  /// Zeros are what a power cut or a bad copy leaves; a terabyte of them takes no room.
  @Test(.tags(.F19, .F20, .promise7), arguments: [false, true])
  func `may hold zeros without end`(hasHeader: Bool) throws {
    let site = try Site.killed(
      version: 2, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes; PRAGMA wal_checkpoint;")
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(100), to: "data/app.db")
    try site.scratch.write(
      hasHeader ? Self.headerWithChecksumZero() : Data(), to: "data/app.db-wal")
    try site.scratch.remove("data/app.db-shm")
    try #require(truncate(site.scratch("data/app.db-wal"), 1 << 40) == 0)

    // A loop over all zeros would ask much more often.
    let questions = Atomic(0)
    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().upgrade(isCancelled: {
        questions.add(1, ordering: .relaxed).newValue > 10_000
      })
    }

    #expect(error?.kind == "damaged")
  }

  /// Zeros that follow this header have a right checksum, but not its salts.
  private static func headerWithChecksumZero() -> Data {
    var words: [UInt32] = [0x377f_0683, 3_007_000, 4096, 0]
    let (first, second) = checksum(of: words)
    words += [0 &- (first &+ second), 0 &- second]
    return data(words + [0, 0])
  }

  /// The checksum of a log with numbers that begin with the highest byte.
  private static func checksum(of words: [UInt32]) -> (UInt32, UInt32) {
    var sums: (UInt32, UInt32) = (0, 0)
    for index in stride(from: 0, to: words.count, by: 2) {
      sums.0 &+= words[index] &+ sums.1
      sums.1 &+= words[index + 1] &+ sums.0
    }
    return sums
  }

  private static func data(_ words: [UInt32]) -> Data {
    Data(words.flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) })
  }

  /// To read one page of this size would need half a gigabyte of memory.
  @Test(.tags(.F19, .promise7)) func `is ignored if its pages are too large`() throws {
    let site = try Site()
    try site.place("PRAGMA journal_mode=wal;")
    let words: [UInt32] = [0x377f_0683, 3_007_000, 0x2000_0000, 0, 1, 2]
    let sums = Self.checksum(of: words)
    try site.scratch.write(Self.data(words + [sums.0, sums.1]), to: "data/app.db-wal")

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.description.contains("app.db-wal\" is damaged: its header is wrong") == true)
  }

  /// All tables are in the log, and SQLite ignores it.
  @Test(.tags(.F3, .F19, .promise7), arguments: [3, 13])
  func `is not lost if one bit of its header is wrong`(byte: Int) throws {
    let site = try Site()
    try site.place("PRAGMA journal_mode=wal;")
    try site.kill(after: Site.seed)
    var log = try #require(site.scratch.bytes("data/app.db-wal"))
    log[byte] ^= 4
    try site.scratch.write(log, to: "data/app.db-wal")
    let before = try site.databaseAndLog()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.description.contains("app.db-wal\" is damaged: its header is wrong") == true)
    #expect(throws: UpgradeError.self) { try site.upgrader().status() }
    #expect(try site.databaseAndLog() == before)
  }

  /// The database has tables, but what was written last is only in the log, and SQLite writes over it.
  @Test(.tags(.F3, .promise7, .promise15), arguments: [3..<4, 13..<14, 30..<31, 0..<32, 0..<4096])
  func `is not written over if its header is wrong`(wrong: Range<Int>) throws {
    let site = try Site(scripts: ["2.sql": Site.script(2)])
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let backup = try site.scratch.write("", to: "backups/app-1.db")
    try Shell.run(backup, Site.seed)
    try site.kill(after: "INSERT INTO item VALUES(7, 'mine');")
    var log = try #require(site.scratch.bytes("data/app.db-wal"))
    for byte in wrong { log[byte] = wrong.count == 1 ? log[byte] ^ 4 : 0 }
    try site.scratch.write(log, to: "data/app.db-wal")
    let before = try site.databaseAndLog()
    let upgrader = site.upgrader(target: 2)

    let errors = [
      #expect(throws: UpgradeError.self) { try upgrader.upgrade() },
      #expect(throws: UpgradeError.self) { try upgrader.restore(from: site.scratch("backups")) },
      #expect(throws: UpgradeError.self) { try upgrader.status() },
    ]

    #expect(errors.allSatisfy { $0?.description.contains("app.db-wal\" is damaged") == true })
    #expect(try site.databaseAndLog() == before)
  }
}
