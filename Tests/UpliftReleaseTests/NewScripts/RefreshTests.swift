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

    let name = try site.refresh("note", "word")

    #expect(name == "0004_refresh_note_Word.sql")
    #expect(
      site.scratch.bytes("resources/scripts/" + name).map { String(decoding: $0, as: UTF8.self) }
        == """
        -- uplift: reads-seed
        --
        -- Brings the rows of the seed into existing databases. Rows of other tables are not changed.
        --
        -- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep users'
        -- values, remove the UPDATE, or a column in two places: after SET and after AND.

        DELETE FROM note WHERE id NOT IN (SELECT id FROM seed.note);

        DELETE FROM Word WHERE id NOT IN (SELECT id FROM seed.Word);

        UPDATE Word AS old SET
          text = new.text,
          gloss = new.gloss,
          kind = new.kind
        FROM seed.Word AS new
        WHERE old.id = new.id
          AND (old.text, old.gloss, old.kind) IS NOT (new.text, new.gloss, new.kind);

        INSERT INTO Word (id, text, gloss, kind)
        SELECT id, text, gloss, kind FROM seed.Word AS new
        WHERE NOT EXISTS (SELECT 1 FROM Word AS old WHERE old.id = new.id);

        UPDATE note AS old SET
          word = new.word,
          text = new.text
        FROM seed.note AS new
        WHERE old.id = new.id
          AND (old.word, old.text, typeof(old.text)) IS NOT (new.word, new.text, typeof(new.text));

        INSERT INTO note (id, word, text)
        SELECT id, word, text FROM seed.note AS new
        WHERE NOT EXISTS (SELECT 1 FROM note AS old WHERE old.id = new.id);

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

    let name = try site.refresh("a", "b", "c", "d", "e")

    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    #expect(name == "0002_refresh.sql")
    #expect(
      text.matches(of: /DELETE FROM (\w+)/).map { String($0.1) } == ["a", "B", "c", "d", "e"])
    #expect(
      text.matches(of: /INSERT INTO (\w+)/).map { String($0.1) } == ["e", "d", "c", "B", "a"])
  }

  @Test func `says that triggers may change other tables`() throws {
    let site = try Site(
      seed: """
        CREATE TABLE word(id INTEGER PRIMARY KEY);
        CREATE TABLE note(word);
        CREATE TRIGGER tidy AFTER DELETE ON word BEGIN DELETE FROM note WHERE word = old.id; END;
        PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])

    let name = try site.refresh("word")

    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    #expect(text.contains("Triggers fire, and\n-- may change rows of other tables.\n"))
    #expect(!text.contains("are not changed"))
  }

  /// They may be triggers of other tables.
  @Test func `says that triggers write into a table that is refreshed`() throws {
    let site = try Site(
      seed: """
        CREATE TABLE kind(id INTEGER PRIMARY KEY, words);
        CREATE TABLE word(id INTEGER PRIMARY KEY, kind);
        CREATE TABLE event(kind);
        CREATE TRIGGER more AFTER INSERT ON word BEGIN INSERT INTO event VALUES(new.kind); END;
        CREATE TRIGGER count AFTER INSERT ON event BEGIN
          UPDATE OR IGNORE kind SET words = words + 1 WHERE id = new.kind; END;
        PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])

    let name = try site.refresh("kind", "word")

    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    #expect(text.matches(of: /Triggers write into this table/).count == 1)
    #expect(text.contains("SELECT.\nUPDATE kind"))
  }

  @Test(arguments: [
    ("nosuch", "is not a table of the seed"), ("V", "is not a table of the seed"),
    ("sqlite_sequence", "is not a table of the seed"), ("found", "is a virtual table"),
    ("nokey", "has no primary key, so its rows cannot be told apart"),
    ("nulls", "has rows with NULL in their primary key, which cannot be told from others"),
    ("latin", "is a name that is not UTF-8, or has a column with such a name"),
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
      CREATE TABLE latin(id INTEGER PRIMARY KEY, xyz);
      CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = CAST(replace(sql, 'xyz', CAST(x'78e479' AS TEXT)) AS TEXT)
        WHERE name = 'latin';
      """)
    let before = site.resources

    let error = #expect(throws: UpgradeError.self) { try site.refresh(table) }
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

    let name = try site.refresh(["Word"], beside: steps)
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

    let error = #expect(throws: UpgradeError.self) { try site.refresh("Word") }

    #expect(
      error?.message
        == "\"\(site.scripts)/0002_add_kind.sql\" is above the seed, which is at 1")
    #expect(error?.exitCode == 65)
    #expect(site.resources == before)
    try site.bake()
    #expect(try site.refresh("Word") == "0004_refresh_Word.sql")
  }

  @Test func `refuses to refresh from a seed below a step of the program`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["0001_first.sql": "SELECT 1;"])
    let steps: Upgrader.Migrations = [.code(2, "slugs") { _ in }]

    expectError(.scripts, "\"slugs\" is above the seed, which is at 1") {
      _ = try site.refresh(["Word"], beside: steps)
    }
    #expect(site.scriptNames == ["0001_first.sql"])
  }

  @Test func `takes the seed's number if no script has it`() throws {
    let site = try Site(seed: Site.dictionary, scripts: [:])
    try site.scratch.removeAll("resources/scripts")

    #expect(try site.refresh("Word") == "0001_refresh_Word.sql")
    expectError(
      .scripts, "/0001_refresh_Word.sql\" reads the seed already, and only one script may"
    ) {
      _ = try site.refresh("note")
    }
  }
}
