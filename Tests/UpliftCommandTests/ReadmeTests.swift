import Foundation
import TestSupport
import Testing

/// The README shows commands, output and code as they are.
struct ReadmeTests {
  @Test func `shows what the command prints`() throws {
    let readme = try Page("README.md")
    let directory = try PageDirectory()
    try directory.copy("Resources", to: "Resources")
    try directory.copy("Released", to: "Released")

    #expect(readme.blocks.map(\.language) == ["console", "sh", "console", "swift"])
    for block in readme.blocks where block.language == "console" {
      #expect(try directory.run(transcript: block.text) == block.text)
    }
  }

  @Test func `shows a program that compiles`() throws {
    let scratch = try Scratch()
    let block = try #require(try Page("README.md").blocks.last)
    let program = try scratch.write(block.text, to: "main.swift")

    let outcome = try Command("/usr/bin/env").run(
      arguments: ["swiftc", "-typecheck", "-swift-version", "6", program] + SampleTests.uplift)

    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func `fits 105 lines`() throws {
    #expect(try Self.text().split(separator: "\n", omittingEmptySubsequences: false).count <= 106)
  }

  @Test func `leads to files that exist`() throws {
    let text = try Self.text()
    let links =
      text.matches(of: /\]\(([^)#]+)\)/).map { String($0.1) }
      + text.matches(of: /src(?:set)?="([^"]+)"/).map { String($0.1) }

    let missing = links.filter {
      !FileManager.default.fileExists(atPath: Page.package.appendingPathComponent($0).path)
    }

    #expect(links.count > 10)
    #expect(missing == [])
  }

  private static func text() throws -> String {
    try String(contentsOf: Page.package.appendingPathComponent("README.md"), encoding: .utf8)
  }
}
