import Foundation
import TestSupport
import Testing
import Uplift

/// A damaged database is refused.
///
/// The seed never replaces it.
struct DamagedDatabaseTests {
  private func site(_ damage: (inout Data) -> Void) throws -> Site {
    let site = try Site(
      seed: Site.seed + "CREATE TABLE more AS SELECT randomblob(20000) AS bytes;")
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    damage(&bytes)
    try site.scratch.write(bytes, to: "data/app.db")
    return site
  }

  @Test(.tags(.F2)) func `is refused when the last byte is missing`() throws {
    let site = try site { $0.removeLast() }
    let before = try site.snapshot()
    let size = try #require(site.scratch.bytes("resources/app.db")).count

    #expect(
      throws: UpgradeError.damaged(site.database, "has \(size - 1) bytes, not \(size)")
    ) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F2))
  func `is refused when the last byte is missing, though its version is the target`() throws {
    let site = try site { $0.removeLast() }
    let before = try site.snapshot()

    #expect(throws: UpgradeError.self) { try site.upgrade(target: 1) }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F2), arguments: [1, 2, 3]) func `is refused when it ends early`(pages: Int) throws {
    let site = try site { $0 = $0.prefix(pages * 4096) }
    let before = try site.snapshot()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == .damaged, "\(String(describing: error))")
    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F20, .F2, .promise7), arguments: ["", "-wal"])
  func `is refused when it ends early in WAL mode, without a log or with an empty one`(log: String)
    throws
  {
    let site = try Site()
    try site.place(
      Site.seed + "CREATE TABLE more AS SELECT randomblob(9000) AS bytes; PRAGMA journal_mode=wal;")
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(whole.dropLast(4000), to: "data/app.db")
    if !log.isEmpty { try site.scratch.write("", to: "data/app.db" + log) }
    let before = try site.snapshot()

    #expect(
      throws: UpgradeError.damaged(
        site.database, "has \(whole.count - 4000) bytes, not \(whole.count)")
    ) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F2)) func `is perhaps only newer if its schema cannot be read`() throws {
    let site = try Site()
    try site.place(
      Site.seed
        + "PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql = sql || ' FROM THE FUTURE';")
    let before = try site.snapshot()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.exitCode == 78)
    #expect(error?.remedy.hasPrefix("if a newer SQLite than ") == true)
    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F2), arguments: [1, 3] as [Version])
  func `is refused when its schema is overwritten, current or not`(target: Version) throws {
    let site = try site { $0.replaceSubrange(100..<4096, with: Data(count: 3996)) }
    let before = try site.snapshot()

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: target) }

    #expect(error?.kind == .damaged, "\(String(describing: error))")
    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F2, .promise3))
  func `is never left by a boot that is killed while it copies the seed`() throws {
    let whole = try Site()
    _ = try whole.boot(target: 1)
    let count = whole.calls().lastIndex { $0.name == "fsync" && $0.path == "data" } ?? 0
    #expect(count > 10)

    for number in 1...(count + 1) {
      let site = try Site()
      _ = try site.boot(target: 1, rules: "kill at \(number)")

      if let bytes = site.scratch.bytes("data/app.db") {
        #expect(bytes == site.scratch.bytes("resources/app.db"), "killed at call \(number)")
      }
      #expect(try site.upgrade().end == 3, "killed at call \(number)")
      #expect(try site.snapshot().names == ["app.db"])
    }
  }

  @Test(.tags(.promise7, .P1))
  func `is not reported if another program shortens the file during the boot`() throws {
    func site() throws -> Site {
      try Site(
        seed: Site.seed
          + "CREATE TABLE more AS SELECT randomblob(20000) AS bytes; DROP TABLE more;")
    }
    let alone = try site()
    _ = try alone.boot(target: 1)
    let calls = alone.calls()
    let published = try #require(calls.firstIndex { $0.name == "renameat2" })
    let looks = calls.indices.filter {
      $0 > published && ["stat", "lstat"].contains(calls[$0].name)
    }
    var shortened = 0

    for number in looks {
      let site = try site()
      let (writer, boot) = try site.boot(interruptedBefore: number) {
        try Command("/usr/bin/sqlite3").run("-batch", "-bail", site.database, "VACUUM;")
      }
      if writer.status == 0 { shortened += 1 }
      #expect(boot.status == 0, "before call \(number + 1)")
    }

    #expect(shortened >= 2)
  }

  /// Byte 47 of the header is the schema's format, which goes to 4.
  @Test(.tags(.F2, .promise7)) func `refuses a schema in a format that no SQLite knows`() throws {
    let site = try Site()
    try site.place(Site.seed)
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes[47] = 5
    try site.scratch.write(bytes, to: "data/app.db")

    #expect(
      throws: UpgradeError.damaged(site.database, "is damaged: unsupported file format")
    ) { try site.upgrade() }
    #expect(site.scratch.bytes("data/app.db") == bytes)
  }
}
