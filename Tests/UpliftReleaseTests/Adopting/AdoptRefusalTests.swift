import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// `adopt` refuses databases that have lost no version, or that are not ours.
struct AdoptRefusalTests: AdoptSuite {
  @Test(.tags(.promise7, .promise16)) func `refuses what has not lost its version, and says so`()
    throws
  {
    let site = try site(at: 2)
    let upgrader = upgrader(site)

    try Shell.run(site.database, "PRAGMA user_version = 2;")
    let current = try failure(site)
    try Shell.run(site.database, "PRAGMA user_version = 9;")
    let newer = try failure(site)
    try Shell.run(site.database, "PRAGMA user_version = -1;")
    let invalid = try failure(site)
    try site.scratch.write("", to: "data/app.db")
    let empty = try failure(site)
    try site.scratch.write("log", to: "data/app.db-wal")
    let orphaned = try failure(site)
    try site.scratch.remove("data/app.db-wal")
    try site.scratch.write(String(repeating: "text ", count: 300), to: "data/app.db")
    let damaged = try failure(site)
    try site.scratch.remove("data/app.db")
    let absent = try failure(site)
    let seed = try failure(
      site, upgrader: Upgrader(database: site.seed, seed: .file(site.seed), target: 1))

    #expect(current?.error.exitCode == 78)
    #expect(
      current?.error.description == "\"\(site.database)\" is at 2, and has not lost its version")
    #expect(
      current?.error.remedy == "uplift status --verify compares its schema with that of the version"
    )
    #expect(newer?.error == .newer(9, than: 4))
    #expect(invalid?.error == .invalidVersion(Version(unchecked: -1)))
    #expect(
      empty?.error.description
        == "\"\(site.database)\" holds nothing, so it has no version to find out")
    #expect(orphaned?.error == .orphaned(site.database + "-wal"))
    #expect(damaged?.error.kind == .damaged)
    #expect(absent?.error == .missingDatabase(site.database))
    #expect(site.scratch.names("data") == [])
    #expect(seed?.error.kind == .path)
    _ = upgrader
  }

  @Test(.tags(.promise7)) func `refuses another application's database`() throws {
    let site = try site(at: 3, seed: Site.seed + "PRAGMA application_id = 77;")
    try Shell.run(site.database, "PRAGMA application_id = 78;")

    #expect(try failure(site)?.error == .foreign(site.database, 78, expected: 77))
  }

  @Test func `says that a database on which no script has run needs no version`() throws {
    let seed = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let scripts = ["1_kind.sql": "ALTER TABLE item ADD COLUMN kind TEXT;"]
    let site = try Site(seed: seed, scripts: scripts)
    try site.place(seed)
    let rows = try Site(
      seed: seed, scripts: ["1_rows.sql": "INSERT INTO item(name) VALUES ('a');"])
    try rows.place(seed)

    let error = try failure(site)
    let several = try failure(rows)

    #expect(
      error?.error.description == "\"\(site.database)\" is at 0 because no script has run on it")
    #expect(several?.versions == [0, 1])
    #expect(try upgrader(site).upgrade().start == .existing(0))
    #expect(try upgrader(rows).adopt(version: 1).version == 1)
  }

  @Test func `does not send a database to an upgrade that would send it back`() throws {
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let site = try Site(
      seed: table + "PRAGMA user_version = 1;", scripts: ["1_item.sql": table])
    try site.place("CREATE TABLE _litestream_seq(a);")

    expectError(
      .unversioned, "\"\(site.database)\" has tables but no version, the seed is at 1"
    ) {
      try upgrader(site).upgrade()
    }
    #expect(try differences(failure(site)) == ["table item is missing"])
  }
}
