import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What `check` finds with old seeds and copies of databases.
extension CheckTests {
  @Test(.tags(.R8)) func `notes users' rows in a table that the seed refreshes`() throws {
    let old =
      "CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT);"
      + "INSERT INTO Word VALUES (1, 'ant'), (2, 'bee');"
    let seed =
      "CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT);"
      + "INSERT INTO Word VALUES (1, 'Ant'), (3, 'cow'), (4, 'dog'); PRAGMA user_version = 2;"
    let script = """
      -- uplift: reads-seed
      DELETE FROM Word WHERE id NOT IN (SELECT id FROM seed.Word) AND id < 9;
      INSERT INTO Word SELECT * FROM seed.Word WHERE true
      ON CONFLICT (id) DO UPDATE SET text = excluded.text;
      """
    let real = old + "INSERT INTO Word VALUES (3, 'my word'), (8, 'gone'), (9, 'kept');"

    let findings = try findings(
      seed, ["2_words.sql": script],
      fixtures: [
        "app-1.db": old + "PRAGMA user_version = 1;", "real.db": real + "PRAGMA user_version = 1;",
      ])

    let words: Set<String> = Set(findings.map(\.words))
    #expect(findings.map(\.kind) == [.userRow, .userRow])
    #expect(
      words == [
        "Word is refreshed from the seed, and a user's row in it is overwritten: id 3",
        "Word is refreshed from the seed, and a user's row in it is deleted: id 8",
      ])
    let points: [String] = findings.flatMap(\.startingPoints)
    #expect(points.count == 2 && points.allSatisfy { $0.hasSuffix("/real.db") })
  }

  @Test(.tags(.R8)) func `notes users' rows in a table whose name has a quote`() throws {
    let table = #"CREATE TABLE "a""b"(id INTEGER PRIMARY KEY, t);"#
    let script =
      #"INSERT INTO "a""b" SELECT * FROM seed."a""b" WHERE 1 ON CONFLICT DO NOTHING; DELETE FROM "a""b";"#

    let findings = try findings(
      table + "PRAGMA user_version = 2;", ["2_two.sql": "-- uplift: reads-seed\n" + script],
      fixtures: [
        "app-1.db": table + "PRAGMA user_version = 1;",
        "real.db": table + #"INSERT INTO "a""b" VALUES (7, 'mine'); PRAGMA user_version = 1;"#,
      ])

    #expect(findings.map(\.kind) == [.userRow])
  }

  /// The seed of the program is a link, and the old seed has the name of the file behind it.
  @Test(.tags(.R8)) func `knows an old seed by the name of the file behind a link`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["2_two.sql": "SELECT 1;"])
    let file = try site.scratch.write("", to: "seeds/words.db")
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.moveItem(atPath: site.seed, toPath: file)
    try FileManager.default.createSymbolicLink(atPath: site.seed, withDestinationPath: file)
    let old = try #require(FileManager.default.contents(atPath: file))
    try site.scratch.write(old, to: "old/words-1.db")
    try site.bake()
    _ = try site.overwrite("Word")
    try Shell.run(file, "UPDATE Word SET id = 3 WHERE id = 2;")
    try site.bake { $0.hasNewContent = true }

    let findings = try site.upgrader().check(fixtures: [site.scratch("old")]).all

    #expect(site.scratch.names("old") == ["words-1.db"])

    #expect(findings.map(\.kind) == [])
  }

  /// The databases in use have the encoding of the seed, too.
  @Test(.tags(.R4)) func `begins empty in the encoding of the seed`() throws {
    let table = "CREATE TABLE Word(id INTEGER PRIMARY KEY, text);"
    let site = try Site(
      seed: "PRAGMA encoding = 'UTF-16le'; \(table) PRAGMA user_version = 1;",
      scripts: ["0001_first.sql": table])
    _ = try site.overwrite("Word")
    try Shell.run(site.seed, "INSERT INTO Word VALUES (1, 'ant');")
    try site.bake { $0.hasNewContent = true }

    #expect(try site.upgrader().check(fixtures: []).all.map(\.kind) == [.notTried])
  }

  /// It may be the wrong directory, or the databases may have other names.
  @Test(.tags(.promise16)) func `notes a directory without a fixture`() throws {
    let site = try Site.release()
    try site.scratch.write("", to: "old/app-1.sqlite-copy")

    let findings = try site.upgrader().check(fixtures: [site.scratch("old")]).all

    #expect(findings.map(\.kind) == [.notTried])
    #expect(findings.first?.place.file == site.scratch("old"))
  }

  /// A backup is one of a user's database.
  @Test(.tags(.promise16)) func `makes no backup of a database in the scratch directory`() throws {
    let site = try Site.release()
    try site.ship("0004_time.sql", "CREATE TABLE log(at DEFAULT CURRENT_TIMESTAMP);")
    try site.scratch.write(try #require(site.scratch.bytes("resources/app.db")), to: "old/app-1.db")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("nowhere/backups"))
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      options: options)

    #expect(try upgrader.check(fixtures: [site.scratch("old")]).all.map(\.kind) == [])
    #expect(try upgrader.bake(Upgrader.BakeOptions()).version == 4)
  }

  @Test func `refuses a fixture that is no database, and goes on`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1;",
      scripts: ["2.sql": "ALTER TABLE a ADD COLUMN c NOT NULL;"])
    try site.scratch.write("", to: "fixtures/empty.db")
    try site.scratch.write(
      "no database, and longer than a header".padding(
        toLength: 4096, withPad: "x", startingAt: 0), to: "fixtures/text.db")
    try site.scratch.write("", to: "fixtures/log.db")
    try Shell.run(site.scratch("fixtures/log.db"), "CREATE TABLE a(b);")
    try site.scratch.write("log", to: "fixtures/log.db-wal")

    let findings = try site.upgrader().check(fixtures: [site.scratch("fixtures")]).all

    #expect(findings.map(\.kind) == [.failsOnRows, .refused, .refused, .refused])
  }

  @Test func `refuses a directory of fixtures that is not there, or is none`() throws {
    let site = try Site.release()
    let path = site.scratch("nowhere")

    #expect(throws: UpgradeError.missingDirectory(path)) {
      try site.upgrader().check(fixtures: [path]).all
    }
    #expect(throws: UpgradeError.notADirectory(site.seed)) {
      try site.upgrader().check(fixtures: [site.seed]).all
    }
  }
}
