import Foundation
import TestSupport
import Testing
import Uplift

/// Looking changes nothing, whatever is there.
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

  @Test(.tags(.promise2)) func `where there is no data directory`() throws {
    try looks(Site(), nil)
  }

  @Test(.tags(.promise2, .F1)) func `of an empty file`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")

    try looks(site, 0)
  }

  @Test(.tags(.promise2), arguments: ["delete", "wal"], [1, 2, 3] as [Version])
  func `of a database`(journal: String, version: Version) throws {
    let site = try Site()
    try site.place(
      Site.seed + "PRAGMA user_version=\(version); PRAGMA journal_mode=\(journal);")

    try looks(site, version)
  }

  @Test(.tags(.promise2, .F8)) func `of a database with a second name`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try FileManager.default.linkItem(
      atPath: site.database, toPath: site.scratch(Site.copy))

    try looks(site, 1)
  }

  @Test(.tags(.promise2, .F3), arguments: ["-journal", "-wal"])
  func `refuses a journal without a database`(suffix: String) throws {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db" + suffix)
    let before = try site.snapshot()

    #expect(throws: UpgradeError.orphaned(journal: site.database + suffix)) {
      try site.upgrader().status()
    }

    #expect(try site.snapshot() == before)
  }
}
