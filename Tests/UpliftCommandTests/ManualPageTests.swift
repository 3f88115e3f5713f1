import Foundation
import TestSupport
import Testing
import UpliftCommand

struct ManualPageTests {
  private static func page() throws -> Outcome {
    try Command.product("Manual").run("page", "2026-11-22")
  }

  /// The page as a reader sees it, on long lines.
  private static func shown() throws -> Outcome {
    let scratch = try Scratch()
    let page = try scratch.write(try page().output, to: "uplift.1")
    return try Command("/usr/bin/groff").run(
      "-man", "-Tutf8", "-ww", "-rLL=2000n", "-P-c", "-P-b", "-P-o", "-P-u", page)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/groff")))
  func `is shown without a warning`() throws {
    let shown = try Self.shown()

    #expect(shown.errors == "")
    #expect(shown.status == 0)
    #expect(shown.output.contains("2026-11-22"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/groff")))
  func `has each verb, option and exit code, with its line`() throws {
    let lines = try Self.shown().output.split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces).split(separator: " ").joined(separator: " ") }

    func expect(_ head: String, _ text: String) {
      let text = text.split(separator: " ").joined(separator: " ")
      // A short head stands in the line of its text.
      let isThere =
        lines.contains("\(head) \(text)")
        || lines.indices.dropLast().contains { lines[$0] == head && lines[$0 + 1] == text }
      #expect(isThere, "\(head): \(text)")
    }
    for verb in Verb.allCases where verb != .version {
      #expect(lines.contains { $0.hasPrefix("uplift \(verb.rawValue)") }, "\(verb)")
      let summary = verb.summary.prefix(1).uppercased() + verb.summary.dropFirst()
      #expect(lines.contains { $0.hasPrefix(summary) }, "\(verb)")
    }
    for option in Option.table {
      let head = option.name + (option.value.map { " " + $0.placeholder } ?? "")
      expect(head, "\(option.help) (\(option.verbs.map(\.rawValue).joined(separator: ", ")))")
    }
    expect("-V, --version", Verb.version.summary)
    for code in ExitCode.allCases { expect("\(code.rawValue)", code.meaning) }
  }

  @Test func `explains directives, names of backups, and each signal once`() throws {
    let page = try Self.page().output

    for head in [
      "unfinished", "reads-seed", "no-transaction", "accepts KIND...",
    ] {
      #expect(page.contains(".B \\-\\- uplift: \(head.replacing("-", with: "\\-"))\n"), "\(head)")
    }
    #expect(page.contains(".B guestbook\\-1f3a9c02\\-0007\\-v4.db\n"))
    #expect(page.matches(of: /SIGINT/).count == 1 && page.matches(of: /SIGTERM/).count == 1)
  }

  /// troff shows a bare `-` as a hyphen, which is another character in some readers.
  @Test func `has dashes that can be copied`() throws {
    let lines = try Self.page().output.split(separator: "\n").dropFirst()

    #expect(lines.filter { $0.replacing("\\-", with: "").contains("-") } == [])
  }

  @Test func `is refused for another word, and if it cannot be written`() throws {
    let unknown = try Command.product("Manual").run("tcsh")
    let full = try Command("/bin/sh").run(
      "-c", "'\(Command.product("Manual").path)' page >/dev/full")

    #expect(unknown == Outcome(status: 64, output: "", errors: ""))
    #expect(full.status == 74)
  }
}
