import Foundation
import TestSupport
import Testing
import UpliftRelease

/// An import that fails or is killed at any of its calls.
struct ImportFailureTests {
  private static let texts = ["SELECT 1;", "SELECT 2;", "SELECT 3;"]

  private func oldScripts() throws -> OldScripts {
    try OldScripts(["0_a.sql": Self.texts[0], "1_b.sql": Self.texts[1], "2_c.sql": Self.texts[2]])
  }

  private static let whole = [
    "0001_a.sql": texts[0], "0002_b.sql": texts[1], "0003_c.sql": texts[2],
  ]

  /// Imports in a process of its own, whose calls follow the rules (`Tests/Intercept`).
  private func run(_ old: OldScripts, _ rules: String) throws -> Outcome {
    try Command.product("BootHelper").run(
      arguments: [
        old.scratch("none.db"), "--import", old.scratch("old"), "--migrations", old.scratch("new"),
      ],
      environment: [
        "UPLIFT_INTERCEPT_ROOT": old.scratch.path, "UPLIFT_INTERCEPT_LOG": old.scratch("calls"),
        "UPLIFT_INTERCEPT_RULES": rules,
      ])
  }

  @Test(arguments: [
    ("call renameat2", 28, 3), ("call renameat2", 5, 1), ("call write", 28, 2),
    ("call fsync", 5, 1), ("call fsync", 5, 3), ("call fsync", 5, 4),
  ])
  func `writes nothing if one call fails`(call: String, error: Int, at: Int) throws {
    let old = try oldScripts()

    let outcome = try run(old, "fail \(error) \(call) at \(at)")

    #expect(outcome.status == 74)
    #expect(old.scratch.names("new") == [])
  }

  @Test func `never leaves a torn script after a kill at each call`() throws {
    var kills = 0
    while kills < 1000 {
      let old = try oldScripts()
      let outcome = try run(old, "kill at \(kills + 1)")
      if outcome.status == 0 { break }
      kills += 1

      #expect(outcome.status < 0)
      for (name, text) in old.written where !name.hasPrefix(".") {
        #expect(text == Self.whole[name])
      }
    }

    #expect(kills > 20 && kills < 1000)
  }
}
