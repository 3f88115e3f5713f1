import Foundation
import TestSupport
import Testing

/// Everything that the pages of the documentation show is run or compiled.
struct PageTests {
  @Test func `have a way to be checked for each block that they show`() throws {
    let names = try Page.names()

    #expect(names == Page.ways.keys.sorted())
    for name in names {
      let blocks = try Page.named(name).blocks
      let ways = try #require(Page.ways[name])
      #expect(ways.count == blocks.count, "\(name) has another number of blocks")
      for (block, way) in zip(blocks, ways) where !way.languages.contains(block.language) {
        Issue.record("\(name):\(block.line): \"\(block.language)\" is not checked as \(way)")
      }
    }
  }

  @Test(arguments: Page.ways.keys.sorted())
  func `show commands, output and files that are as they say`(name: String) throws {
    let page = try Page.named(name)
    let directory = try PageDirectory()
    try directory.prepare(for: name)

    for (block, way) in zip(page.blocks, Page.ways[name] ?? []) {
      let place = "\(name):\(block.line)"
      switch way {
      case .transcript:
        let seen = try directory.run(transcript: block.text)
        #expect(seen == block.text, "\(place)")
      case .commands:
        let outcome = try directory.run("set -e\n" + block.text)
        #expect(outcome.status == 0, "\(place): \(outcome.output)")
      case .python where ExampleTests.python == nil:
        Issue.record("\(place) is not run: python3 is not installed", severity: .warning)
      case .python:
        let outcome = try directory.run("python3 -", input: block.text)
        #expect(outcome.status == 0, "\(place): \(outcome.output)")
      case .script:
        try directory.scratch.write(block.text, to: "here/Resources/Migrations/0008_page.sql")
        let outcome = try directory.run("uplift")
        #expect(outcome.status == 0, "\(place): \(outcome.output)")
      case .manifest:
        try directory.scratch.write(block.text, to: "here/Package.swift")
        let outcome = try directory.run("swift package dump-package")
        #expect(outcome.status == 0, "\(place): \(outcome.output)")
      case .program:
        let program = try ExamplePackage.swift.compile(block.text, in: directory.scratch)
        try directory.write(program: "exec '\(program)'\n", named: "swift")
      case .image: try directory.runImage(block.text, place)
      case .synopsis: try directory.checkSynopsis(block.text, place)
      case .files: try checkFiles(block.text, place)
      case .test(let file): try checkTest(file, name)
      case .unit, .statements, .declarations, .otherTool: break  // in tests of their own
      }
    }
  }

  /// Words that look like files of the package are some, and scripts know their options.
  private func checkFiles(_ text: String, _ place: String) throws {
    for line in text.matches(of: #/(?m)^(Scripts\/[a-z]+).* (--[a-z]+)/#) {
      let script = Page.package.appendingPathComponent(String(line.1))
      #expect(
        try String(contentsOf: script, encoding: .utf8).contains(line.2), "\(place): \(line.2)")
    }
    let named = text.matches(of: #/\b(?:Scripts|Packaging)\/[A-Za-z]+/#).map { String($0.output) }
    for file in named {
      let path = Page.package.appendingPathComponent(file).path
      #expect(FileManager.default.fileExists(atPath: path), "\(place): \(file)")
    }
    // Files of a package have the version of the program in their names.
    let versions = text.matches(of: #/uplift[_-](\d+\.\d+\.\d+)[_-]/#).map { String($0.1) }
    for version in versions { #expect(Self.version == version, "\(place)") }
    #expect(named.count + versions.count > 0, "\(place) names no file")
  }

  private static let version = (try? Command.product("uplift").run("--version").output)?
    .firstMatch(of: #/^uplift (\d+\.\d+\.\d+),/#).map { String($0.1) }

  private func checkTest(_ file: String, _ page: String) throws {
    let url = Page.package.appendingPathComponent("Tests/\(file)")
    #expect(try String(contentsOf: url, encoding: .utf8).contains("Uplift.docc/\(page)"), "\(file)")
  }

  private static let systemd = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test(.enabled(if: systemd != nil, "systemd-analyze is not installed"))
  func `show units that systemd accepts`() throws {
    let analyze = try #require(Self.systemd)
    let scratch = try Scratch()
    let pages = try Page.names().map(Page.named) + [Page("Examples/python/README.md")]
    let units = pages.flatMap { page in
      page.blocks.filter { $0.language == "ini" }.map { (page.path, $0) }
    }

    #expect(units.count >= 4)
    for (index, (path, block)) in units.enumerated() {
      // systemd looks for the programs, which are not installed here.
      let text = block.text.replacing(#/(Exec\w+=)\S+/#) { "\($0.1)/bin/true" }
      let file = try scratch.write(text, to: "guestbook-\(index).service")

      let outcome = try Command(analyze).run("verify", file)

      #expect(outcome.errors == "", "\(path):\(block.line)")
      #expect(outcome.status == 0, "\(path):\(block.line)")
    }
  }
}
