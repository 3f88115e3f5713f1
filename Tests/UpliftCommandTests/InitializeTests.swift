import Foundation
import TestSupport
import Testing

/// `uplift init`, as a new user meets it.
struct InitializeTests {
  @Test(arguments: ["", " --resources 'my files'"])
  func `leads from an empty directory to a database by the commands that it prints`(
    option: String
  ) throws {
    let scratch = try Scratch()
    let path = Command.product("uplift").path
    func shell(_ line: String) throws -> Outcome {
      try Command("/bin/sh").run(
        "-ec", "uplift() { '\(path)' \"$@\"; }; \(line)", in: scratch.path)
    }

    let first = try shell("uplift init guestbook" + option)
    let commands = first.output.split(separator: "\n").filter { $0.hasPrefix("  uplift ") }
    let next = try shell(commands.joined(separator: "\n"))

    #expect(first.status == 0 && first.errors == "")
    #expect(commands.count == 3)
    #expect(next.status == 0 && next.errors == "")
    #expect(next.output.hasSuffix("data/guestbook.db is at 1\n"))
    #expect(try Shell.run(scratch("data/guestbook.db"), ".tables") == "note")
  }

  @Test(arguments: ["Resources/app.db", "Resources/Migrations/1.sql", "Resources/.keep"])
  func `replaces nothing`(name: String) throws {
    let service = try Service()
    try service.scratch.remove("Resources")
    try service.scratch.write("mine", to: name)
    let before = try Snapshot(of: service.scratch.path)

    let outcome = try service.uplift("init", "app")

    #expect(
      outcome
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: "Resources" holds files already
            uplift new WORDS writes the next script; or name an empty directory with --resources

            """))
    #expect(try Snapshot(of: service.scratch.path) == before)
  }

  @Test func `succeeds once if two run at the same time`() throws {
    for _ in 0..<5 {
      let scratch = try Scratch()
      let uplift = "'\(Command.product("uplift").path)' init"

      let outcome = try Command("/bin/sh").run(
        "-c",
        "\(uplift) one & a=$!; \(uplift) two & b=$!; wait $a; x=$?; wait $b; echo $((x + $?))",
        in: scratch.path)

      #expect(outcome.output.hasSuffix("\n64\n"))
      #expect(scratch.names("Resources").count == 2)
      #expect(scratch.names("Resources/Migrations") == ["0001_first.sql"])
    }
  }

  @Test func `prints JSON, and says why it cannot write`() throws {
    let scratch = try Scratch()

    let json = try Command.product("uplift").run("init", "app", "--json", in: scratch.path)
    try scratch.write("", to: "file")
    let refused = try Command.product("uplift").run(
      "init", "app", "--resources", "file/Resources", in: scratch.path)

    #expect(
      json.output
        == #"{"command":"init","seed":"Resources/app.db","script":"Resources/Migrations/0001_first.sql"}"#
        + "\n")
    #expect(refused.status == 64 && refused.errors.hasPrefix("uplift: \"file/Resources\""))
  }
}
