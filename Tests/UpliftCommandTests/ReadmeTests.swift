import Foundation
import TestSupport
import Testing

/// The README shows commands, output and code as they are.
struct ReadmeTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `shows what the command prints`() throws {
    let scratch = try Scratch()
    try FileManager.default.copyItem(
      // A link may lead to the resources; they must not be changed.
      atPath: Self.package.appendingPathComponent("Resources").resolvingSymlinksInPath().path,
      toPath: scratch("Resources"))
    let products = URL(fileURLWithPath: Command.product("uplift").path)
      .deletingLastPathComponent().path
    let path = "\(products):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let transcript = try Self.blocks("console").joined()
    let commands = transcript.split(separator: "\n").filter { $0.hasPrefix("$ ") }
      .map { String($0.dropFirst(2)) }
    var seen = ""
    for command in commands {
      let outcome = try Command("/bin/sh").run(
        "-c", command, in: scratch.path, environment: ["PATH": path, "LC_ALL": "C"])
      seen += "$ \(command)\n\(outcome.withoutDurations.output)\(outcome.errors)"
    }

    #expect(seen == transcript)
  }

  @Test func `shows a program that compiles`() throws {
    let scratch = try Scratch()
    let program = try scratch.write(try Self.block("swift"), to: "main.swift")
    let products = URL(fileURLWithPath: Command.product("uplift").path).deletingLastPathComponent()
    let sources = Self.package.appendingPathComponent("Sources")

    let outcome = try Command("/usr/bin/env").run(
      "swiftc", "-typecheck", "-swift-version", "6", program,
      "-I", products.appendingPathComponent("Modules").path,
      "-I", sources.appendingPathComponent("CUpliftSQLite").path,
      "-I", sources.appendingPathComponent("CUpliftSystem").path)

    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func `fits 100 lines`() throws {
    #expect(try Self.text().split(separator: "\n", omittingEmptySubsequences: false).count <= 101)
  }

  @Test func `leads to files that exist`() throws {
    let text = try Self.text()
    let links =
      text.matches(of: /\]\(([^)#]+)\)/).map { String($0.1) }
      + text.matches(of: /src(?:set)?="([^"]+)"/).map { String($0.1) }

    let missing = links.filter {
      !FileManager.default.fileExists(atPath: Self.package.appendingPathComponent($0).path)
    }

    #expect(links.count > 10)
    #expect(missing == [])
  }

  private static func text() throws -> String {
    try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// The code in the only block of a language.
  private static func block(_ language: String) throws -> String {
    let blocks = try blocks(language)
    try #require(blocks.count == 1)
    return blocks[0]
  }

  private static func blocks(_ language: String) throws -> [String] {
    try text().components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }
}
