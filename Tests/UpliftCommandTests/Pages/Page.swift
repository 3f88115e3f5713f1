import Foundation
import Testing

/// A page of the documentation, with the blocks of code that it shows.
struct Page: Sendable {
  /// The package, as its files are in the repository.
  static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  struct Block: Sendable {
    /// The word after the fence; empty if there is none.
    let language: String
    let text: String
    /// The line of the fence in the page, from 1.
    let line: Int
  }

  /// The path in the package.
  let path: String
  let blocks: [Block]

  init(_ path: String) throws {
    self.path = path
    let text = try String(
      contentsOf: Self.package.appendingPathComponent(path), encoding: .utf8)
    var blocks: [Block] = []
    var begun: (language: String, line: Int, lines: [Substring])?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if var block = begun {
        if line == "```" {
          let text = block.lines.map { $0 + "\n" }.joined()
          blocks.append(Block(language: block.language, text: text, line: block.line))
          begun = nil
        } else {
          block.lines.append(line)
          begun = block
        }
      } else if line.hasPrefix("```") {
        begun = (String(line.dropFirst(3)), index + 1, [])
      }
    }
    try #require(begun == nil, "\(path) has a block without an end")
    self.blocks = blocks
  }

  /// The names of all pages of the documentation, sorted.
  static func names() throws -> [String] {
    let directory = package.appendingPathComponent("Sources/Uplift/Uplift.docc").path
    return try FileManager.default.contentsOfDirectory(atPath: directory)
      .filter { $0.hasSuffix(".md") }.sorted()
  }

  static func named(_ name: String) throws -> Page {
    try Page("Sources/Uplift/Uplift.docc/\(name)")
  }
}
