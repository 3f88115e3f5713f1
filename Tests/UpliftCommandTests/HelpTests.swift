import Foundation
import TestSupport
import Testing
import UpliftCommand

struct HelpTests {
  static let topics: [Verb?] = [nil] + Verb.allCases

  @Test(arguments: topics)
  func `fits a screen of 80 columns and 24 lines, with the prompt below it`(topic: Verb?) {
    for text in [Help.text(topic), Help.text(topic, isOwn: true)] {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)

      #expect(lines.count < 24)
      #expect(lines.allSatisfy { $0.count <= 80 })
    }
  }

  @Test func `names an option once on the page of each verb that takes it`() {
    for verb in Verb.typed where verb != .help {
      let names = Help.text(verb).matches(of: /(?m)^  (--[a-z-]+)/).map { String($0.1) }

      #expect(names == Option.of(verb).map(\.name))
      #expect(Set(names).count == names.count)
    }
  }

  @Test func `of a program names no option for files that the program brings itself`() {
    for verb in [Verb.up, .status, .rehearse, .restore, .adopt] {
      let text = Help.text(verb, isOwn: true)
      #expect(!["--resources", "--data ", "--seed", "--migrations"].contains(where: text.contains))
    }
  }

  @Test func `has one example of each verb, and begins with what its readers need first`() {
    for verb in Verb.typed where verb != .help {
      let examples = Help.text(verb).matches(of: /(?m)^Example: uplift ([a-z]+)/)
      #expect(examples.map { String($0.1) } == [verb.rawValue])
    }
    let up = Option.of(.up).map(\.name)
    #expect(up.prefix(4) == ["--resources", "--data", "--backup", "--keep"])
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

/// The table of options, and the verbs of other tools.
struct OptionTableTests {
  @Test func `has rows of one name only with or without a value`() {
    let names = Set(Option.table.filter { $0.value != nil }.map(\.name))

    #expect(Option.table.allSatisfy { ($0.value != nil) == names.contains($0.name) })
    #expect(Option.table.allSatisfy { !$0.verbs.isEmpty && $0.help.count <= 51 })
  }

  @Test func `answers the verbs of other tools once, and none of our own`() {
    let words = ErrorReport.otherTools.flatMap { $0.words.split(separator: " ") }

    #expect(Set(words).count == words.count)
    #expect(Set(words.map(String.init)).isDisjoint(with: Verb.typed.map(\.rawValue)))
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
      let unknown = text.matches(of: /--[a-z][a-z-]+/).map { String($0.0) }.filter { name in
        // The last two are those of other tools.
        !["--help", "--version", "--db", "--dry-run"].contains(name)
          && !Option.table.contains { $0.name == name }
      }
      #expect(unknown == [], "\(file.lastPathComponent)")
    }
  }
}
