import Foundation
import Testing
import Uplift

/// The page "Errors" has every kind of error, with its exit code and with words that such an error
/// has.
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

  @Test func `has a part for each kind, with its exit code, and for nothing else`() throws {
    let headings = try Self.page().matches(of: #/\n### (.+)/#).map { String($0.1) }

    let kinds = UpgradeError.Kind.allCases.map { "\($0.rawValue) (\($0.exitCode))" }
    #expect(headings.sorted() == kinds.sorted())
  }

  @Test func `shows words that such an error has`() throws {
    let reports =
      ErrorKindsTests.situations.map(\.report) + ScriptErrorsTests.Case.all.map(\.report)

    let parts = try Self.page().matches(of: #/\n### (\w+ \(\d+\))\n\n`(.+)`\n\n\S/#)

    #expect(parts.count == UpgradeError.Kind.allCases.count)
    for part in parts {
      #expect(reports.contains { $0.hasPrefix("\(part.1)\n\(part.2)\n") }, "\(part.1): \(part.2)")
    }
  }

  @Test func `lists the kinds that only the command has`() throws {
    let page = try Self.page()
    let start = try #require(page.range(of: "\n## Other kinds in JSON\n"))
    let lists = page[start.upperBound...].split(separator: "\n\n").filter { $0.hasPrefix("- ") }
    let shown = lists.flatMap { $0.matches(of: #/`(\w+)`/#) }.map { String($0.1) }

    let report = try ["ErrorReport", "Console"].flatMap { file in
      try Self.text("Sources/UpliftCommand/\(file).swift")
        .matches(of: #/kind: "(\w+)"/#).map { String($0.1) }
    }

    #expect(report.count == 2)
    #expect(Set(shown) == Set(report).subtracting(UpgradeError.Kind.allCases.map(\.rawValue)))
  }
}
