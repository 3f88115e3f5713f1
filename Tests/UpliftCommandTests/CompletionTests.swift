import Foundation
import TestSupport
import Testing
import UpliftCommand

/// The completions, as each shell itself offers them.
struct CompletionTests {
  @Test(arguments: CompletingShell.installed)
  func `offer the verbs, and the options of each`(shell: CompletingShell) throws {
    let verbs = Verb.typed.map(\.rawValue)

    let first = try shell.offers("uplift re", "uplift help re")
    let offers = try shell.offers(verbs.map { "uplift \($0) --" })

    #expect(first == [["rehearse", "release", "restore"], ["rehearse", "release", "restore"]])
    for (verb, offer) in zip(Verb.typed, offers) {
      #expect(offer == (Option.of(verb).map(\.name) + ["--help"]).sorted(), "\(verb)")
    }
  }

  @Test(arguments: CompletingShell.installed)
  func `offer directories, files, words or nothing for a value`(shell: CompletingShell) throws {
    let scratch = try Scratch()
    for name in ["old one/x", "data/x", "app.db"] { try scratch.write("", to: name) }

    let offers = try shell.offers(
      "uplift up --data ", "uplift up --data=da", "uplift up --seed ap",
      "uplift up --if-missing ", "uplift up --if-missing=e", "uplift release --released d",
      "uplift up --keep ", "uplift up --target ", in: scratch)

    #expect(
      offers == [
        ["data", "old one"], ["data"], ["app.db"], ["empty", "fail", "seed"], ["empty"], ["data"],
        [], [],
      ])
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
