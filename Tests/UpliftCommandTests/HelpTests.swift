import TestSupport
import Testing
import UpliftCommand

struct HelpTests {
  @Test func `fits a screen of 80 columns and 24 lines, with the prompt below it`() {
    let lines = Help.text.split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.count < 24)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `names every option`() {
    for option in Option.allCases where option != .help { #expect(Help.text.contains(option.name)) }
  }

  @Test(arguments: [["help"], ["--help"], ["-h"], ["status", "--help"]])
  func `is what there is on standard output`(words: [String]) throws {
    let outcome = try Command.product("uplift").run(arguments: words)

    #expect(outcome == Outcome(status: 0, output: Help.text + "\n", errors: ""))
  }

  @Test func `is apart from the version`() throws {
    let outcome = try Command.product("uplift").run("--version")

    #expect(outcome == Outcome(status: 0, output: "uplift 0.1.0\n", errors: ""))
  }
}
