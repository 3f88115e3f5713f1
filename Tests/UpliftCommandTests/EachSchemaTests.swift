import Foundation
import TestSupport
import Testing

/// Databases at the target, whose schemas are compared and not read again.
struct EachSchemaTests {
  /// How many pages the schema has: one, several, or one with a row that continues on other pages.
  enum Size: CaseIterable { case onePage, manyPages, longRow }

  private static func schema(_ size: Size) -> String {
    switch size {
    case .onePage: "CREATE TABLE visits (guest TEXT);"
    case .manyPages:
      (0..<300).map { "CREATE TABLE visits_\($0) (id INTEGER PRIMARY KEY, guest TEXT);" }.joined()
    case .longRow:
      "CREATE TABLE visits (\((0..<900).map { "column_\($0) TEXT" }.joined(separator: ", ")));"
    }
  }

  private static func fleet(_ size: Size, log: Bool = false) throws -> Fleet {
    let fleet = try Fleet((0..<8).map { "t\($0).db" }, scripts: ["2.sql": schema(size)])
    #expect(try fleet.up().output.hasSuffix("8 at 2\n"))
    if log {
      for index in 0..<8 { try Shell.run(fleet.path("t\(index).db"), "PRAGMA journal_mode=WAL;") }
    }
    return fleet
  }

  /// Overwrites the last place at which a text stands in a file.
  private static func damage(_ path: String, _ text: String) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let range = try #require(data.range(of: Data(text.utf8), options: .backwards))
    data.replaceSubrange(range, with: Data(repeating: UInt8(ascii: "("), count: range.count))
    try data.write(to: URL(fileURLWithPath: path))
  }

  @Test(.tags(.promise7, .O13), arguments: Size.allCases, [false, true])
  func `are refused if they are damaged, though those before are not`(
    size: Size, hasLog: Bool
  ) throws {
    let fleet = try Self.fleet(size, log: hasLog)
    try Self.damage(fleet.path("t5.db"), "CREATE TABLE visits")
    if size == .longRow { try Self.damage(fleet.path("t6.db"), "column_800") }

    let outcome = try fleet.up()

    let sick = size == .longRow ? ["t5", "t6"] : ["t5"]
    #expect(outcome.status == 78)
    #expect(outcome.output == "\(8 - sick.count) at 2, \(sick.count) failed\n")
    for name in sick {
      #expect(outcome.errors.contains("uplift: \"tenants/\(name).db\" is damaged: malformed"))
    }
  }

  @Test(.tags(.promise7), arguments: Size.allCases)
  func `are refused if the end of the file is missing`(size: Size) throws {
    let fleet = try Self.fleet(size)
    let file = try #require(FileHandle(forWritingAtPath: fleet.path("t5.db")))
    try file.truncate(atOffset: file.seekToEnd() - 100)

    let outcome = try fleet.up()

    #expect(outcome.status == 78)
    #expect(outcome.output == "7 at 2, 1 failed\n")
  }

  @Test(.tags(.promise9), arguments: [false, true])
  func `are not changed, and get no file beside them`(hasLog: Bool) throws {
    let fleet = try Self.fleet(.manyPages, log: hasLog)
    let before = try Snapshot(of: fleet.service.scratch("tenants"))

    let outcome = try fleet.up("--jobs", "2")

    #expect(outcome == Outcome(status: 0, output: "8 at 2\n", errors: ""))
    #expect(try Snapshot(of: fleet.service.scratch("tenants")) == before)
  }

  @Test(.tags(.promise1, .promise7)) func `do not hide a version that is not the target`() throws {
    let fleet = try Self.fleet(.onePage)
    try Shell.run(fleet.path("t4.db"), "PRAGMA user_version = 1; DROP TABLE visits;")
    try Shell.run(fleet.path("t5.db"), "PRAGMA user_version = 9;")

    let outcome = try fleet.up()

    #expect(outcome.status == 76)
    #expect(outcome.output == "tenants/t4.db: 1 -> 2\n7 at 2, 1 failed\n")
  }

  /// A crashed writer has left its journal: SQLite rolls it back before anything is read.
  @Test(.tags(.P8)) func `are read after the journal of a crashed writer is rolled back`() throws {
    let fleet = try Self.fleet(.onePage)
    let path = fleet.path("t5.db")

    let outcome = try fleet.service.shell(
      """
      cp '\(path)' saved.db
      sqlite3 saved.db >/dev/null 2>&1 <<'END'
      PRAGMA cache_size = 1; PRAGMA synchronous = OFF;
      BEGIN; PRAGMA user_version = 1; DROP TABLE visits; CREATE TABLE more (a);
      INSERT INTO more SELECT randomblob(9000) FROM sqlite_master, sqlite_master, sqlite_master;
      .shell cp saved.db '\(path)'; cp saved.db-journal '\(path)-journal'
      ROLLBACK;
      END
      uplift up --each tenants
      """)

    #expect(outcome == Outcome(status: 0, output: "8 at 2\n", errors: ""))
    #expect(try Shell.run(path, ".tables") == "guests  visits")
    #expect(fleet.service.scratch.bytes("tenants/t5.db-journal") == nil)
  }
}
