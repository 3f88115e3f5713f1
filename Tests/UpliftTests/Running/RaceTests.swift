import Foundation
import TestSupport
import Testing

/// If eight processes boot at the same moment, each script runs once, in order.
struct RaceTests {
  private static let rounds = 10
  private static let scripts = [
    "2_count.sql": "CREATE TABLE counter(n); INSERT INTO counter VALUES(0);",
    "3_three.sql": Site.script(3) + "UPDATE counter SET n = n + 1;",
    "4_four.sql": "UPDATE counter SET n = n * 10;" + Site.script(4),
    "5_five.sql": Site.script(5) + "UPDATE counter SET n = n + 1;",
  ]

  @Test(
    .tags(.promise5, .P1), .timeLimit(.minutes(10)), arguments: ["delete", "wal"], ["0", "100"])
  func `runs each script exactly once`(journal: String, interval: String) throws {
    for _ in 1...Self.rounds {
      let site = try Site(scripts: Self.scripts)
      try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")

      let outcomes = try site.race(8, target: 5, ["--interval", interval])

      #expect(outcomes.allSatisfy { $0.status == 0 && $0.output.contains("-> 5\n") })
      #expect(try site.names() == ["seeded", "script 3", "script 4", "script 5"])
      #expect(try Shell.run(site.database, "SELECT n FROM counter;") == "11")
      let applied = outcomes.flatMap { $0.output.split(separator: "\n").dropFirst() }
      #expect(
        applied.sorted() == Self.scripts.keys.sorted().map { "applied \($0.prefix(1)) \($0)" })
    }
  }

  @Test(.tags(.promise5, .F7), .timeLimit(.minutes(10)))
  func `makes one copy of the seed, and boots from it`() throws {
    for _ in 1...Self.rounds {
      let site = try Site(scripts: Self.scripts)

      let outcomes = try site.race(8, target: 5)

      #expect(outcomes.allSatisfy { $0.status == 0 })
      #expect(outcomes.count { $0.output.hasPrefix("seeded at 1 -> 5\n") } == 1)
      #expect(site.calls().count { $0.name == "renameat2" && $0.result == 0 } == 1)
      #expect(try site.names() == ["seeded", "script 3", "script 4", "script 5"])
      #expect(site.scratch.names("data") == ["app.db"])
    }
  }

  @Test(.tags(.promise5, .F1, .F7), .timeLimit(.minutes(10)))
  func `fills an empty file once`() throws {
    for _ in 1...Self.rounds {
      let site = try Site(scripts: Self.scripts)
      try site.scratch.write("", to: "data/app.db")

      let outcomes = try site.race(8, target: 5)

      #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
      #expect(try site.names() == ["seeded", "script 3", "script 4", "script 5"])
      #expect(site.scratch.names("data") == ["app.db"])
    }
  }
}
