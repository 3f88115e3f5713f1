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
      atPath: Self.package.appendingPathComponent("Resources").path, toPath: scratch("Resources"))
    let products = URL(fileURLWithPath: Command.product("uplift").path)
      .deletingLastPathComponent().path
    let path = "\(products):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let transcript = try Self.block("console")
    let commands = transcript.split(separator: "\n").filter { $0.hasPrefix("$ ") }
      .map { String($0.dropFirst(2)) }
    // A reader who follows the transcript has made these files.
    for made in commands.flatMap({ $0.matches(of: /> (\S+)/) }).map({ String($0.1) })
    where scratch.bytes(made) != nil {
      try scratch.remove(made)
    }

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

  @Test func `fits 150 lines`() throws {
    #expect(try Self.text().split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
  }

  private static func text() throws -> String {
    try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// The code in the first block of a language.
  private static func block(_ language: String) throws -> String {
    let parts = try text().components(separatedBy: "```\(language)\n")
    try #require(parts.count > 1)
    return parts[1].components(separatedBy: "```")[0]
  }
}
