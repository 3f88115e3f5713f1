import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What `check` finds with old seeds and copies of databases.
extension CheckTests {
  /// A made-up row refers to each row that goes, whichever it is.
  @Test(
    .tags(.R7, .E8), arguments: [1, 2, 3],
    ["INTEGER REFERENCES Word(id)", "INTEGER NOT NULL REFERENCES Word(id)"])
  func `finds a row that goes although others may refer to it`(id: Int, reference: String) throws {
    let table = """
      CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT);
      CREATE TABLE note(id INTEGER PRIMARY KEY, word \(reference), hash BLOB NOT NULL UNIQUE,
        day DATE NOT NULL CHECK (day = date(day)));
      INSERT INTO Word VALUES (1, 'ant'), (2, 'bee'), (3, 'cow');
      """
    let seed = table + "DELETE FROM Word WHERE id = \(id); PRAGMA user_version = 2;"
    let old = ["app-1.db": table + "PRAGMA user_version = 1;"]
    func kinds(_ script: String) throws -> [Finding.Kind] {
      try findings(seed, ["2_words.sql": script], fixtures: old).map(\.kind)
    }
    let delete = "DELETE FROM Word WHERE id NOT IN (SELECT id FROM seed.Word)"
    let guarded = "AND NOT EXISTS (SELECT 1 FROM note WHERE note.word = Word.id);"

    #expect(try kinds("-- uplift: reads-seed\n\(delete);") == [.failsOnRows])
    #expect(try kinds("-- uplift: reads-seed\n\(delete) \(guarded)") == [])
    #expect(try kinds("DELETE FROM Word WHERE id = \(id);") == [.failsOnRows])
    #expect(try kinds("DELETE FROM Word WHERE id = \(id) \(guarded)") == [])
  }

  @Test(.tags(.E9)) func `finds rows of the seed that no number was given to`() throws {
    let site = try Site(seed: Site.dictionary, scripts: [:])
    try FileManager.default.createDirectory(
      atPath: site.scripts, withIntermediateDirectories: true)
    try site.upgrader().release()
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'new' WHERE id = 1;")

    let findings = try site.upgrader().check().findings

    #expect(findings.map(\.kind) == [.contentChanged])
    #expect(findings.first?.words.hasSuffix("a database at 1 never gets the new rows") == true)
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    #expect(try site.upgrader().check().findings == [])
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

    #expect(findings.map(\.kind) == [.failsOnRows])
  }

  /// It may be the wrong directory, or the databases may have other names.
  @Test(.tags(.promise16)) func `refuses a directory without a fixture`() throws {
    let site = try Site.release()
    try site.scratch.write("", to: "old/app-1.sqlite-copy")

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().check(fixtures: [site.scratch("old")])
    }
    #expect(error?.exitCode == 66)
    #expect(error?.message == "there is no database in \"\(site.scratch("old"))\"")
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

  @Test(arguments: ["empty.db", "text.db", "log.db"])
  func `refuses a fixture that is no whole database`(name: String) throws {
    let site = try Site.release()
    let path = site.scratch("fixtures/" + name)
    try site.scratch.write(
      name == "text.db" ? String(repeating: "no database ", count: 400) : "", to: "fixtures/" + name
    )
    if name == "log.db" {
      try Shell.run(path, "CREATE TABLE a(b);")
      try site.scratch.write("log", to: "fixtures/log.db-wal")
    }

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().check(fixtures: [site.scratch("fixtures")])
    }
    #expect(error?.message.contains(path) == true)
    #expect([65, 78].contains(error?.exitCode))
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
