import TestSupport
import Testing
import Uplift

/// A journal without its database may be the only copy of somebody's data.
struct OrphanedJournalTests {
  /// A journal that a crash in the middle of a write left.
  ///
  /// The database was deleted afterwards.
  private func orphan(_ suffix: String) throws -> Site {
    let site = try Site()
    try site.place(Site.seed + (suffix == "-wal" ? "PRAGMA journal_mode=wal;" : ""))
    _ = try site.boot(rules: "kill call unlink path \(suffix)")
    try site.scratch.remove("data/app.db")
    #expect((site.scratch.bytes("data/app.db" + suffix)?.count ?? 0) > 0)
    return site
  }

  @Test(.tags(.F3, .promise7), arguments: ["-journal", "-wal"])
  func `is refused, and kept`(suffix: String) throws {
    let site = try orphan(suffix)
    let before = try site.snapshot()

    #expect(throws: UpgradeError.orphaned(journal: site.database + suffix)) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F3), arguments: ["-journal", "-wal"])
  func `is moved aside by option, whole`(suffix: String) throws {
    let site = try orphan(suffix)
    let journal = try #require(site.scratch.bytes("data/app.db" + suffix))
    var options = Upgrader.Options()
    options.orphanedJournals = .moveAside

    let upgrade = try site.upgrade(options: options)

    let aside = site.scratch.names("data").filter { $0.hasPrefix("app.db\(suffix).orphaned-") }
    #expect(upgrade.start == .seeded(1))
    #expect(aside.compactMap { site.scratch.bytes("data/" + $0) } == [journal])
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3), arguments: ["-journal", "-wal"])
  func `stays beside an empty file if a script cannot be read`(suffix: String) throws {
    let site = try orphan(suffix)
    try site.scratch.write("", to: "data/app.db")
    try site.scratch.write("SELECT 'no end", to: "resources/scripts/3_three.sql")
    let before = try site.snapshot()
    var options = Upgrader.Options()
    options.orphanedJournals = .moveAside

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(options: options) }

    #expect(error?.kind == "scriptText")
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

  @Test(.tags(.F3, .F1)) func `is not looked for if there must be a database and there is none`()
    throws
  {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db-wal")
    var options = Upgrader.Options()
    options.ifMissing = .fail
    let missing = UpgradeError.missing(.database, path: site.database)

    #expect(throws: missing) { try site.upgrade(options: options) }
    #expect(try site.upgrader(options: options).status().refusal == missing)
  }
}
