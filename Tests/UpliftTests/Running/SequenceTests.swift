import TestSupport
import Testing
import Uplift

/// Scripts leave the same database, however they are run.
///
/// `UPLIFT_ROUNDS=1000 swift test --filter SequenceTests` tries as many others.
struct SequenceTests {
  @Test(.tags(.promise4, .promise5, .promise12, .S2))
  func `leaves the same database in one boot, in one boot a script, and in the shell`() throws {
    for seed in Dice.seeds(60) {
      let sequence = ScriptSequence(seed: seed)
      // After a table is dropped, later tables may begin at other pages of the file.
      let start =
        (seed.isMultiple(of: 2) ? "PRAGMA auto_vacuum=1;\n" : "") + ScriptSequence.start
      let end = sequence.failing.map { $0 - 1 } ?? sequence.scripts.count

      var states: [String] = []
      var errors: [UpgradeError?] = []
      for interval in GroupTests.intervals {
        let trial = try Trial(scripts: sequence.scripts, start: start)
        errors.append(trial.error { $0.commitInterval = interval })
        states.append(try trial.state())
      }
      let apart = try Trial(scripts: sequence.scripts, start: start)
      errors.append(Self.upgradeOneByOne(apart, sequence.scripts.count))
      states.append(try apart.state())

      let story = "seed \(seed): \(sequence.scripts.joined(separator: "\n----\n"))"
      #expect(Set(states).count == 1, "\(story)")
      #expect(Set(errors.map { $0?.withoutDirectory }).count == 1, "\(story)")
      #expect(Self.reached(errors[0]) ?? sequence.scripts.count == end, "\(story)")
      let shell = try Self.runByShell(sequence.scripts.prefix(end), start)
      #expect(Self.difference(states[0], shell) == [], "\(story)")
    }
  }

  /// The lines that only one of the two states has.
  private static func difference(_ state: String, _ other: String) -> [Substring] {
    Array(Set(state.split(separator: "\n")).symmetricDifference(other.split(separator: "\n")))
  }

  /// The version that a failure left; nil if there was no failure.
  private static func reached(_ error: UpgradeError?) -> Int? {
    guard let error else { return nil }
    return error.kind == .failed ? error.reached.map { Int($0.number) } : -1
  }

  private static func upgradeOneByOne(_ trial: Trial, _ count: Int) -> UpgradeError? {
    for number in 1...count {
      do throws(UpgradeError) {
        _ = try trial.upgrader(to: number).upgrade()
      } catch {
        return error
      }
    }
    return nil
  }

  /// Runs each script in a shell of its own, in a transaction if Uplift uses one.
  private static func runByShell(
    _ scripts: ArraySlice<String>, _ start: String
  ) throws -> String {
    let scratch = try Scratch()
    let database = scratch("app.db")
    var input = start + "\n"
    for (index, script) in scripts.enumerated() {
      let hasOwn = script.hasPrefix("--") || script.hasPrefix("PRAGMA foreign")
      input += """
        .open \(database)
        \(hasOwn ? "" : "BEGIN;")
        \(script)
        \(hasOwn ? "" : "COMMIT;")
        PRAGMA user_version = \(index + 1);

        """
    }
    try Shell.run(database, input)
    return try Shell.run(database, ".dump\nPRAGMA user_version;")
  }
}
