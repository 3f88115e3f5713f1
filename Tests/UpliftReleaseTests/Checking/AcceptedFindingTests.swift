import TestSupport
import Testing
import Uplift
import UpliftRelease

/// A script accepts findings of `check` that its author has seen and means.
struct AcceptedFindingTests {
  private static let table = "CREATE TABLE a(b); PRAGMA user_version = 1;"
  private static let statement = "ALTER TABLE a ADD COLUMN c TEXT NOT NULL;"

  private func check(_ scripts: [String: String]) throws -> [String] {
    let site = try Site(seed: Self.table, scripts: scripts)
    return try site.upgrader().check().findings.map { "\($0.kind.rawValue) \($0.words)" }
  }

  @Test func `is not reported, and others are`() throws {
    #expect(
      try check(["2.sql": "-- uplift: accepts failsOnRows\n" + Self.statement]) == [])
    #expect(
      try check([
        "2.sql": Self.statement, "3.sql": "-- uplift: accepts failsOnRows\nSELECT 1;",
      ]).map { $0.prefix(while: { $0 != " " }) } == ["failsOnRows", "acceptsNothing"])
  }

  @Test(arguments: [
    ("failsOnRows", "acceptsNothing the script accepts failsOnRows, and no such thing is found"),
    ("everything", "acceptsNothing the script accepts everything, and no such thing is found"),
  ])
  func `is a finding itself, if there is nothing to accept`(kind: String, words: String) throws {
    #expect(try check(["2.sql": "-- uplift: accepts \(kind)\nSELECT 1;"]) == [words])
  }

  @Test func `is not a script that fails`() throws {
    let found = try check(["2.sql": "-- uplift: accepts scriptFails\nSELECT nosuch;"])

    #expect(found.map { $0.prefix(while: { $0 != " " }) } == ["scriptFails", "acceptsNothing"])
  }

  @Test func `may be schemas that differ, in the newest script`() throws {
    let scripts = ["1.sql": "CREATE TABLE a(b, c);", "2.sql": "SELECT 1;"]

    let differing = try check(scripts)
    let accepted = try check(
      scripts.merging(["2.sql": "-- uplift: accepts schemaDiffers\nSELECT 1;"]) { $1 })

    #expect(differing.map { $0.prefix(while: { $0 != " " }) } == ["schemaDiffers"])
    #expect(accepted == [])
  }

  @Test func `may be several, and stands at the top`() throws {
    let site = try Site(
      seed: Self.table,
      scripts: [
        "2.sql": "-- uplift: accepts columnLost rowsLost\nSELECT 1;",
        "3.sql": "SELECT 1; -- uplift: accepts",
      ])

    expectError(.scripts, "3.sql:1:11: no directive is called \"accepts\"") {
      try site.upgrader().upgrade()
    }
  }

  @Test(.tags(.T3)) func `is no edit of a released script`() throws {
    let site = try Site(seed: Self.table, scripts: ["2.sql": "UPDATE a SET b = 1;\n"])
    try site.upgrader().release()
    try site.ship("2.sql", "-- uplift: accepts failsOnRows\nUPDATE a SET b = 1;\n")

    #expect(try site.upgrader().check().findings == [])
    #expect(try site.upgrader().upgrade().end == 2)
  }
}
