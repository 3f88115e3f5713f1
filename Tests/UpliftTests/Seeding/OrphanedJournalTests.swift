import TestSupport
import Testing
import Uplift

/// A journal without its database may be the only copy of somebody's data.
struct OrphanedJournalTests {
  /// A journal that a crash in the middle of a write left.
  ///
  /// The database was deleted or emptied afterwards.
  private func orphan(_ suffix: String, isEmptied: Bool = false) throws -> Site {
    let site = try Site()
    try site.place(Site.seed + (suffix == "-wal" ? "PRAGMA journal_mode=wal;" : ""))
    _ = try site.boot(rules: "kill call unlink path \(suffix)")
    try site.scratch.remove("data/app.db")
    if isEmptied { try site.scratch.write("", to: "data/app.db") }
    #expect((site.scratch.bytes("data/app.db" + suffix)?.count ?? 0) > 0)
    return site
  }

  @Test(
    .tags(.F3, .F1, .promise7), arguments: [("-journal", false), ("-wal", false), ("-wal", true)])
  func `is refused, and kept`(suffix: String, isEmptied: Bool) throws {
    let site = try orphan(suffix, isEmptied: isEmptied)
    let before = try site.snapshot()

    #expect(throws: UpgradeError.orphaned(site.database + suffix)) { try site.upgrade() }
    #expect(try site.upgrader().status().refusal == .orphaned(site.database + suffix))

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F3), arguments: ["-journal", "-wal"])
  func `is ignored when it is empty`(suffix: String) throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db" + suffix)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3)) func `is left to SQLite beside its database`() throws {
    let site = try Site()
    try site.place(Site.seed)
    _ = try site.boot(rules: "kill call unlink path -journal")
    #expect(site.scratch.names("data") == ["app.db", "app.db-journal"])

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .existing(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3, .F1)) func `is rolled back when the file was empty before the crash`()
    throws
  {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    _ = try site.boot(rules: "kill call write path data/app.db")
    #expect((site.scratch.bytes("data/app.db-journal")?.count ?? 0) > 0)
    #expect(site.scratch.bytes("data/app.db")?.isEmpty == true)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3, .F1)) func `is not looked for if there must be a database and there is none`()
    throws
  {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db-wal")
    var options = Upgrader.Options()
    options.ifMissing = .fail
    let missing = UpgradeError.missingDatabase(site.database)

    #expect(throws: missing) { try site.upgrade(options: options) }
    #expect(try site.upgrader(options: options).status().refusal == missing)
  }
}
