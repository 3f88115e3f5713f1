import TestSupport
import Testing
import Uplift

/// A database that Uplift must not touch is refused, and left as it was.
struct RefusalTests {
  private func refused(_ site: Site, as kind: UpgradeError.Kind, _ words: String) throws {
    let before = try site.snapshot()

    expectError(kind, words) { _ = try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.promise7, .P9), arguments: ["delete", "wal"])
  func `refuses a database that is newer than the target`(journal: String) throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version=9; PRAGMA journal_mode=\(journal);")

    try refused(site, as: .newer, "the database is at 9, newer than the target 3")
  }

  @Test(.tags(.promise7)) func `refuses a negative version`() throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version=-1;")

    try refused(site, as: .unversioned, "the database is at -1, which is not a version")
  }

  @Test(.tags(.promise7)) func `refuses tables without a version`() throws {
    let site = try Site()
    try site.place("CREATE TABLE item(id INTEGER PRIMARY KEY, name);")

    try refused(site, as: .unversioned, "\"\(site.database)\" has tables but no version")
  }

  @Test(.tags(.promise7)) func `refuses another application's database`() throws {
    let site = try Site(seed: Site.seed + "PRAGMA application_id = 77;")
    try site.place(Site.seed + "PRAGMA application_id = 78;")

    try refused(site, as: .foreign, "\"\(site.database)\" belongs to application 78, not 77")
  }

  @Test(.tags(.promise7))
  func `takes any application's database if the seed has no application_id`()
    throws
  {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA application_id = 78;")

    #expect(try site.upgrade().end == 3)
  }

  @Test(.tags(.promise7)) func `says that the database is newer before it says that it is foreign`()
    throws
  {
    let site = try Site(seed: Site.seed + "PRAGMA application_id = 77;")
    try site.place(Site.seed + "PRAGMA user_version=9;")

    try refused(site, as: .newer, "the database is at 9, newer than the target 3")
  }

  @Test(.tags(.promise7)) func `needs neither seed nor scripts to refuse a newer database`() throws
  {
    let site = try Site(seed: nil, scripts: [:])
    try site.place(Site.seed + "PRAGMA user_version=9;")

    try refused(site, as: .newer, "the database is at 9, newer than the target 3")
  }
}
