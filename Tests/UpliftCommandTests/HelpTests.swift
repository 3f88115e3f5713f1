import Foundation
import TestSupport
import Testing
import UpliftCommand

struct HelpTests {
  static let topics: [Verb?] = [nil] + Verb.allCases

  @Test(arguments: topics)
  func `fits a screen of 80 columns and 24 lines, with the prompt below it`(topic: Verb?) {
    let lines = Help.text(topic).split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.count < 24)
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test(arguments: Option.allCases)
  func `names an option on the page of each verb that takes it, and on no other`(option: Option) {
    // An option without a help of its own is shown in the line of another.
    let start = option.row.help.isEmpty ? "[" : "  "
    let verbs = Verb.allCases.filter { verb in
      Help.text(verb).split(separator: "\n").contains {
        $0.hasPrefix("  --") && ($0 + " ").contains(start + option.name)
          && !($0 + " ").contains(start + option.name + "-")
      }
    }

    #expect(verbs == option.row.verbs)
  }

  @Test func `names every exit code`() {
    let numbers = Help.text(nil).matches(of: /[0-9]+/).map { String($0.0) }

    #expect(Set(numbers).isSuperset(of: ExitCode.allCases.map { "\($0.rawValue)" }))
  }

  @Test(
    arguments: [
      (["help"], nil), (["--help"], nil), (["-h"], nil), (["status", "--help"], .status),
      (["help", "up"], .up), (["help", "status"], .status),
    ] as [([String], Verb?)])
  func `is printed on standard output, and nothing else`(words: [String], topic: Verb?)
    throws
  {
    let outcome = try Command.product("uplift").run(arguments: words)

    #expect(outcome == Outcome(status: 0, output: Help.text(topic) + "\n", errors: ""))
  }

  @Test func `does not appear with the version, which names SQLite's as well`() throws {
    let outcome = try Command.product("uplift").run("--version")

    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(
      try outcome.output.wholeMatch(of: Regex("uplift 0.1.0, SQLite 3(\\.[0-9]+){2}\n")) != nil)
  }
}

/// Verbs and options of other tools.
struct SynonymTests {
  @Test func `are answered with verbs and options that exist`() {
    for advice in (Synonym.verbs + Synonym.options).map(\.advice) {
      let verbs = advice.matches(of: /uplift ([a-z]+)/).map { String($0.1) }
      #expect(verbs.allSatisfy { Verb(rawValue: $0) != nil }, "\(advice)")
      let options = advice.matches(of: /--([a-z][a-z-]*)/).map { String($0.1) }
      #expect(options.allSatisfy { Option(rawValue: $0) != nil }, "\(advice)")
    }
  }

  @Test func `have one answer each, and are no verb or option of the command`() {
    let verbs = Synonym.verbs.flatMap(\.words)
    let options = Synonym.options.flatMap(\.words)

    #expect(Set(verbs).count == verbs.count)
    #expect(Set(options).count == options.count)
    // `version` is a verb that no command line can name.
    #expect(
      Set(verbs).isDisjoint(with: Verb.allCases.map(\.rawValue).filter { $0 != "version" }))
    #expect(Set(options).isDisjoint(with: Option.allCases.map(\.rawValue)))
  }
}

struct NamedOptionTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "Sources/Uplift/Errors", "Sources/UpliftCommand", "Sources/Uplift/Uplift.docc/Command.md",
  ])
  func `exist, wherever a message or the page of the command names them`(
    name: String
  ) throws {
    let url = Self.package.appendingPathComponent(name)
    let files =
      try name.hasSuffix(".md")
      ? [url]
      : FileManager.default.subpathsOfDirectory(atPath: url.path)
        .map { url.appendingPathComponent($0) }

    for file in files where ["swift", "md"].contains(file.pathExtension) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let unknown = text.matches(of: /--([a-z][a-z-]+)/).map { String($0.1) }
        .filter { Option(rawValue: $0) == nil }
      #expect(unknown == [], "\(file.lastPathComponent)")
    }
  }
}
