import TestSupport
import Testing
import Uplift

/// Nothing is left behind in the data directory but the database and SQLite's own files.
struct LeftoverTests {
  @Test(.tags(.promise8)) func `nothing is left by a first boot, an upgrade and a current one`()
    throws
  {
    let site = try Site()

    _ = try site.upgrade(target: 2)
    let afterFirst = try site.snapshot().names
    _ = try site.upgrade(target: 3)
    let afterUpgrade = try site.snapshot().names
    _ = try site.upgrade(target: 3)

    #expect(afterFirst == ["app.db"])
    #expect(afterUpgrade == ["app.db"])
    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.promise8)) func `nothing is left by a script that fails`() throws {
    let site = try Site(scripts: ["2.sql": "NONSENSE;"])

    #expect(throws: UpgradeError.self) { try site.upgrade(target: 2) }

    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.promise8)) func `nothing is stored in the database but its version`() throws {
    let site = try Site()

    _ = try site.upgrade()

    #expect(try Shell.run(site.database, "SELECT name FROM sqlite_master;") == "item")
    #expect(
      try Shell.dump(site.database)
        == Shell.dump(site.seed).replacing(
          "COMMIT;",
          with: """
            INSERT INTO item VALUES(2,'script 2');
            INSERT INTO item VALUES(3,'script 3');
            COMMIT;
            """))
  }

  @Test(.tags(.promise8, .promise3, .F8))
  func `a copy that a crash cut off is removed by the next boot`() throws {
    let site = try Site()
    let killed = try site.boot(rules: "killed call copy_file_range")
    let afterCrash = try site.snapshot().names

    let outcome = try site.boot()

    #expect(killed.status == -9)
    #expect(afterCrash.map { $0.hasSuffix(".uplift") } == [true])
    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.promise8, .F8))
  func `a torn copy beside an existing database is removed by a boot with work to do`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try site.scratch.write("torn", to: Site.copy)

    _ = try site.upgrade()

    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.promise8)) func `nothing appears beside the seed and the scripts`() throws {
    let site = try Site()
    try Shell.run(site.seed, "PRAGMA journal_mode=wal;")
    let before = try Snapshot(of: site.scratch("resources"))

    _ = try site.upgrade()

    #expect(try Snapshot(of: site.scratch("resources")) == before)
  }
}
