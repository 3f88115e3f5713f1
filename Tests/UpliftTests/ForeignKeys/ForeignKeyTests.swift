import TestSupport
import Testing
import Uplift

/// No script commits a foreign-key violation that was not there before it, and no row is lost to a
/// cascade.
struct ForeignKeyTests {
  static let start = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE, note);
    CREATE TABLE coded(code REFERENCES parent(code) ON DELETE CASCADE);
    CREATE TABLE keyed(a, parent REFERENCES parent, PRIMARY KEY(a)) WITHOUT ROWID;
    CREATE TABLE tree(id INTEGER PRIMARY KEY, up REFERENCES tree ON DELETE CASCADE);
    CREATE TABLE pairs(a, b, name, PRIMARY KEY(b, a));
    CREATE TABLE paired(x, y, FOREIGN KEY(x, y) REFERENCES pairs(a, b));
    CREATE TABLE made(a, b AS (a + 1) STORED REFERENCES parent);
    INSERT INTO parent VALUES(1, 'one', 'x'), (2, 'two', 'y');
    INSERT INTO child VALUES(1, 1, ''), (2, 2, ''), (3, NULL, '');
    INSERT INTO coded VALUES('one'), ('two');
    INSERT INTO keyed VALUES('k', 1);
    INSERT INTO tree VALUES(1, NULL), (2, 1), (3, 3);
    INSERT INTO pairs VALUES(1, 2, 'p');
    INSERT INTO paired VALUES(1, 2), (NULL, 9), (9, NULL);
    INSERT INTO made(a) VALUES(0);
    """

  /// The orphans that each of these tables can have before a script.
  static let oldOrphans = """
    INSERT INTO child VALUES(11, 70, ''), (12, 70, ''), (13, 71, '');
    INSERT INTO coded VALUES('seven');
    INSERT INTO keyed VALUES('l', 70);
    INSERT INTO tree VALUES(4, 70);
    INSERT INTO paired(rowid, x, y) VALUES(-7, 7, 7);
    INSERT INTO made(a) VALUES(69);
    """

  static let rebuildOfParent = """
    PRAGMA foreign_keys=OFF;
    BEGIN TRANSACTION;
    CREATE TABLE new_parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT NOT NULL);
    INSERT INTO new_parent SELECT * FROM parent;
    DROP TABLE parent;
    ALTER TABLE new_parent RENAME TO parent;
    CREATE INDEX parent_name ON parent(name);
    PRAGMA foreign_key_check;
    COMMIT;
    PRAGMA foreign_keys=ON;
    """

  static let harmless = [
    rebuildOfParent,
    "CREATE TABLE n(id INTEGER PRIMARY KEY, parent TEXT REFERENCES parent, note);"
      + "INSERT INTO n SELECT * FROM child; DROP TABLE child; ALTER TABLE n RENAME TO child;",
    "ALTER TABLE child RENAME TO kid;",
    "ALTER TABLE parent RENAME TO father;",
    "ALTER TABLE parent RENAME TO father; ALTER TABLE child RENAME TO kid;",
    "ALTER TABLE child RENAME COLUMN parent TO father;",
    "ALTER TABLE parent RENAME COLUMN code TO letters;",
    "ALTER TABLE parent RENAME TO t; ALTER TABLE tree RENAME TO parent; ALTER TABLE t RENAME TO tree;",
    """
    CREATE TABLE n(id INTEGER PRIMARY KEY); DROP TABLE tree; ALTER TABLE n RENAME TO tree;
    CREATE TABLE m(id INTEGER PRIMARY KEY, parent REFERENCES parent, note);
    INSERT INTO m SELECT * FROM child; DROP TABLE child; ALTER TABLE m RENAME TO child;
    """,
    "ALTER TABLE child ADD COLUMN more REFERENCES parent;",
    "INSERT INTO parent VALUES(3, 'three', ''); INSERT INTO child VALUES(4, 3, '');",
    "INSERT INTO child VALUES(4, '2', ''), (5, 2.0, '');",
    "UPDATE child SET note = 'all'; UPDATE parent SET name = 'all';",
    "UPDATE parent SET id = id + 100; UPDATE child SET parent = parent + 100 WHERE parent < 70;"
      + "UPDATE keyed SET parent = 101 WHERE parent = 1; UPDATE made SET a = 100 WHERE a = 0;",
    "DELETE FROM child; DELETE FROM coded; DELETE FROM keyed; DELETE FROM made; DELETE FROM parent;",
    "DROP TABLE child; DROP TABLE coded; DROP TABLE keyed; DROP TABLE made; DROP TABLE parent;",
    "UPDATE child SET id = id + 1000;",
    "CREATE UNIQUE INDEX i ON child(id, parent); DROP INDEX i;",
    "INSERT OR REPLACE INTO parent VALUES(1, 'one', 'again');",
    "INSERT INTO parent VALUES(1, 'x', 'y') ON CONFLICT DO UPDATE SET name = 'again';",
  ]

  @Test(.tags(.S5, .S6, .promise10), arguments: harmless, ["", oldOrphans])
  func `runs a script that makes no orphan, whatever orphans there were`(
    script: String, orphans: String
  ) throws {
    let trial = try Trial(
      "SELECT 1;", script, "UPDATE paired SET x = x;", start: Self.start + orphans)
    let plain = try Trial(scripts: [], start: Self.start + orphans)
    try Shell.run(
      plain.database,
      script + "PRAGMA foreign_keys=OFF; UPDATE paired SET x = x; PRAGMA user_version = 3;")

    #expect(throws: Never.self) { try trial.upgrade() }

    #expect(try trial.state() == plain.state())
  }

  static let harmful: [(script: String, violations: [UpgradeError.Violation])] = [
    (
      "INSERT INTO child VALUES(4, 70, '');",
      [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")]
    ),
    (
      "INSERT INTO child VALUES(4, 'x', '');",
      [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE child SET parent = 70 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "DELETE FROM parent WHERE id = 2;",
      [
        .init(table: "child", row: 2, columns: ["parent"], parent: "parent"),
        .init(table: "coded", row: 2, columns: ["code"], parent: "parent"),
      ]
    ),
    (
      "UPDATE parent SET code = 'zwei' WHERE id = 2;",
      [.init(table: "coded", row: 2, columns: ["code"], parent: "parent")]
    ),
    (
      "UPDATE parent SET id = 3 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE parent SET rowid = 3 WHERE id = 2;",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "REPLACE INTO parent VALUES(3, 'two', '');",
      [.init(table: "child", row: 2, columns: ["parent"], parent: "parent")]
    ),
    (
      "UPDATE OR REPLACE parent SET name = 'z', code = 'one' WHERE id = 2;",
      [
        .init(table: "child", row: 1, columns: ["parent"], parent: "parent"),
        .init(table: "coded", row: 2, columns: ["code"], parent: "parent"),
        .init(table: "keyed", row: nil, columns: ["parent"], parent: "parent"),
        .init(table: "made", row: 1, columns: ["b"], parent: "parent"),
      ]
    ),
    (
      "INSERT INTO keyed VALUES('m', 9);",
      [.init(table: "keyed", row: nil, columns: ["parent"], parent: "parent")]
    ),
    (
      "INSERT INTO tree VALUES(9, 10);",
      [.init(table: "tree", row: 9, columns: ["up"], parent: "tree")]
    ),
    (
      "DELETE FROM tree WHERE id = 1;",
      [.init(table: "tree", row: 2, columns: ["up"], parent: "tree")]
    ),
    (
      "UPDATE pairs SET b = 3;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "INSERT INTO paired VALUES(2, 1);",
      [.init(table: "paired", row: 4, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "UPDATE made SET a = 5 WHERE a = 0;",
      [.init(table: "made", row: 1, columns: ["b"], parent: "parent")]
    ),
    (
      "DROP TABLE pairs; DELETE FROM paired WHERE x = 7;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "DELETE FROM paired WHERE x = 7; ALTER TABLE paired ADD COLUMN z REFERENCES parent DEFAULT 9;",
      [
        .init(table: "paired", row: 1, columns: ["z"], parent: "parent"),
        .init(table: "paired", row: 2, columns: ["z"], parent: "parent"),
        .init(table: "paired", row: 3, columns: ["z"], parent: "parent"),
      ]
    ),
    (
      "PRAGMA legacy_alter_table=ON; ALTER TABLE pairs RENAME TO others;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TABLE n(a REFERENCES parent); INSERT INTO n VALUES(9);",
      [.init(table: "n", row: 1, columns: ["a"], parent: "parent")]
    ),
    (
      "CREATE TRIGGER g AFTER UPDATE ON tree BEGIN DELETE FROM pairs; END; UPDATE tree SET id = id;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE VIEW v AS SELECT 1 AS a; CREATE TRIGGER g INSTEAD OF DELETE ON v BEGIN "
        + "DELETE FROM pairs; END; DELETE FROM v;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TEMP TABLE pairs(a, b, name, PRIMARY KEY(b, a)); INSERT INTO pairs VALUES(1, 2, 3);"
        + "DELETE FROM main.pairs;",
      [.init(table: "paired", row: 1, columns: ["x", "y"], parent: "pairs")]
    ),
    (
      "CREATE TABLE n(a REFERENCES pairs(name)); INSERT INTO n VALUES('p'), ('q');",
      [.init(table: "n", row: 2, columns: ["a"], parent: "pairs")]
    ),
  ]

  @Test(.tags(.S6, .promise10), arguments: harmful.indices, ["", oldOrphans])
  func `refuses a script that makes an orphan, and names row and parent`(
    index: Int, orphans: String
  ) throws {
    let (script, violations) = Self.harmful[index]
    let trial = try Trial("UPDATE paired SET x = x;", script, start: Self.start + orphans)
    let before = try trial.ask(".dump")

    let failure = trial.failure()

    guard let found = failure?.violations else {
      Issue.record("\(script): \(failure as Any)")
      return
    }
    #expect(failure?.script == trial.path(2))
    #expect(found.count == found.rows.count)
    #expect(
      Set(found.rows.map(Self.withoutFault)) == Set(violations), "\(script)")
    #expect(try trial.ask(".dump") == before)
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.promise10))
  func `lists ten of a hundred new orphans, and counts them all`() throws {
    let trial = try Trial(
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
      INSERT INTO child SELECT i, i, '' FROM n;
      """, start: Self.start + Self.oldOrphans)

    let failure = trial.failure()

    #expect(
      failure?.reason
        == .foreignKeys(
          .init(
            rows: (100...109).map {
              .init(table: "child", row: $0, columns: ["parent"], parent: "parent")
            }, count: 100)))
  }

  @Test(.tags(.S5, .promise10))
  func `loses no child while its parent is rebuilt`() throws {
    let trial = try Trial(Self.rebuildOfParent, start: Self.start)

    try trial.upgrade()

    #expect(try trial.ask("SELECT count(*) FROM child; SELECT count(*) FROM coded;") == "3\n2")
  }

  @Test(.tags(.S6, .promise10))
  func `checks all of the database, or nothing, by option`() throws {
    let orphan = "INSERT INTO child VALUES(4, 70, '');"
    let all = try Trial("SELECT 1;", orphan, start: Self.start + Self.oldOrphans)
    let none = try Trial("SELECT 1;", orphan, start: Self.start)

    let failure = all.failure { $0.foreignKeys = .all }
    try none.upgrade { $0.foreignKeys = .none }

    #expect(
      failure?.reason
        == .foreignKeys(
          .init(
            rows: [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")], count: 1))
    )
    #expect(failure?.reached == 1)
    #expect(try none.ask("PRAGMA foreign_key_check") == "child|4|parent|0")
  }

  private static func withoutFault(
    _ violation: UpgradeError.Violation
  ) -> UpgradeError.Violation {
    .init(
      table: violation.table, row: violation.row, columns: violation.columns,
      parent: violation.parent)
  }

  @Test(.tags(.S6, .promise10))
  func `compares rows with a parent whose columns are no key`() throws {
    let start = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, code);
      CREATE TABLE child(code REFERENCES parent(code));
      INSERT INTO parent VALUES(1, 'b');
      INSERT INTO child VALUES('a');
      """
    let good = try Trial("INSERT INTO child VALUES('b');", start: start)
    let bad = try Trial("INSERT INTO child VALUES('c');", start: start)

    let failure = bad.failure()

    #expect(good.failure() == nil)
    #expect(
      failure?.reason
        == .foreignKeys(
          .init(
            rows: [
              .init(
                table: "child", row: 2, columns: ["code"], parent: "parent", fault: .noKey)
            ], count: 1)))
  }
}
