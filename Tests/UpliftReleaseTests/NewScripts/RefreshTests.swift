import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The script that `uplift new --refresh` writes: runs as it is, and makes the rows equal.
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
        -- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep a
        -- user's values of a column, remove the column after SET and after the last WHERE.

        DELETE FROM note WHERE id NOT IN (SELECT id FROM seed.note);

        DELETE FROM Word WHERE id NOT IN (SELECT id FROM seed.Word);

        INSERT INTO Word (id, text, gloss, kind)
        SELECT id, text, gloss, kind FROM seed.Word WHERE 1
        ON CONFLICT (id) DO UPDATE SET
          text = excluded.text,
          gloss = excluded.gloss,
          kind = excluded.kind
        WHERE (text, gloss, kind) IS NOT (excluded.text, excluded.gloss, excluded.kind);

        INSERT INTO note (id, word, text)
        SELECT id, word, text FROM seed.note WHERE 1
        ON CONFLICT (id) DO UPDATE SET
          word = excluded.word,
          text = excluded.text
        WHERE (word, text, typeof(text)) IS NOT (excluded.word, excluded.text, typeof(excluded.text));

        """)
  }

  @Test(
    .tags(.R10),
    arguments: [
      ("BEFORE INSERT", true), ("insert", true), ("AFTER INSERT", false), ("BEFORE DELETE", false),
    ])
  func `says that a trigger fires for each row of the seed`(event: String, isSaid: Bool) throws {
    let site = try Site.release()
    try site.bake()
    try Shell.run(
      site.seed,
      "CREATE TRIGGER \"after on\" \(event) ON word BEGIN DELETE FROM note WHERE 0; END;")

    let name = try site.refresh("word")

    let bytes = try #require(site.scratch.bytes("resources/scripts/" + name))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("does not say AFTER") == isSaid)
    #expect(text.contains("\nINSERT INTO Word (id"))
  }

  /// A table, its rows in the field, and its rows in the seed.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let table: String
    let old: String
    let new: String
  }

  static let cases = [
    Case(
      testDescription: "numbers that are equal and differ",
      table: "CREATE TABLE T(k INTEGER PRIMARY KEY, a, b BLOB, c NUMERIC)",
      old: "INSERT INTO T VALUES(1, 1, 2, 3), (2, 1, 2.0, 3)",
      new: "INSERT INTO T VALUES(1, 1.0, 2, 3), (2, 1, 2, 3.0)"),
    Case(
      testDescription: "composite key",
      table: "CREATE TABLE T(a, b TEXT, c, PRIMARY KEY(b, a)) WITHOUT ROWID",
      old: "INSERT INTO T VALUES(1, 'x', 1), (2, 'x', 2), (2, 'y', 3)",
      new: "INSERT INTO T VALUES(1, 'x', 9), (2, 'y', 3), (3, 'z', NULL)"),
    Case(
      testDescription: "only a key",
      table: "CREATE TABLE T(a NOT NULL, b NOT NULL, PRIMARY KEY(a, b))",
      old: "INSERT INTO T VALUES(1, 1), (1, 2)", new: "INSERT INTO T VALUES(1, 2), (2, x'00')"),
    Case(
      testDescription: "generated columns",
      table: """
        CREATE TABLE T(id INTEGER PRIMARY KEY, x, y AS (x * 2), z TEXT AS (x || '!') STORED UNIQUE)
        """,
      old: "INSERT INTO T VALUES(1, 5), (2, 6)", new: "INSERT INTO T VALUES(2, 5), (3, 8)"),
    Case(
      testDescription: "names that need quotes",
      table: """
        CREATE TABLE T("select" INTEGER PRIMARY KEY, "a b" TEXT, "q""q", [x-y], "ä", "1st", "Group")
        """,
      old: "INSERT INTO T VALUES(1, 'a', 1, 1, 1, 1, 1)",
      new: "INSERT INTO T VALUES(1, 'b', 2, 3, 4, 5, 6), (2, 'c', 1, 1, 1, 1, NULL)"),
    Case(
      testDescription: "a column called true",
      table: "CREATE TABLE T(id INTEGER PRIMARY KEY, \"true\")",
      old: "INSERT INTO T VALUES(1, 0), (2, 0)", new: "INSERT INTO T VALUES(2, 1), (3, 0)"),
    Case(
      testDescription: "letters that differ in case only",
      table: "CREATE TABLE T(name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, x TEXT COLLATE RTRIM)",
      old: "INSERT INTO T VALUES('ant', 'a'), ('bee', 'b '), ('cat', 'c')",
      new: "INSERT INTO T VALUES('Ant', 'a'), ('bee', 'b'), ('cat', 'C')"),
    Case(
      testDescription: "a unique text that another row has now",
      table: "CREATE TABLE T(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL)",
      old: "INSERT INTO T VALUES(1, 'a'), (2, 'b')", new: "INSERT INTO T VALUES(2, 'b'), (3, 'a')"),
    Case(
      testDescription: "strict",
      table: "CREATE TABLE T(id INT PRIMARY KEY NOT NULL, r REAL, a ANY) STRICT",
      old: "INSERT INTO T VALUES(1, 1.5, 1), (2, 2, NULL)",
      new: "INSERT INTO T VALUES(1, 1.5, '1'), (2, NULL, x'01')"),
    Case(
      testDescription: "a key that is another number",
      table: "CREATE TABLE T(k BLOB NOT NULL PRIMARY KEY, x)",
      old: "INSERT INTO T VALUES(1, 1), (2.0, 2)", new: "INSERT INTO T VALUES(1.0, 1), (2, 2)"),
    Case(
      testDescription: "no rows", table: "CREATE TABLE T(id INTEGER PRIMARY KEY, x)",
      old: "INSERT INTO T VALUES(1, 1)", new: "SELECT 1"),
  ]

  @Test(.tags(.promise13), arguments: cases)
  func `makes the rows equal to those of the seed`(test: Case) throws {
    let site = try Site(seed: nil, scripts: ["0001_first.sql": "SELECT 1;"])
    try site.place("\(test.table); \(test.old); PRAGMA user_version = 1;")
    try site.scratch.write("", to: "resources/app.db")
    try Shell.run(site.seed, "\(test.table); \(test.new); PRAGMA user_version = 1;")

    let name = try site.refresh("t")
    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    if test.table.contains("PRIMARY KEY(b, a)") { #expect(text.contains("ON CONFLICT (b, a) ")) }
    let rows =
      "SELECT *, typeof(\(test.table.contains("select") ? "\"Group\"" : "1")) FROM T ORDER BY 1, 2;"
    let quoted = ".mode quote\n" + rows
    #expect(try Shell.run(site.database, quoted) == Shell.run(site.seed, quoted))
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.promise13), arguments: ["excluded", "Excluded"])
  func `changes the rows of a table called excluded`(name: String) throws {
    let table = "CREATE TABLE \(name)(id INTEGER PRIMARY KEY, v); PRAGMA user_version = 1;"
    let site = try Site(
      seed: table + "INSERT INTO excluded VALUES(1, 'old');",
      scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.seed, "UPDATE excluded SET v = 'new'; INSERT INTO excluded VALUES(2, 'b');")

    _ = try site.refresh(name)
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT * FROM excluded;") == "1|new\n2|b")
  }

  @Test(.tags(.R10)) func `writes only the rows that differ`() throws {
    let log = """
      CREATE TABLE log(x);
      CREATE TRIGGER i AFTER INSERT ON Word BEGIN INSERT INTO log VALUES('+' || new.id); END;
      CREATE TRIGGER u AFTER UPDATE ON Word BEGIN INSERT INTO log VALUES('~' || new.id); END;
      CREATE TRIGGER d AFTER DELETE ON Word BEGIN INSERT INTO log VALUES('-' || old.id); END;
      """
    let site = try Site(
      seed: Site.dictionary + "INSERT INTO Word VALUES(3, 'cat', NULL);" + log,
      scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(
      site.seed,
      """
      DROP TRIGGER i; DROP TRIGGER u; DROP TRIGGER d;
      DELETE FROM Word WHERE id = 1; UPDATE Word SET gloss = 'new' WHERE id = 2;
      INSERT INTO Word VALUES(4, 'dog', NULL);
      """)

    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT group_concat(x, ' ') FROM log;") == "-1 ~2 +4")
  }

  /// The ways out of the page "New content".
  @Test(
    .tags(.R8, .promise13),
    arguments: [
      (" AND id < 1000000", "1000000"), (" AND mine = 0", "5"),
    ])
  func `keeps the rows that users have added, if it says which they are`(
    condition: String, id: String
  ) throws {
    let table = "CREATE TABLE T(id INTEGER PRIMARY KEY, x, mine INTEGER NOT NULL DEFAULT 0);"
    let site = try Site(
      seed: table + "INSERT INTO T VALUES(1, 'a', 0), (2, 'b', 0); PRAGMA user_version = 1;",
      scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "INSERT INTO T VALUES(\(id), 'user', 1);")
    try Shell.run(site.seed, "DELETE FROM T WHERE id = 1; UPDATE T SET x = 'c' WHERE id = 2;")

    let name = try site.refresh("T")
    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    try site.ship(name, text.replacing("seed.T);", with: "seed.T)\(condition);"))
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT * FROM T;") == "2|c|0\n\(id)|user|1")
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

  /// The statements of the page "New content"; the table has no row yet when they run.
  @Test(.tags(.R8, .promise13)) func `leaves a range of identifiers to users`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1;", scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try site.ship("0002_word.sql", "CREATE TABLE word(id INTEGER PRIMARY KEY AUTOINCREMENT, x);")
    try site.ship(
      "0003_range.sql",
      """
      INSERT INTO sqlite_sequence SELECT 'word', 0 WHERE 'word' NOT IN (SELECT name FROM sqlite_sequence);
      UPDATE sqlite_sequence SET seq = max(seq, 1000000) WHERE name = 'word';
      """)
    try site.bake()
    try Shell.run(site.seed, "INSERT INTO word VALUES(1, 'a'), (2, 'b');")
    _ = try site.refresh("word")
    try site.bake { $0.hasNewContent = true }

    _ = try site.upgrader().upgrade()

    try Shell.run(site.database, "INSERT INTO word(x) VALUES('mine');")
    let rows = "SELECT id FROM word;"
    #expect(try Shell.run(site.database, rows) == "1\n2\n1000001")
    try Shell.run(site.seed, "INSERT INTO word(x) VALUES('mine');")
    #expect(try Shell.run(site.seed, rows) == "1\n2\n1000001")
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

  /// The words of the table would delete the user's row, or leave out that of the seed.
  @Test(.tags(.R8, .promise13), arguments: ["REPLACE", "IGNORE"])
  func `replaces no user's row that has the text of a new row`(word: String) throws {
    let table = """
      CREATE TABLE T(id INTEGER PRIMARY KEY, x UNIQUE ON CONFLICT \(word),
        mine INTEGER NOT NULL DEFAULT 0);
      """
    let site = try Site(
      seed: table + "INSERT INTO T VALUES(1, 'a', 0); PRAGMA user_version = 1;",
      scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "INSERT INTO T VALUES(1000000, 'mine', 1);")
    try Shell.run(site.seed, "INSERT INTO T VALUES(2, 'mine', 0);")
    let name = try site.refresh("T")
    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    try site.ship(name, text.replacing("seed.T);", with: "seed.T) AND mine = 0;"))
    try site.bake { $0.hasNewContent = true }

    let error = #expect(throws: UpgradeError.self) { try site.upgrader().upgrade() }

    #expect(error?.description.contains("UNIQUE constraint failed: T.x") == true)
    #expect(try Shell.run(site.database, "SELECT * FROM T;") == "1|a|0\n1000000|mine|1")
  }

  @Test(arguments: [
    ("nosuch", ReleaseError.TableProblem.notThere), ("V", .notThere),
    ("sqlite_sequence", .notThere),
    ("found", .isVirtual), ("nokey", .noPrimaryKey), ("nulls", .nullInKey), ("latin", .notUTF8),
  ])
  func `refuses a table whose rows cannot be told apart`(
    table: String, problem: ReleaseError.TableProblem
  ) throws {
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

    #expect(throws: ReleaseError.table(name: table, problem)) { try site.refresh(table) }
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

    let error = #expect(throws: ReleaseError.self) { try site.refresh("Word") }

    #expect(error == .stepAboveSeed(site.scripts + "/0002_add_kind.sql", seed: 1))
    #expect(error?.exitCode == 65)
    #expect(site.resources == before)
    try site.bake()
    #expect(try site.refresh("Word") == "0004_refresh_Word.sql")
  }

  @Test func `refuses to refresh from a seed below a step of the program`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["0001_first.sql": "SELECT 1;"])
    let steps: Upgrader.Migrations = [.code(2, "slugs") { _ in }]

    #expect(throws: ReleaseError.stepAboveSeed("slugs", seed: 1)) {
      try site.refresh(["Word"], beside: steps)
    }
    #expect(site.scriptNames == ["0001_first.sql"])
  }

  @Test func `takes the seed's number if no script has it`() throws {
    let site = try Site(seed: Site.dictionary, scripts: [:])
    try site.scratch.removeAll("resources/scripts")

    #expect(try site.refresh("Word") == "0001_refresh_Word.sql")
    #expect(throws: ReleaseError.seedScriptExists(path: site.scripts + "/0001_refresh_Word.sql")) {
      try site.refresh("note")
    }
  }
}
