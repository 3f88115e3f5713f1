import TestSupport
import Testing
import Uplift

/// `-- uplift: from 3` in the lowest script that ships: older databases are refused.
///
/// `Uplift.docc/Scripts.md` shows the directive.
struct FloorTests {
  private static let scripts = [
    "4_four.sql": "-- uplift: from 3\nINSERT INTO item(name) VALUES('four');",
    "5_five.sql": "SELECT 5;",
  ]

  private func upgrader(_ site: Site, seed: Bool = true) -> Upgrader {
    Upgrader(
      database: site.database, seed: seed ? .file(site.seed) : nil,
      migrations: .directory(site.scripts))
  }

  private func site(
    at version: Int, seed: Int = 5, _ scripts: [String: String] = scripts
  ) throws -> Site {
    let site = try Site(
      seed: "CREATE TABLE item(id INTEGER PRIMARY KEY, name); PRAGMA user_version = \(seed);",
      scripts: scripts)
    try site.place(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, name); PRAGMA user_version = \(version);")
    return site
  }

  @Test(.tags(.T1, .promise7), arguments: [1, 2]) func `refuses an older database`(version: Int)
    throws
  {
    let site = try site(at: version)

    let error = expectError(
      .tooOld, "the database is at \(version), and the scripts begin after 3"
    ) { try upgrader(site).upgrade() }

    #expect(error?.exitCode == 76)
    #expect(error?.remedy == "start a release that has the scripts up to 3 first, then this one")
    #expect(try upgrader(site).status().refusal == error)
    #expect(try Shell.run(site.database, "PRAGMA user_version; SELECT * FROM item") == "\(version)")
  }

  @Test(.tags(.T1), arguments: [3, 4]) func `upgrades a newer one`(version: Int) throws {
    let site = try site(at: version)

    #expect(try upgrader(site).status().refusal == nil)
    #expect(try upgrader(site).upgrade().end == 5)
  }

  @Test(.tags(.T1)) func `refuses an empty database without a seed, and a seed that is too old`()
    throws
  {
    let empty = try site(at: 3)
    try empty.scratch.remove("data/app.db")
    let old = try site(at: 3, seed: 2)

    let error = expectError(.tooOld, "the database is at 0, and the scripts begin after 3") {
      try upgrader(empty, seed: false).upgrade()
    }
    #expect(error?.remedy == "ship a seed at 3 or above: a new database cannot begin empty")
    #expect(empty.scratch.bytes("data/app.db") == nil)
    let seed = expectError(.seed, "the seed is at 2, and the scripts begin after 3") {
      try upgrader(old).upgrade()
    }
    #expect(seed?.exitCode == 65)
  }

  @Test(
    .tags(.T1),
    arguments: [
      ["4_four.sql": "SELECT 4;", "5_five.sql": "-- uplift: from 3\nSELECT 5;"],
      ["4_four.sql": "-- uplift: from 4\nSELECT 4;", "5_five.sql": "SELECT 5;"],
      ["5_five.sql": "-- uplift: reads-seed\n-- uplift: from 4\nSELECT 5;"],
    ])
  func `stands in the lowest script, which is above it and reads no seed`(scripts: [String: String])
    throws
  {
    let site = try site(at: 3, scripts)

    let error = #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    #expect(error?.message.contains("ship only if this is the lowest") == true)
    #expect(error?.exitCode == 65)
    #expect(error?.place?.line != nil)
  }

  @Test(.tags(.T2, .T3)) func `may be added to a released script, and older ones may go`() throws {
    let site = try site(at: 3)
    let released = Self.scripts.mapValues { $0.replacing("-- uplift: from 3\n", with: "") }
      .merging(["2_two.sql": "SELECT 2;", "3_three.sql": "SELECT 3;"]) { $1 }
    try site.scratch.write(
      released.sorted { $0.key < $1.key }
        .map { "\($0.key) \(SHA256.hexadecimal(Array($0.value.utf8)))\n" }.joined(),
      to: "resources/scripts/uplift.lock")

    #expect(try upgrader(site).upgrade().end == 5)
  }
}
