import TestSupport
import Testing
import Uplift

/// A boot with nothing to do writes nothing, reads no script, and costs what opening a file costs.
struct CurrentBootTests {
  /// The calls of one boot of a current database.
  private func calls(journal: String) throws -> [Call] {
    let site = try Site()
    _ = try site.upgrade()
    try Shell.run(site.database, "PRAGMA journal_mode=\(journal);")
    let outcome = try site.boot()
    #expect(outcome.output == "3 -> 3\n")
    return site.calls()
  }

  @Test(.tags(.promise9)) func `opens the database and nothing else`() throws {
    let calls = try calls(journal: "delete")

    #expect(calls.filter { $0.name == "open" }.map(\.path) == ["data/app.db"])
    #expect(!calls.contains { $0.name == "opendir" })
    #expect(!calls.contains { $0.path.hasPrefix("resources") })
  }

  @Test(.tags(.promise9, .F21), arguments: ["delete", "wal"])
  func `writes nothing`(journal: String) throws {
    let calls = try calls(journal: journal)

    #expect(calls.filter(\.changesSomething) == [])
    #expect(!calls.contains { $0.name == "fsync" || $0.name == "fdatasync" })
    #expect(calls.contains { $0.name == "read" && $0.path == "data/app.db" })
  }

  @Test(.tags(.promise9)) func `looks at three names at most, besides those that SQLite looks at`()
    throws
  {
    let calls = try calls(journal: "delete")

    let looks = calls.filter { $0.caller == "program" }
    #expect(looks.map(\.name).allSatisfy { $0 == "lstat" || $0 == "stat" })
    #expect(looks.count <= 3)
  }

  @Test(.tags(.promise9)) func `needs neither the seed nor the scripts`() throws {
    let site = try Site()
    let upgrader = site.upgrader()
    _ = try upgrader.upgrade()
    try site.scratch.remove("resources")
    let before = try site.snapshot()

    let upgrade = try upgrader.upgrade()

    #expect(upgrade.start == .existing(3))
    #expect(upgrade.applied == [])
    #expect(try site.snapshot() == before)
  }
}
