import TestSupport
import Testing
import Uplift

/// A script and its version bump are committed together or not at all.
struct WholeScriptTests {
  /// What the database must hold at each version.
  private static let contents = [
    1: ["seeded"], 2: ["seeded", "script 2"], 3: ["seeded", "script 2", "script 3"],
  ]

  @Test(.tags(.promise4)) func `is undone as a whole when its last statement fails`() throws {
    let site = try Site(scripts: ["2.sql": Site.script(2) + "INSERT INTO nowhere VALUES(1);"])

    #expect(throws: UpgradeError.self) { try site.upgrade(target: 2) }

    #expect(try site.names() == ["seeded"])
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.promise4, .P8), arguments: ["delete", "wal"], ["0", "100"])
  func `is committed with its version or not at all, wherever the process is killed`(
    journal: String, interval: String
  ) throws {
    let whole = try Site()
    try whole.place(Site.seed + "PRAGMA journal_mode=\(journal);")
    _ = try whole.boot(["--interval", interval])
    // Only calls that change something matter: between them, a kill leaves the same files.
    let moments = whole.calls().enumerated().filter { $1.changesSomething }.map { $0.offset + 1 }
    #expect(moments.count > 10)

    for number in moments {
      let site = try Site()
      try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")

      let outcome = try site.boot(["--interval", interval], rules: "kill at \(number)")

      #expect(outcome.status == -9)
      let version = try Shell.version(site.database)
      #expect(try site.names() == Self.contents[version], "killed at call \(number)")
      #expect(try site.boot().status == 0)
      #expect(try site.names() == Self.contents[3], "killed at call \(number)")
    }
  }
}
