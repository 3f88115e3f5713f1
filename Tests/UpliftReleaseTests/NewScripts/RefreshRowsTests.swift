import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The script that `uplift new --refresh` writes makes the rows of existing databases equal to those
/// of the seed.
struct RefreshRowsTests {
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
      testDescription: "a key with another collation than its column",
      table: "CREATE TABLE T(code TEXT COLLATE NOCASE, x, PRIMARY KEY(code COLLATE BINARY))",
      old: "INSERT INTO T VALUES('a', 1), ('A', 2), ('b', 3)",
      new: "INSERT INTO T VALUES('a', 1), ('b', 3)"),
    Case(
      testDescription: "a key that ignores case, which its column does not",
      table: """
        CREATE TABLE T(code TEXT NOT NULL, x, PRIMARY KEY(code COLLATE NOCASE)) WITHOUT ROWID
        """,
      old: "INSERT INTO T VALUES('a', 1), ('b', 3)", new: "INSERT INTO T VALUES('A', 1), ('b', 3)"),
    Case(
      testDescription: "a unique index with another collation on the columns of the key",
      table: """
        CREATE TABLE T(word TEXT NOT NULL, n, PRIMARY KEY(word COLLATE NOCASE));
        CREATE UNIQUE INDEX exact ON T(word)
        """,
      old: "INSERT INTO T VALUES('pear', 1), ('plum', 2)",
      new: "INSERT INTO T VALUES('pear', 1), ('Plum', 2)"),
    Case(
      testDescription: "an index with the columns of the key in another order",
      table: """
        CREATE TABLE T(sku TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY(sku, name));
        CREATE INDEX by_name ON T(name, sku)
        """,
      old: "INSERT INTO T VALUES('ab', 'bolt'), ('x', 'nut')",
      new: "INSERT INTO T VALUES('AB', 'bolt'), ('x', 'nut')"),
    Case(
      testDescription: "numbers behind a virtual column",
      table: """
        CREATE TABLE T(k INTEGER PRIMARY KEY, v AS (k), r REAL, n INTEGER, x, u UNIQUE ON CONFLICT
        REPLACE)
        """,
      old: """
        INSERT INTO T VALUES(1, 2.5, 9007199254740993, 1, 1), (2, 1.5, 4, 2, 2), (4, 1, 1, 1, 4)
        """,
      new: """
        INSERT INTO T VALUES(1, 3, 9007199254740993, 1, 1), (2, 1.5, 1234567890123456789, 2, 4),
        (3, 1, 1, 1, 3)
        """),
    Case(
      testDescription: "numbers behind a virtual column that is real",
      table: """
        CREATE TABLE T(a TEXT COLLATE NOCASE, v REAL AS (1), n, old, PRIMARY KEY(a, n)) WITHOUT ROWID
        """,
      old: "INSERT INTO T VALUES('x', 9007199254740993, 1), ('y', 2, 2)",
      new: "INSERT INTO T VALUES('X', 9007199254740993, 2), ('y', 2, 1)"),
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

  /// With a NULL among the keys of the seed, `NOT IN` is never true.
  ///
  /// A condition is added to the `DELETE`, because the users have rows of their own.
  @Test(.tags(.promise13), arguments: ["code", "code, lang"])
  func `has a later seed with NULL in a key`(key: String) throws {
    let table = "CREATE TABLE word(lang TEXT NOT NULL, code TEXT, text, PRIMARY KEY(\(key)));"
    let site = try Site(
      seed: """
        \(table) INSERT INTO word VALUES('en', 'a', 'A'), ('en', 'b', 'B'); PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "INSERT INTO word VALUES('me', NULL, 'mine');")
    let script = "resources/scripts/" + (try site.refresh("word"))
    let text = String(decoding: site.scratch.bytes(script) ?? Data(), as: UTF8.self)
    try site.scratch.write(
      text.replacing(/(DELETE[^;]*);/) { "\($0.1) AND lang <> 'me';" }, to: script)

    try Shell.run(
      site.seed, "DELETE FROM word WHERE code = 'b'; INSERT INTO word VALUES('en', NULL, 'N');")
    for _ in 1...2 {
      try site.bake { $0.hasNewContent = true }
      _ = try site.upgrader().upgrade()

      let rows = ".mode quote\nSELECT * FROM word ORDER BY code, text;"
      #expect(
        try Shell.run(site.database, rows) == "'en',NULL,'N'\n'me',NULL,'mine'\n'en','a','A'")
    }
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
}
