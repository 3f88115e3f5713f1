import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The schema of a database is compared with that of the version that it claims.
struct VerifyTests {
  private func site(_ sql: String = "") throws -> Site {
    let site = try Site.release()
    try site.upgrader(target: 2).upgrade()
    try Shell.run(site.database, sql + ";")
    return site
  }

  /// The result, which has changed nothing.
  private func verify(_ site: Site, target: Version? = nil) throws -> Verification? {
    let before = try Snapshot(of: site.scratch.path)
    let result = try site.upgrader(target: target).verify()
    #expect(try Snapshot(of: site.scratch.path) == before)
    return result
  }

  @Test(.tags(.promise16), arguments: ["delete", "wal"])
  func `finds that a database is what the scripts make`(journal: String) throws {
    let site = try site("PRAGMA journal_mode = \(journal)")

    let result = try verify(site)

    #expect(result?.version == 2 && result?.fits == true && result?.others == [])
  }

  @Test(.tags(.promise16)) func `shows each difference, and an operator's indexes apart`() throws {
    let site = try site(
      """
      CREATE INDEX mine ON word(gloss); CREATE TABLE _litestream_seq(a);
      CREATE TABLE extra(a); DROP TABLE note; ALTER TABLE word ADD COLUMN more;
      """)

    let result = try verify(site)

    #expect(result?.fits == false)
    #expect(
      result?.differences.map(\.description) == [
        "table note is missing", "column Word.more is not in version 2",
      ])
    #expect(result?.differences.first?.object == "table note")
    #expect(result?.others == ["index mine on Word", "table _litestream_seq", "table extra"])
  }

  @Test func `tells two branches with the same number apart`() throws {
    let site = try site()
    try site.scratch.remove("resources/scripts/0002_add_kind.sql")
    try site.ship("0002_add_size.sql", "ALTER TABLE Word ADD COLUMN size INTEGER;")

    #expect(
      try verify(site)?.differences.map(\.description)
        == ["column Word.kind is not in version 2", "column Word.size is missing"])
  }

  @Test func `does not take an index of a later script for an operator's`() throws {
    let site = try site("CREATE INDEX note_word ON note(word)")

    #expect(
      try verify(site)?.differences.map(\.description)
        == ["index note_word is not in version 2"])
    #expect(try verify(site, target: 2)?.fits == false)
    try site.scratch.remove("resources/scripts/0003_index_notes.sql")
    #expect(try verify(site)?.others == ["index note_word on note"])
  }

  @Test func `compares although a pending script fails`() throws {
    let site = try site()
    try site.ship("0003_index_notes.sql", "SELECT nope;")

    #expect(try verify(site)?.fits == true)

    try Shell.run(site.database, "PRAGMA user_version = 3;")
    let error = #expect(throws: UpgradeError.self) { try verify(site) }
    #expect(error?.kind == .scripts)
  }

  @Test func `knows the schema before a release that changed rows only`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["0001_first.sql": "SELECT 1;"])
    try site.scratch.remove("resources/scripts/0001_first.sql")
    _ = try site.upgrader().upgrade()
    _ = try site.overwrite("Word")
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'new';")
    try site.bake { $0.hasNewContent = true }

    #expect(try verify(site)?.fits == true)
    try Shell.run(site.database, "CREATE VIEW extra AS SELECT 1;")
    #expect(try verify(site)?.differences.map(\.description) == ["view extra is not in version 1"])
  }

  /// The first content has the number 2; no script has the number 2 any more.
  @Test(arguments: [true, false])
  func `knows a database of the content before the last by its released seed`(
    beginsEmpty: Bool
  ) throws {
    let site = try Site(
      seed: Site.dictionary,
      scripts: beginsEmpty
        ? [
          "0001_first.sql": """
          CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT);
          CREATE TABLE note(id INTEGER PRIMARY KEY, word INTEGER REFERENCES Word(id), text);
          """
        ] : ["0000.txt": ""])
    _ = try site.overwrite("Word")
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'new';")
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()
    try site.scratch.copy("resources/app.db", to: "old/app-2.db")
    for content in 3...4 {
      try Shell.run(site.seed, "UPDATE Word SET gloss = '\(content)';")
      try site.bake { $0.hasNewContent = true }
    }

    let unknown = #expect(throws: UpgradeError.self) { try verify(site) }
    try site.scratch.copy("old/app-2.db", to: "Released/app-2.db")

    #expect(unknown == .unknownVersion(2))
    #expect(try verify(site)?.fits == true)
    try Shell.run(site.database, "CREATE VIEW extra AS SELECT 1;")
    #expect(try verify(site)?.differences.map(\.description) == ["view extra is not in version 2"])
    try Shell.run(site.database, "DROP VIEW extra; PRAGMA user_version = 0;")
    #expect(try site.upgrader().adopt(version: 2).version == 2)
  }

  @Test func `says that the schema of a version is not known`() throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA user_version = 5;",
      scripts: ["5.sql": "DROP TABLE IF EXISTS gone;", "6.sql": "SELECT 1;"])
    try site.place(Site.seed + "PRAGMA user_version = 4;")

    let error = #expect(throws: UpgradeError.self) { try verify(site) }

    #expect(error == .unknownVersion(4))
    #expect(error?.exitCode == 66)
  }

  @Test(.tags(.promise7)) func `throws the refusal of an upgrade, and finds nothing in nothing`()
    throws
  {
    let site = try site("PRAGMA user_version = 9")

    #expect(throws: UpgradeError.newer(9, than: 3)) { try verify(site) }
    try Shell.run(site.database, "PRAGMA user_version = 0;")
    let unversioned = #expect(throws: UpgradeError.self) { try verify(site) }
    #expect(unversioned?.kind == .unversioned)
    #expect(
      unversioned?.description
        == "\"\(site.database)\" has tables but no version, the seed is at 1")
    try site.scratch.write("", to: "data/app.db")
    #expect(try verify(site) == nil)
    try site.scratch.remove("data/app.db")
    #expect(try verify(site) == nil)
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise16, .F19)) func `reads a log that a killed service left, and leaves it`()
    throws
  {
    let site = try site("PRAGMA journal_mode = wal")
    let copy = try Scratch()
    let names = ["app.db", "app.db-wal", "app.db-shm"]
    try Shell.run(
      site.database,
      "CREATE VIEW logged AS SELECT 1;\n"
        + names.map { ".shell cp '\(site.scratch("data/" + $0))' '\(copy.path)'" }
        .joined(separator: "\n"))
    for name in names.dropLast() {
      try site.scratch.write(try #require(copy.bytes(name)), to: "data/" + name)
    }
    let before = names.dropLast().map { site.scratch.bytes("data/" + $0) }

    let result = try site.upgrader().verify()

    #expect(
      result?.differences.map(\.description) == ["view logged is not in version 2"])
    #expect(names.dropLast().map { site.scratch.bytes("data/" + $0) } == before)
  }

  @Test(.tags(.promise16)) func `sees names that are not UTF-8, and names that differ in case`()
    throws
  {
    let site = try Site(seed: Site.seed, scripts: ["2_two.sql": Site.script(2)])
    try site.upgrader().upgrade()
    try Shell.run(
      site.database,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = replace(sql, 'name TEXT', 'NAME text'), name = 'Item',
        tbl_name = 'ITEM' WHERE name = 'item';
      """)
    #expect(try verify(site)?.fits == true)

    let table = Data("CREATE TABLE t(\"a".utf8) + [0xff] + Data("\" INTEGER);".utf8)
    try site.scratch.write(table, to: "table.sql")
    _ = try Command("/bin/sh").run(
      "-c", "/usr/bin/sqlite3 '\(site.database)' < '\(site.scratch("table.sql"))'")
    #expect(try verify(site)?.others == ["table t"])
  }
}
