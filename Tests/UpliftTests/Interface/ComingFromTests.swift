import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift

/// The page "Coming from …" shows code that is compiled and run here.
struct ComingFromTests {
  @Test func `the page shows the code of the functions that run`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let page = here.appendingPathComponent("../../../Sources/Uplift/Uplift.docc/ComingFrom.md")
    let source = here.appendingPathComponent("ComingFrom.swift")

    let shown = try Self.blocks(
      String(contentsOf: page, encoding: .utf8), from: "With Uplift:", to: "```",
      skipping: 2)
    let run = try Self.blocks(
      String(contentsOf: source, encoding: .utf8), from: "    // ", to: "    // end", skipping: 0)

    #expect(shown.count == 6)
    #expect(shown == run)
  }

  /// The lines between two given lines, without their indentation.
  private static func blocks(
    _ text: String, from start: String, to end: String, skipping: Int
  ) throws -> [String] {
    var blocks: [String] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let first = lines.firstIndex(where: { $0.hasPrefix(start) && $0 != end }) {
      lines = lines[(first + 1 + skipping)...]
      guard let last = lines.firstIndex(where: { $0 == end }) else { break }
      let block = lines[..<last]
      let indent = block.first.map { $0.prefix { $0 == " " }.count } ?? 0
      blocks.append(block.map { String($0.dropFirst(indent)) }.joined(separator: "\n"))
      lines = lines[(last + 1)...]
    }
    return blocks
  }

  private static let guests = """
    CREATE TABLE guests(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO guests VALUES (1, 'Ann B');
    PRAGMA user_version = 1;
    """

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  /// A seed at 1 and the given scripts, laid out as the page names them.
  private func resources(_ scripts: [String: String]) throws -> Scratch {
    let scratch = try Scratch()
    for (name, text) in scripts { try scratch.write(text, to: "Migrations/" + name) }
    try Shell.run(scratch("app.db"), Self.guests)
    return scratch
  }

  @Test func `the code for FMDBMigrationManager works`() throws {
    let data = try Scratch()
    let resources = try resources([
      "2017070101_add_slugs.sql": "ALTER TABLE guests ADD COLUMN slug TEXT;"
    ])

    let before = try ComingFrom.upgradeInsteadOfFMDBMigrationManager(
      data: data.path, resources: resources.path)

    #expect((before.seed, before.version, before.applied.count) == (1, nil, 0))
    #expect(before.pending.map(\.version) == [2_017_070_101, 2_017_070_102])
    #expect(try Shell.run(data("app.db"), "SELECT slug FROM guests;") == "ann-b")
  }

  @Test func `the code for fmdb-migration-manager works`() throws {
    let data = try Scratch()
    try Shell.run(data("app.db"), "CREATE TABLE staff(a);")

    try ComingFrom.upgradeInsteadOfTheOlderManager(data: data.path)

    #expect(try Shell.run(data("app.db"), ".tables") == "students")
    #expect(
      try Shell.run(
        data("app.db"), "INSERT INTO students(first_name) VALUES ('Ann'); SELECT * FROM students;")
        == "1|Ann|21|")
  }

  @Test func `the code for MFMigrationManager works`() throws {
    let data = try Scratch()
    let forgotten = Counter()

    for _ in 0..<2 {
      try ComingFrom.upgradeInsteadOfMFMigrationManager(
        data: data.path, currentVersion: "1.2.5",
        forget: { forgotten.count.withLock { $0 += 1 } })
    }

    #expect(forgotten.count.withLock { $0 } == 1)
    #expect(try Shell.version(data("books.db")) == 1_020_500)
    #expect(try Shell.version(data("notes.db")) == 1_020_000)
  }

  @Test func `the code for a kDBVersion of one's own works`() throws {
    let data = try Scratch()
    let resources = try resources([
      "2018010101.sql": "CREATE TABLE guests(id); ALTER TABLE guests ADD COLUMN home TEXT;"
    ])

    try ComingFrom.upgradeInsteadOfOneWrittenByHand(data: data.path, resources: resources.path)

    #expect(try Shell.version(data("app.db")) == 2_018_010_101)
    #expect(try Shell.run(data("app.db"), "SELECT name, home FROM guests;") == "Ann B|")
  }

  @Test func `the code for Swift-Kuery works`() throws {
    let data = try Scratch()
    try Shell.run(
      data("app.db"),
      "CREATE TABLE Person(name, born); INSERT INTO Person VALUES ('Ann', 1988);"
        + "PRAGMA user_version = 1;")

    try ComingFrom.upgradeInsteadOfSwiftKuery(data: data.path)

    #expect(try Shell.run(data("app.db"), "SELECT * FROM People;") == "Ann|30")
  }

  @Test func `the code for GRDB and SQLite.swift works`() throws {
    let data = try Scratch()
    try Shell.run(
      data("app.db"),
      "CREATE TABLE author(id INTEGER PRIMARY KEY, name); INSERT INTO author VALUES (7, ' Ann ');"
        + "PRAGMA user_version = 1;")

    try ComingFrom.upgradeInsteadOfGRDB(data: data.path)

    #expect(try Shell.run(data("app.db"), "SELECT * FROM author;") == "7|Ann|")
  }
}
