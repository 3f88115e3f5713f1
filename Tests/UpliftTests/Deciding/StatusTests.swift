import Foundation
import TestSupport
import Testing
import Uplift

/// `status()` changes nothing, and says what an upgrade would do.
struct StatusTests {
  private func looks(_ site: Site, _ version: Version?) throws {
    let before = try (site.scratch.names(), site.snapshot())

    let status = try site.upgrader().status()

    #expect(status.version == version)
    #expect(status.target == 3)
    #expect(status.seed == 1)
    #expect(site.scratch.names() == before.0)
    #expect(try site.snapshot() == before.1)
  }

  @Test(.tags(.promise2)) func `changes nothing if there is no data directory`() throws {
    try looks(Site(), nil)
  }

  @Test(.tags(.promise2, .F1)) func `changes nothing if the database is an empty file`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")

    try looks(site, 0)
  }

  @Test(.tags(.promise2), arguments: ["delete", "wal"], [1, 2, 3] as [Version])
  func `changes nothing in a database`(journal: String, version: Version) throws {
    let site = try Site()
    try site.place(
      Site.seed + "PRAGMA user_version=\(version); PRAGMA journal_mode=\(journal);")

    try looks(site, version)
  }

  @Test(.tags(.promise2, .F8)) func `changes nothing if the database has a second name`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try FileManager.default.linkItem(
      atPath: site.database, toPath: site.scratch(Site.copy))

    try looks(site, 1)
  }

  @Test(.tags(.promise2, .F3), arguments: [("-journal", false), ("-wal", false), ("-wal", true)])
  func `names a journal that has lost its database`(suffix: String, isEmpty: Bool) throws {
    let site = try Site()
    if isEmpty { try site.scratch.write("", to: "data/app.db") }
    try site.scratch.write(Self.journal, to: "data/app.db" + suffix)
    let before = try site.snapshot()

    let status = try site.upgrader().status()

    #expect(status.refusal == .orphaned(site.database + suffix))
    #expect(status.version == (isEmpty ? 0 : nil))
    #expect(!status.isCurrent)
    #expect(try site.snapshot() == before)
  }

  /// A journal for a database of one page, with a header that SQLite accepts.
  private static let journal =
    Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    + Data(count: 1024)

  @Test(.tags(.promise7, .P9)) func `shows a newer database, and why an upgrade would refuse it`()
    throws
  {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version = 9;")
    let before = try site.snapshot()

    let status = try site.upgrader().status()

    #expect(status.version == 9)
    #expect(status.target == 3)
    #expect(status.applied.map(\.version) == [2, 3])
    #expect(status.pending.map(\.version) == [])
    #expect(status.refusal == .newer(9, than: 3))
    #expect(!status.isCurrent)
    #expect(try site.snapshot() == before)
  }

  @Test func `has no refusal for a database that is behind, current or missing`() throws {
    let site = try Site()

    let absent = try site.upgrader().status()
    try site.place(Site.seed)
    let behind = try site.upgrader().status()
    _ = try site.upgrade()
    let current = try site.upgrader().status()

    #expect([absent, behind, current].map(\.refusal) == [nil, nil, nil])
    #expect([absent, behind, current].map(\.isCurrent) == [false, false, true])
  }

  @Test(.tags(.F11)) func `throws if the file is no database`() throws {
    let site = try Site()
    try site.scratch.write(String(repeating: "text ", count: 200), to: "data/app.db")

    #expect(throws: UpgradeError.damaged(site.database, "is not a database")) {
      try site.upgrader().status()
    }
  }
}
