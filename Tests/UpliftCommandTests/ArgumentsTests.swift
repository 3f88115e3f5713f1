import Testing
import Uplift
import UpliftCommand

struct ArgumentsTests {
  @Test func `begin with the options of the program that the command is a part of`() throws {
    var options = Upgrader.Options()
    options.patience = .seconds(3)
    options.doubleQuotedStrings = true
    let own = Upgrader(database: "app.db", options: options)

    let plain = try Arguments(["up"], of: own)
    let changed = try Arguments(["up", "--wait", "5"], of: own)

    #expect(plain.options == options)
    #expect(changed.options.patience == .seconds(5) && changed.options.doubleQuotedStrings)
    for option in ["--resources", "--data", "--seed", "--migrations"] {
      let error = #expect(throws: ErrorReport.self) {
        try Arguments(["up", option, "x"], of: own)
      }
      #expect(error?.message == "\(option) is not for this program")
    }
  }

  @Test(arguments: ["new", "check", "bake"])
  func `name other resources of such a program only for a release`(verb: String) throws {
    let own = Upgrader(database: "app.db")

    let words = [verb, "--resources", "R", "--seed", "S", "--migrations", "M"]
    let arguments = try Arguments(verb == "new" ? words + ["x"] : words, of: own)

    #expect(arguments.resources == "R")
    #expect(arguments.seed == "S" && arguments.migrations == "M")
  }

  /// A command line, and how its result differs from that of an empty one.
  static let table: [(words: [String], change: @Sendable (inout Arguments) -> Void)] = [
    ([], { $0.verb = .help }),
    (["up"], { _ in }),
    (["status"], { $0.verb = .status }),
    (["help"], { $0.verb = .help }),
    (["help", "up"], { ($0.verb, $0.topic) = (.help, .up) }),
    (["help", "status", "--json"], { ($0.verb, $0.topic, $0.isJSON) = (.help, .status, true) }),
    (["help", "help"], { ($0.verb, $0.topic) = (.help, .help) }),
    (["help", "up", "--help"], { ($0.verb, $0.topic) = (.help, .up) }),
    (["--help"], { $0.verb = .help }),
    (["-h"], { $0.verb = .help }),
    (["status", "--help", "--nonsense"], { ($0.verb, $0.topic) = (.help, .status) }),
    (["up", "-h"], { ($0.verb, $0.topic) = (.help, .up) }),
    (["--version"], { $0.verb = .version }),
    (["-V"], { $0.verb = .version }),
    (["-q"], { $0.isQuiet = true }),
    (["up", "--version"], { ($0.verb, $0.topic) = (.version, .up) }),
    (["adopt"], { $0.verb = .adopt }),
    (["adopt", "--to", "3"], { ($0.verb, $0.to) = (.adopt, 3) }),
    (["--to=1.4", "adopt"], { ($0.verb, $0.to) = (.adopt, 1_040_000) }),
    (
      ["restore", "--backup", "b", "--to", "0"],
      {
        ($0.verb, $0.backup, $0.to) = (.restore, "b", .zero)
        $0.options.backup = Upgrader.Backup(directory: "b")
      }
    ),
    (
      ["--backup", "b", "--keep", "3"],
      {
        ($0.backup, $0.keep) = ("b", 3)
        $0.options.backup = Upgrader.Backup(directory: "b", keep: 3)
      }
    ),
    (["adopt", "--help"], { ($0.verb, $0.topic) = (.help, .adopt) }),
    (["status", "--verify"], { ($0.verb, $0.verifies) = (.status, true) }),
    (["--", "status"], { $0.verb = .status }),
    (["status", "--"], { $0.verb = .status }),
    (
      ["release", "--fixtures", "a", "--released", "r", "--fixtures=b"],
      {
        $0.verb = .release
        $0.fixtures = ["a", "b"]
        $0.released = "r"
      }
    ),
    (["new", "--import", "D"], { ($0.verb, $0.importing) = (.new, "D") }),
    (["--resources", "R"], { $0.resources = "R" }),
    (["--resources=R"], { $0.resources = "R" }),
    (["--resources", "a=b"], { $0.resources = "a=b" }),
    (["--resources=a=b"], { $0.resources = "a=b" }),
    (["--data=--json"], { $0.data = "--json" }),
    (["--data=a=b"], { $0.data = "a=b" }),
    (["--data=\u{301}x"], { $0.data = "\u{301}x" }),
    (["--data", "D", "up"], { $0.data = "D" }),
    (["--database", "x.db"], { $0.database = "x.db" }),
    (["--seed", "s.db"], { $0.seed = "s.db" }),
    (["--migrations", "M"], { $0.migrations = "M" }),
    (["--target", "3"], { $0.target = 3 }),
    (["--target=0003"], { $0.target = 3 }),
    (["--target", "1.4.2-1"], { $0.target = 1_040_201 }),
    (["--target", "2147483647"], { $0.target = 2_147_483_647 }),
    (["--wait", "0"], { $0.options.patience = .zero }),
    (["--wait", "60"], { $0.options.patience = .seconds(60) }),
    (["--wait", "0.25"], { $0.options.patience = .milliseconds(250) }),
    (["--wait", "1.0015"], { $0.options.patience = .milliseconds(1001) }),
    (
      ["status", "--wait", "5"],
      { ($0.verb, $0.waiting) = (.status, .seconds(5)) }
    ),
    (["--if-missing", "seed"], { _ in }),
    (["--if-missing", "empty"], { $0.options.ifMissing = .empty }),
    (["--if-missing=fail"], { $0.options.ifMissing = .fail }),
    (["--foreign-keys", "touched"], { _ in }),
    (["--foreign-keys", "all"], { $0.options.foreignKeys = .all }),
    (["--foreign-keys=none"], { $0.options.foreignKeys = .none }),
    (["--double-quoted-strings"], { $0.options.doubleQuotedStrings = true }),
    (["--skip-duplicates"], { $0.options.skipsDuplicates = true }),
    (["--json", "--quiet"], { ($0.isJSON, $0.isQuiet) = (true, true) }),
    (["--exit-code", "status"], { ($0.verb, $0.wantsExitCode) = (.status, true) }),
  ]

  @Test(arguments: table.indices)
  func `reads a command line`(row: Int) throws {
    let (words, change) = Self.table[row]
    var expected = Arguments()
    change(&expected)

    let hasVerb =
      words.isEmpty
      || words.contains {
        Verb(rawValue: $0) != nil || $0 == "--help" || $0 == "--version" || $0 == "-V" || $0 == "-h"
      }
    let arguments = try Arguments((hasVerb ? [] : ["up"]) + words)

    #expect(arguments == expected, "\(words)")
  }
}
