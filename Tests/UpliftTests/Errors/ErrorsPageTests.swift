import Foundation
import Testing
import Uplift

/// The page "Errors" has every error, with the words and the exit code that it really has.
struct ErrorsPageTests {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
  }

  private static func page() throws -> String {
    try text("Sources/Uplift/Uplift.docc/Errors.md")
  }

  /// A part of the page about one kind.
  private struct Part: Equatable {
    let kind: String
    let codes: [Int32]
    /// The first line, which is an example of the words.
    let words: String
  }

  private static func parts() throws -> [Part] {
    try page().matches(of: #/\n### (\w+) \(([0-9, ]+)\)\n\n`(.+)`\n\n\S/#).map { match in
      Part(
        kind: String(match.1),
        codes: match.2.split(separator: ", ").compactMap { Int32($0) },
        words: String(match.3))
    }
  }

  /// The names in a property `kind`.
  private static func kinds(_ path: String) throws -> [String] {
    try text("Sources/" + path).matches(of: #/case \.(\w+): "(\w+)"/#)
      .filter { $0.1 == $0.2 }.map { String($0.2) }
  }

  @Test func `has a part for each kind, and for nothing else`() throws {
    let kinds = try Self.kinds("Uplift/Errors/UpgradeError+Kind.swift")

    let shown = try Self.parts().map(\.kind)

    #expect(kinds.count > 25)
    #expect(shown.sorted() == kinds.sorted())
    // No part is missing because its heading has another form.
    #expect(try Self.page().matches(of: #/\n### /#).count == shown.count)
  }

  @Test func `has the exit codes of each kind`() throws {
    // Cases have one exit code for each of their problems, and all problems are in the table of
    // words.
    var codes: [String: Set<Int32>] = [:]
    for row in UpgradeErrorTests.rows {
      codes[row.error.kind, default: []].insert(row.error.exitCode)
    }

    for part in try Self.parts() {
      #expect(part.codes == codes[part.kind]?.sorted(), "\(part.kind)")
    }
  }

  @Test func `shows words that such an error has`() throws {
    for part in try Self.parts() {
      let rows = UpgradeErrorTests.rows.filter { $0.error.kind == part.kind }
      #expect(rows.contains { $0.words == part.words }, "\(part.kind): \(part.words)")
    }
  }

  @Test func `lists the kinds that only the command has`() throws {
    let page = try Self.page()
    let start = try #require(page.range(of: "\n## Other kinds in JSON\n"))
    let shown = page[start.upperBound...].matches(of: #/\n\| `(\w+)` \|/#).map { String($0.1) }

    let report = try ["ErrorReport", "EachDatabase"].flatMap { file in
      try Self.text("Sources/UpliftCommand/\(file).swift")
        .matches(of: #/kind: "(\w+)"/#).map { String($0.1) }
    }
    let release = try Self.kinds("UpliftRelease/Errors/ReleaseError+Words.swift")

    #expect(report.count > 3 && release.count > 15)
    #expect(shown.sorted() == (report + release).sorted())
  }
}
