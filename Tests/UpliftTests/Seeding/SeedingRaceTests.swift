import TestSupport
import Testing

/// Eight processes boot in one empty data directory.
///
/// In each round, half of them sleep before a call, a different one in each round.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SeedingRaceTests {
  /// A file system with all calls, and without some: without locks, without a rename that does not
  /// replace, and without both.
  @Test(
    .tags(.F7, .promise2, .promise3, .promise5),
    arguments: [
      ("", 100), ("fail 38 call flock on;", 30), ("fail 22 call renameat2 on;", 30),
      ("fail 95 call flock on;fail 38 call renameat2 on;", 30),
    ])
  func `makes one database, from which all of them boot`(without: String, rounds: Int) throws {
    let steps = try Site().callsOfSeeding(rules: without)
    #expect(steps > 10)

    for round in 0..<rounds {
      let site = try Site()
      // Every second process sleeps, so that the others overtake it.
      let delay = "delay 5 at \(round % steps + 1);"
      let rules = (0..<8).map { ($0 % 2 == 0 ? delay : "") + without }

      let outcomes = try site.race(rules: rules)

      let when = "before call \(round % steps + 1)"
      #expect(outcomes.allSatisfy { $0.status == 0 }, "\(when): \(outcomes.map(\.output))")
      #expect(outcomes.count { $0.output.hasPrefix("seeded at 1 ->") } == 1, "\(when)")
      #expect(try site.names() == ["seeded", "script 2", "script 3"], "\(when)")
      #expect(site.scratch.names("data") == ["app.db"], "\(when)")
      if !without.contains("flock") {
        #expect(site.calls().count { $0.name == "copy_file_range" && $0.result > 0 } == 1)
      }
    }
  }

  @Test(.tags(.F1, .F7, .promise2, .promise5))
  func `fills one empty file, from which all of them boot`() throws {
    let alone = try Site()
    try alone.scratch.write("", to: "data/app.db")
    _ = try alone.boot(target: 1)
    let steps = alone.calls().count

    for step in stride(from: 1, through: steps, by: 2) {
      let site = try Site()
      try site.scratch.write("", to: "data/app.db")

      let outcomes = try site.race(
        rules: (0..<8).map { $0 % 2 == 0 ? "delay 5 at \(step)" : "" })

      #expect(outcomes.allSatisfy { $0.status == 0 }, "\(step): \(outcomes.map(\.output))")
      #expect(outcomes.count { $0.output.hasPrefix("seeded at 1 ->") } == 1, "\(step)")
      #expect(try site.names() == ["seeded", "script 2", "script 3"], "\(step)")
      #expect(site.scratch.names("data") == ["app.db"], "\(step)")
    }
  }
}
