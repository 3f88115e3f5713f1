import Foundation
import Testing

/// The first page of the documentation shows the whole interface on one screen.
struct PublicInterfaceTests {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Sources/Uplift").standardized

  private static func interface() throws -> [Substring] {
    let page = try String(
      contentsOf: sources.appendingPathComponent("Uplift.docc/Uplift.md"), encoding: .utf8)
    let head = try #require(page.range(of: "## The interface at a glance\n\n```swift\n"))
    let foot = try #require(page.range(of: "\n```\n", range: head.upperBound..<page.endIndex))
    return page[head.upperBound..<foot.lowerBound].split(separator: "\n")
  }

  /// The public names in the sources, except those of the errors.
  private static func declared() throws -> Set<String> {
    let declaration = try Regex(
      #"public (?:static |borrowing )*(?:struct|enum|protocol|func|let|var) (\w+)"#,
      as: (Substring, Substring).self)
    var names: Set<String> = []
    let files = FileManager.default.enumerator(atPath: sources.path)
    while let file = files?.nextObject() as? String {
      guard file.hasSuffix(".swift"), !isAboutErrors(file) else { continue }
      let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      for match in text.matches(of: declaration) { names.insert(String(match.output.1)) }
    }
    return names
  }

  private static func isAboutErrors(_ file: String) -> Bool {
    file.hasPrefix("Errors/")
  }

  @Test func `the page shows every public name`() throws {
    let shown = Set(try Self.interface().flatMap { $0.split { !$0.isLetter } }.map(String.init))

    // The page leaves out the members of a skipped statement.
    let names = try Self.declared().subtracting(["line", "text", "words", "hash"])
    #expect(names.count > 40)
    #expect(names.subtracting(shown).sorted() == [])
  }

  @Test func `the page shows them on one screen`() throws {
    let lines = try Self.interface()

    #expect(lines.count < 50)
    #expect(lines.allSatisfy { $0.count <= 100 })
  }
}
