import Foundation
import TestSupport
import Testing
import UpliftCommand

/// The completions, as each shell itself offers them.
struct CompletionTests {
  @Test(arguments: CompletingShell.installed)
  func `offer the verbs first, and after help`(shell: CompletingShell) throws {
    let verbs = Verb.allCases.filter { $0 != .version }.map(\.rawValue)

    let offers = try shell.offers(
      "uplift ", "uplift --quiet --data data ", "uplift help ", "uplift re")

    let topics = verbs.filter { $0 != "help" }
    #expect(offers == [verbs.sorted(), verbs.sorted(), topics.sorted(), ["rehearse", "restore"]])
  }

  @Test(arguments: CompletingShell.installed)
  func `offer the options that a verb has, and no other`(shell: CompletingShell) throws {
    let verbs = Verb.allCases.filter { $0 != .version }

    let offers = try shell.offers(verbs.map { "uplift \($0.rawValue) --" })

    for (verb, offer) in zip(verbs, offers) {
      let options = Option.allCases.filter {
        $0.row.verbs.contains(verb) || $0 == .help || $0 == .version
      }
      #expect(offer == options.map(\.name).sorted(), "\(verb)")
    }
    // Without a verb, the command is `up`.
    #expect(try shell.offers("uplift --") == shell.offers("uplift up --"))
  }

  @Test(arguments: CompletingShell.installed)
  func `find the verb after options and their values`(shell: CompletingShell) throws {
    let offers = try shell.offers(
      "uplift --data up --json status --exit", "uplift --data=up status --exit",
      "uplift up --exit", "uplift migrate --exit", "uplift new add up --ref")

    #expect(offers == [["--exit-code"], ["--exit-code"], [], [], ["--refresh"]])
  }

  @Test(arguments: CompletingShell.installed)
  func `offer an option once, unless it may be repeated`(shell: CompletingShell) throws {
    let offers = try shell.offers(
      "uplift check --strict --str", "uplift check --fixtures a --fix",
      "uplift up --wait=1 --wai", "uplift up --wait 1 --wai", "uplift up -- --wai")

    #expect(offers == [[], ["--fixtures"], [], [], []])
  }

  @Test(arguments: CompletingShell.installed)
  func `offer the words that an option accepts`(shell: CompletingShell) throws {
    for option in Option.allCases {
      guard case .oneOf(let words) = option.row.value else { continue }
      let verb = try #require(option.row.verbs.first).rawValue

      let offers = try shell.offers(
        "uplift \(verb) \(option.name) ", "uplift \(verb) \(option.name)=")

      #expect(offers == [words.sorted(), words.sorted()], "\(option.name)")
    }
  }

  @Test(arguments: CompletingShell.installed)
  func `offer directories, files or nothing`(shell: CompletingShell) throws {
    let scratch = try Scratch()
    for name in ["old one/x", "data:2/x", "app.db", "größe.db"] { try scratch.write("", to: name) }

    let offers = try shell.offers(
      "uplift up --data ", "uplift up --data=", "uplift up --seed ", "uplift up --seed=ap",
      "uplift up --data old", "uplift up --data=da", "uplift bake --keep ",
      "uplift up --keep ", "uplift up --wait ", "uplift new ", in: scratch)

    let directories = ["data:2", "old one"]
    let files = ["app.db", "data:2", "größe.db", "old one"]
    #expect(
      offers == [
        directories, directories, files, ["app.db"], ["old one"], ["data:2"], directories, [], [],
        [],
      ])
  }

  @Test(arguments: CompletingShell.installed)
  func `offer the numbers of the scripts for a target`(shell: CompletingShell) throws {
    let scratch = try Scratch()
    for name in [
      "Resources/Migrations/0002_add_visits.sql", "Resources/Migrations/10.SQL",
      "Resources/Migrations/0003-a.sql", "Resources/Migrations/4_a.down.sql",
      "Resources/Migrations/read me.sql", "Resources/Migrations/5_note.txt",
      "other/Migrations/7 x.sql", "more here/1.4.2-1_fix.sql", "more here/1.4_drop.sql",
    ] { try scratch.write("", to: name) }

    let offers = try shell.offers(
      "uplift up --target ", "uplift up --target=", "uplift up --resources other --target ",
      "uplift up --resources=other --target ", "uplift up --migrations more\\ here --target ",
      "uplift up --migrations none --target ", in: scratch)

    let numbers = ["10", "2", "3"]
    #expect(offers == [numbers, numbers, ["7"], ["7"], ["1.4", "1.4.2-1"], []])
  }

  @Test(arguments: CompletingShell.installed)
  func `offer the numbers of the backups to go back to`(shell: CompletingShell) throws {
    let scratch = try Scratch()
    for name in [
      "b/my-app-4.db", "b/my-app-1.4.2-1.db", "b/my-app-5.db.uplift-part", "b/my-app-5-replaced.db",
    ] {
      try scratch.write("", to: name)
    }

    let offers = try shell.offers(
      "uplift restore --backup b --to ", "uplift restore --to ", in: scratch)

    #expect(offers == [["1.4.2-1", "4"], []])
  }
}

/// The texts beside the options.
struct OptionTextTests {
  @Test(arguments: ["zsh", "fish"])
  func `stand alone, and say what the option does for the verb`(shell: String) throws {
    let text = try Command.product("Manual").run(shell).output

    for option in Option.allCases {
      for verb in Verb.allCases where option.row.verbs.contains(verb) {
        let summary = option.row(for: verb).summary
        let escaped = summary.replacing("[", with: "\\[").replacing("]", with: "\\]")
          .replacing(":", with: "\\:")
        #expect(summary != "")
        #expect(text.contains(summary) || text.contains(escaped), "\(option.name)")
      }
    }
    #expect(!text.contains("the same effect") && !text.contains("those above"))
    let version = text.split(separator: "\n").filter { $0.contains("accept only this one") }
    #expect(version.count == 1)
  }
}

/// A shell that is installed on this machine, and the completions for it.
enum CompletingShell: String, CaseIterable {
  case bash, zsh, fish

  static let installed = allCases.filter {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0.rawValue)")
  }

  private static let scripts = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Shells")

  /// What it offers for each line, sorted; options without `=`, directories without `/`.
  func offers(_ lines: String..., in directory: Scratch? = nil) throws -> [[String]] {
    try offers(lines, in: directory)
  }

  func offers(_ lines: [String], in directory: Scratch? = nil) throws -> [[String]] {
    let scratch = try Scratch()
    let made = try Command.product("Manual").run(rawValue)
    try #require(made.status == 0)
    let completions = try scratch.write(made.output, to: "completions")
    let outcome = try Command("/usr/bin/\(rawValue)").run(
      arguments: startArguments + [
        Self.scripts.appendingPathComponent("complete.\(rawValue)").path, completions,
      ],
      input: lines.map { $0 + "\n" }.joined(), in: (directory ?? scratch).path,
      environment: ["HOME": scratch.path, "LC_ALL": "C.UTF-8", "TERM": "vt100"])
    try #require(outcome.errors == "")
    let parts = outcome.output.components(separatedBy: "==\n").dropLast()
    try #require(parts.count == lines.count, "\(outcome.output)")
    return zip(lines, parts).map { line, part in offered(part, for: line) }
  }

  private var startArguments: [String] {
    switch self {
    case .bash: ["--norc", "--noprofile"]
    case .zsh: ["-f"]
    case .fish: ["--no-config"]
    }
  }

  private func offered(_ text: String, for line: String) -> [String] {
    let typed = line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    // zsh's own function adds directories twice.
    var offered = Set(text.split(separator: "\n"))
    // bash leaves what was typed if there is nothing to offer.
    if self == .bash { offered.remove(typed) }
    let words: [String] = offered.map { offer in
      var word = offer
      if let mark = typed.firstIndex(of: "="), word.hasPrefix(typed[...mark]) {
        word = word.dropFirst(typed[...mark].count)
      }
      if word.hasSuffix("=") || word.hasSuffix("/") { word.removeLast() }
      return String(word)
    }
    return words.sorted()
  }
}
