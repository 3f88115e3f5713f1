import Foundation
import Testing

/// The map in CONTRIBUTING names files that exist.
struct ContributingTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text() throws -> String {
    try String(contentsOf: package.appendingPathComponent("CONTRIBUTING.md"), encoding: .utf8)
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: package.appendingPathComponent(path).path)
  }

  /// Targets are named without `Sources`, and rooms of the library without `Sources/Uplift`.
  private static func isSource(_ path: String) -> Bool {
    ["", "Sources/", "Sources/Uplift/"].contains { exists($0 + path) }
  }

  /// A file that is named without its directory is in the directory of the file before it.
  @Test func `names source files where they are`() throws {
    let named = try Self.text().matches(of: /`([A-Za-z+\/]+\.swift)`/).map { String($0.1) }
    var directory = ""
    var paths: [String] = []
    for name in named {
      if let slash = name.lastIndex(of: "/") { directory = String(name[...slash]) }
      paths.append(name.contains("/") ? name : directory + name)
    }

    #expect(paths.count > 20)
    #expect(paths.filter { !Self.isSource($0) } == [])
  }

  /// The files to read first are named without an extension.
  @Test func `names files to read first that exist`() throws {
    let text = try Self.text()
    let start = try #require(text.range(of: "**Read first**"))
    let rest = text[start.upperBound...]
    let paragraph = rest[..<(rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex)]
    let named = paragraph.matches(of: /`([A-Z][A-Za-z+\/]+)`/).map { String($0.1) }
    let room = try #require(named.first)

    let files = named.dropFirst().map { ($0.contains("/") ? $0 : "\(room)/\($0)") + ".swift" }

    #expect(files.count > 10)
    #expect(files.filter { !Self.isSource($0) } == [])
  }

  @Test func `names scripts, pages and directories that exist`() throws {
    let text = try Self.text()
    let inBackticks = /`((?:Scripts|Sources|Resources|Tests)(?:\/[A-Za-z.+\/-]+)?|[A-Z]+\.md)/
    let named =
      text.matches(of: inBackticks).map { String($0.1) }.filter { !$0.hasSuffix(".swift") }
      + text.matches(of: /\]\(([A-Za-z\/]+\.md)\)/).map { String($0.1) }

    #expect(named.count > 15)
    #expect(named.filter { !Self.exists($0) } == [])
  }
}
