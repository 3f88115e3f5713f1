import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The script that `uplift new --refresh` writes: its text, its name, and the tables that it refuses.
struct RefreshTests {
  @Test func `writes a script that can be read and edited`() throws {
    let site = try Site.release()
    try site.bake()

    let name = try site.overwrite("note", "word")

    #expect(name == "0004_refresh_note_Word.sql")
    #expect(
      site.scratch.bytes("resources/scripts/" + name).map { String(decoding: $0, as: UTF8.self) }
        == """
        -- uplift: reads-seed
        --
        -- Makes these tables equal to those of the seed. ROWS THAT USERS HAVE ADDED TO THEM ARE DELETED, AND
        -- EDITS ARE LOST. To keep rows that the seed does not have, remove the DELETE of the table.

        DELETE FROM note AS mine
        WHERE NOT EXISTS (SELECT 1 FROM seed.note AS new WHERE new.id = mine.id);

        DELETE FROM Word AS mine
        WHERE NOT EXISTS (SELECT 1 FROM seed.Word AS new WHERE new.id = mine.id);

        UPDATE Word AS mine SET
          text = new.text,
          gloss = new.gloss,
          kind = new.kind
        FROM seed.Word AS new
        WHERE mine.id = new.id
          AND NOT ((mine.id, mine.text, mine.gloss, mine.kind) IS (new.id, new.text, new.gloss, new.kind));

        INSERT INTO Word (id, text, gloss, kind)
        SELECT new.id, new.text, new.gloss, new.kind FROM seed.Word AS new
        WHERE NOT EXISTS (SELECT 1 FROM Word AS mine WHERE mine.id = new.id);

        UPDATE note AS mine SET
          word = new.word,
          text = new.text
        FROM seed.note AS new
        WHERE mine.id = new.id
          AND NOT ((mine.id, mine.word, mine.text, typeof(mine.text)) IS (new.id, new.word, new.text, typeof(new.text)));

        INSERT INTO note (id, word, text)
        SELECT new.id, new.word, new.text FROM seed.note AS new
        WHERE NOT EXISTS (SELECT 1 FROM note AS mine WHERE mine.id = new.id);

        """)
  }

  @Test func `has parents before children to insert, and children before parents to delete`() throws
  {
    let site = try Site(
      seed: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, b REFERENCES B(id));
        CREATE TABLE B(id INTEGER PRIMARY KEY, c REFERENCES c(id));
        CREATE TABLE c(id INTEGER PRIMARY KEY, self REFERENCES c(id), d REFERENCES d(id));
        CREATE TABLE d(id INTEGER PRIMARY KEY, e REFERENCES e(id));
        CREATE TABLE e(id INTEGER PRIMARY KEY, d REFERENCES d(id));
        PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])

    let name = try site.overwrite("a", "b", "c", "d", "e")

    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    #expect(name == "0002_refresh_a_B_c.sql")
    #expect(
      text.matches(of: /DELETE FROM (\w+)/).map { String($0.1) } == ["a", "B", "c", "d", "e"])
    #expect(
      text.matches(of: /INSERT INTO (\w+)/).map { String($0.1) } == ["e", "d", "c", "B", "a"])
  }

  @Test(arguments: [
    ("nosuch", "is not a table of the seed"), ("V", "is not a table of the seed"),
    ("sqlite_sequence", "is not a table of the seed"), ("found", "is a virtual table"),
    ("nokey", "has no primary key, so its rows cannot be told apart"),
    ("nulls", "has rows with NULL in their primary key, which cannot be told from others"),
  ])
  func `refuses a table whose rows cannot be told apart`(table: String, problem: String) throws {
    let site = try Site.release()
    try site.bake()
    try Shell.run(
      site.seed,
      """
      CREATE VIEW v AS SELECT 1;
      CREATE VIRTUAL TABLE Found USING fts5(x);
      CREATE TABLE nokey(x UNIQUE);
      CREATE TABLE nulls(x TEXT PRIMARY KEY); INSERT INTO nulls VALUES(NULL);
      CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
      """)
    let before = site.resources

    let error = #expect(throws: UpgradeError.self) { try site.overwrite(table) }
    #expect(error?.message == "\"\(table)\" \(problem)")
    #expect(error?.exitCode == (problem.hasPrefix("is not a table") ? 64 : 65))
    #expect(site.resources == before)
  }

  @Test func `takes the next number if a step of the program has the seed's`() throws {
    let site = try Site.release()
    let steps: Upgrader.Migrations = [
      .code(4, "shout") { database in try database.execute("UPDATE Word SET text = upper(text)") }
    ]
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: .directory(site.scripts) + steps)
    try upgrader.bake()

    let name = try site.overwrite(["Word"], beside: steps)
    var options = Upgrader.BakeOptions()
    options.hasNewContent = true
    let bake = try upgrader.bake(options)

    #expect(name == "0005_refresh_Word.sql")
    #expect(bake.version == 5)
  }

  @Test(arguments: [[], ["0001_refresh.sql"]])
  func `refuses to refresh from a seed that a script may give more columns`(more: [String]) throws {
    let site = try Site.release()
    for name in more { try site.ship(name, "SELECT 1;") }
    let before = site.resources

    let error = #expect(throws: UpgradeError.self) { try site.overwrite("Word") }

    #expect(
      error?.message
        == "\"\(site.scripts)/0002_add_kind.sql\" is above the seed, which is at 1")
    #expect(error?.exitCode == 65)
    #expect(site.resources == before)
    try site.bake()
    #expect(try site.overwrite("Word") == "0004_refresh_Word.sql")
  }

  @Test func `refuses to refresh from a seed below a step of the program`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["0001_first.sql": "SELECT 1;"])
    let steps: Upgrader.Migrations = [.code(2, "slugs") { _ in }]

    expectError(.scripts, "\"slugs\" is above the seed, which is at 1") {
      _ = try site.overwrite(["Word"], beside: steps)
    }
    #expect(site.scriptNames == ["0001_first.sql"])
  }

  @Test func `takes the seed's number if no script has it`() throws {
    let site = try Site(seed: Site.dictionary, scripts: [:])
    try site.scratch.removeAll("resources/scripts")

    #expect(try site.overwrite("Word") == "0001_refresh_Word.sql")
    expectError(
      .scripts, "/0001_refresh_Word.sql\" reads the seed already, and only one script may"
    ) {
      _ = try site.overwrite("note")
    }
  }
}
