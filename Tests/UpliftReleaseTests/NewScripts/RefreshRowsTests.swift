import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The script that `uplift new --refresh` writes makes the rows of existing databases equal to those
/// of the seed.
struct RefreshRowsTests {
  @Test(.tags(.promise13), arguments: cases)
  func `makes the rows equal to those of the seed`(test: Case) throws {
    let site = try Site(seed: nil, scripts: ["0001_first.sql": "SELECT 1;"])
    try site.place("\(test.table); \(test.old); PRAGMA user_version = 1;")
    try site.scratch.write("", to: "resources/app.db")
    try Shell.run(site.seed, "\(test.table); \(test.new); PRAGMA user_version = 1;")

    let name = try site.overwrite("t")
    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    if test.table.contains("PRIMARY KEY(b, a)") {
      #expect(text.contains("WHERE mine.b = new.b AND mine.a = new.a\n"))
    }
    let rows =
      "SELECT *, typeof(\(test.table.contains("select") ? "\"Group\"" : "1")) FROM T ORDER BY 1, 2;"
    let quoted = ".mode quote\n" + rows
    #expect(try Shell.run(site.database, quoted) == Shell.run(site.seed, quoted))
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.promise13), arguments: ["excluded", "Excluded", "old", "New"])
  func `changes the rows of a table with the name of an alias`(name: String) throws {
    let table = "CREATE TABLE \(name)(id TEXT PRIMARY KEY, v); PRAGMA user_version = 1;"
    let site = try Site(
      seed: table + "INSERT INTO \(name) VALUES(1, 'old'), (3, 'gone');",
      scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(
      site.seed,
      """
      UPDATE \(name) SET v = 'new'; INSERT INTO \(name) VALUES(2, 'b');
      DELETE FROM \(name) WHERE id = 3;
      """)

    _ = try site.overwrite(name)
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT * FROM \(name);") == "1|new\n2|b")
  }

  /// A new row of the counter's table begins with the default, and the triggers count.
  ///
  /// A row of the user's counts, too.
  @Test(.tags(.promise13)) func `has a counter that is left out in four places`() throws {
    let site = try Site(
      seed: """
        CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT, words INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE word(id INTEGER PRIMARY KEY, kind REFERENCES kind(id));
        CREATE TRIGGER more AFTER INSERT ON word BEGIN
          UPDATE kind SET words = words + 1 WHERE id = new.kind; END;
        CREATE TRIGGER fewer AFTER DELETE ON word BEGIN
          UPDATE kind SET words = words - 1 WHERE id = old.kind; END;
        INSERT INTO kind(id, name) VALUES(1, 'a'), (2, 'b');
        INSERT INTO word VALUES(1, 1), (2, 1), (3, 2);
        PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "INSERT INTO word VALUES(1001, 1), (1002, 2);")
    let script = "resources/scripts/" + (try site.overwrite("kind", "word"))
    var text = String(decoding: site.scratch.bytes(script) ?? Data(), as: UTF8.self)
    for place in [", words", ",\n  words = new.words", ", mine.words", ", new.words"] {
      #expect(text.contains(place))
      text = text.replacing(place, with: "")
    }
    text = text.replacing(
      "seed.word AS new WHERE new.id = mine.id);",
      with: "seed.word AS new WHERE new.id = mine.id) AND id < 1000;")
    try site.scratch.write(text, to: script)
    try Shell.run(
      site.seed,
      """
      DELETE FROM word WHERE id = 2; INSERT INTO kind(id, name) VALUES(3, 'c');
      UPDATE kind SET name = 'B' WHERE id = 2;
      INSERT INTO word VALUES(4, 3), (5, 3), (6, 1), (7, 1);
      """)

    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT * FROM kind;") == "1|a|4\n2|B|2\n3|c|2")
  }

  /// Releases changes of the table `word`, and upgrades the database.
  private func bring(_ changes: String, _ site: Site) throws {
    _ = try site.overwrite("word")
    try Shell.run(site.seed, changes)
    try site.bake { $0.hasNewContent = true }
    _ = try site.upgrader().upgrade()
  }

  @Test(
    .tags(.R10), arguments: ["BEFORE INSERT", "", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE"])
  func `has a table with a trigger, which fires once for each row that changes`(event: String)
    throws
  {
    let site = try Site(
      seed: """
        CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE fired(word);
        CREATE TRIGGER notes \(event.isEmpty ? "INSERT" : event) ON word BEGIN
          INSERT INTO fired VALUES(new.id); END;
        INSERT INTO word VALUES(1, 'a'), (2, 'b'), (3, 'c'); PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "DELETE FROM fired;")

    try bring("UPDATE word SET text = 'B' WHERE id = 2; INSERT INTO word VALUES(4, 'd');", site)

    let fired = event.contains("UPDATE") ? "2" : "4"
    #expect(try Shell.run(site.database, "SELECT * FROM fired;") == fired)
  }

  /// SQLite passes over `OR IGNORE` in an upsert, also in a trigger that another one fires.
  @Test(.tags(.promise13)) func `has a table whose triggers ignore rows`() throws {
    let site = try Site(
      seed: """
        CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE log(word);
        CREATE TABLE changed(word INTEGER PRIMARY KEY);
        CREATE TRIGGER logs AFTER UPDATE ON word BEGIN INSERT INTO log VALUES(new.id); END;
        CREATE TRIGGER notes AFTER INSERT ON log BEGIN
          INSERT OR IGNORE INTO changed VALUES(new.word); END;
        INSERT INTO word VALUES(1, 'a'); PRAGMA user_version = 1;
        """, scripts: ["0001_first.sql": "SELECT 1;"])
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "UPDATE word SET text = 'mine';")

    try bring(
      "UPDATE word SET text = 'A'; INSERT INTO word VALUES(2, 'b'); DELETE FROM log;", site)

    #expect(try Shell.run(site.database, "SELECT * FROM word;") == "1|A\n2|b")
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
    let script = "resources/scripts/" + (try site.overwrite("word"))
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

    _ = try site.overwrite("Word")
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

    let name = try site.overwrite("T")
    let text = String(
      decoding: site.scratch.bytes("resources/scripts/" + name) ?? Data(), as: UTF8.self)
    try site.ship(
      name, text.replacing("= mine.id);\n\nUPDATE", with: "= mine.id)\(condition);\n\nUPDATE"))
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
    _ = try site.overwrite("word")
    try site.bake { $0.hasNewContent = true }

    _ = try site.upgrader().upgrade()

    try Shell.run(site.database, "INSERT INTO word(x) VALUES('mine');")
    let rows = "SELECT id FROM word;"
    #expect(try Shell.run(site.database, rows) == "1\n2\n1000001")
    try Shell.run(site.seed, "INSERT INTO word(x) VALUES('mine');")
    #expect(try Shell.run(site.seed, rows) == "1\n2\n1000001")
  }
}
