import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// `uplift new --import` keeps the order and the texts of another tool.
struct ImportTests {
  @Test func `keeps a text byte for byte`() throws {
    let text = "\u{feff}CREATE TABLE a (b);\r\n\r\n-- the end\r\nSELECT 'ä;''';  "
    let old = try OldScripts(["1_a.sql": text])

    try old.importAll()

    #expect(Array(old.written["0001_a.sql"]?.utf8 ?? "".utf8) == Array(text.utf8))
  }

  /// Names in the order in which their tools run them, and their new names.
  static let orders: [(old: [String], new: [String])] = [
    // Counts from 0, as numbers.
    (["0_a.sql", "2_b.sql", "10_c.sql"], ["0001_a.sql", "0002_b.sql", "0003_c.sql"]),
    (["0000_a.sql", "0001.sql"], ["0001_a.sql", "0002.sql"]),
    // 12, 14, 17 and 20 digits; the last do not fit any integer.
    (["201801141716_a.sql", "201801141717_b.sql"], ["0001_a.sql", "0002_b.sql"]),
    (
      ["20180114171611-a-b.up.sql", "20180114171612-c.up.sql"], ["0001_a_b.sql", "0002_c.sql"]
    ),
    (["20170701093000123_a.sql", "20170701093000124_b.sql"], ["0001_a.sql", "0002_b.sql"]),
    (["18446744073709551615_a.sql", "18446744073709551616_b.sql"], ["0001_a.sql", "0002_b.sql"]),
    // Dates.
    (
      ["2018-01-14-171611_create_users/up.sql", "2018-02-01-000000-0000_next/up.sql"],
      ["0001_create_users.sql", "0002_next.sql"]
    ),
    (["2018-1-9.sql", "2018-1-10_x.sql"], ["0001.sql", "0002_x.sql"]),
    (["2014_10_12_000000_x.sql", "2014_10_12_000001_y.sql"], ["0001_x.sql", "0002_y.sql"]),
    // Versions.
    (
      ["V1__a.sql", "V1_2__b.sql", "V1.10__c.sql", "V2.sql"],
      ["0001_a.sql", "0002_b.sql", "0003_c.sql", "0004.sql"]
    ),
    (
      ["1.4_a.sql", "1.4.2_c.sql", "1.4.2-3_b.sql", "1.10.sql"],
      ["0001_a.sql", "0002_c.sql", "0003_b.sql", "0004.sql"]
    ),
    (["0001.create-users.sql", "0002.next.sql"], ["0001_create_users.sql", "0002_next.sql"]),
    // A directory for each.
    (
      ["0_init/migration.sql", "20200101000000_add it/migration.sql"],
      ["0001_init.sql", "0002_add_it.sql"]
    ),
    // Words.
    (["1_Größe & Co. (neu).sql", "2_١٢_x.sql"], ["0001_Größe_Co_neu.sql", "0002_١٢_x.sql"]),
    (["7_2fa_x.sql", "8_..__.sql"], ["0001_2fa_x.sql", "0002.sql"]),
    (["1_A.SQL"], ["0001_A.sql"]),
    (["2_b.UP.Sql", "3_c.up.sql"], ["0001_b.sql", "0002_c.sql"]),
  ]

  @Test(arguments: orders.indices)
  func `numbers scripts from 1 in the order of their tool`(row: Int) throws {
    let (names, new) = Self.orders[row]
    let old = try OldScripts(
      Dictionary(uniqueKeysWithValues: names.map { ($0, "SELECT '\($0)';\n") }))

    let imported = try old.importNames()

    #expect(imported == zip(new, names).map { "\($0) \($1)" })
    #expect(
      old.written
        == Dictionary(uniqueKeysWithValues: zip(new, names).map { ($0, "SELECT '\($1)';\n") }))
  }

  @Test func `takes a name that is not UTF-8`() throws {
    let old = try OldScripts(["1_x.sql": "SELECT 1;"])
    let move = "mv old/1_x.sql \"$(printf 'old/1_a\\377b.sql')\""
    _ = try Command("/bin/sh").run("-c", move, in: old.scratch.path)

    #expect(try old.importNames() == ["0001_a_b.sql 1_a\u{fffd}b.sql"])
  }

  @Test func `names what it passes over`() throws {
    let old = try OldScripts([
      "1_a.up.sql": "SELECT 1;", "1_a.down.sql": "SELECT 2;", "README.md": "", ".hidden": "",
      "atlas.sum": "", "migration_lock.toml": "", "main.go": "",
    ])

    #expect(
      try old.importAll().passedOver
        == [
          ".hidden", "1_a.down.sql", "README.md", "atlas.sum", "main.go", "migration_lock.toml",
        ])
  }

  @Test func `passes over the files beside a script in a directory of its own`() throws {
    let diesel = try OldScripts([
      "2018-01-14-171611_a/up.sql": "--", "2018-01-14-171611_a/down.sql": "--",
    ])

    #expect(try diesel.importAll().passedOver == ["2018-01-14-171611_a/down.sql"])
  }

  @Test func `follows links to scripts, to directories and to the directory of all`() throws {
    let old = try OldScripts(["elsewhere/a.sql": "SELECT 1;"])
    try old.scratch.move("old/elsewhere", to: "elsewhere")
    for (link, target) in [("old/1_a.sql", "../elsewhere/a.sql"), ("link", "old")] {
      try FileManager.default.createSymbolicLink(
        atPath: old.scratch(link), withDestinationPath: target)
    }

    let imported = try ScriptImport(of: old.scratch("link"), into: old.scratch("new")).write()

    #expect(imported.scripts.map(\.from) == ["1_a.sql"])
    #expect(old.written == ["0001_a.sql": "SELECT 1;"])
  }

  @Test func `makes the same database as the sections that go up, one after the other`() throws {
    let up = [
      "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n",
      "-- +goose StatementBegin\nCREATE TRIGGER t AFTER INSERT ON users BEGIN\n"
        + "  UPDATE users SET name = trim(name) WHERE id = new.id;\nEND;\n-- +goose StatementEnd\n",
      "INSERT INTO users (name) VALUES (' Ada ');\nALTER TABLE users ADD COLUMN born INTEGER;\n",
    ]
    let down = "-- +goose Down\nDROP TABLE users;\n"
    let old = try OldScripts([
      "00008_b.sql": "-- +goose Up\n" + up[1] + down, "0_a.sql": "-- +goose Up\n" + up[0] + down,
      "10_c.sql": "-- +goose Up\n" + up[2] + down,
    ])
    try old.importAll()
    try old.scratch.removeAll("data")
    let (database, other) = (old.scratch("data/app.db"), old.scratch("other.db"))

    let end = try Upgrader(
      database: database, migrations: .directory(old.scratch("new"))
    ).upgrade().end
    try Shell.run(other, up.joined())

    #expect(end == 3)
    #expect(try Shell.dump(database) == Shell.dump(other))
    #expect(try Shell.run(database, "SELECT name FROM users") == "Ada")
  }
}
