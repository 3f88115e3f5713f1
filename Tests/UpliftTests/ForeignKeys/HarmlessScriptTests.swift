import TestSupport
import Testing
import Uplift

/// A script that makes no orphan runs, and loses no row to a cascade.
struct HarmlessScriptTests {
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
    "CREATE TABLE IF NOT EXISTS child(parent REFERENCES parent);",
    "ALTER TABLE parent RENAME COLUMN code TO letters;",
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

  /// Old orphans get other names or other values, so they count as new.
  static let renaming = [
    "CREATE TABLE n(id INTEGER PRIMARY KEY, parent TEXT REFERENCES parent, note);"
      + "INSERT INTO n SELECT * FROM child; DROP TABLE child; ALTER TABLE n RENAME TO child;",
    "ALTER TABLE child RENAME TO kid;",
    "ALTER TABLE parent RENAME TO father;",
    "ALTER TABLE parent RENAME TO father; ALTER TABLE child RENAME TO kid;",
    "ALTER TABLE child RENAME COLUMN parent TO father;",
    "ALTER TABLE parent RENAME TO t; ALTER TABLE tree RENAME TO parent; ALTER TABLE t RENAME TO tree;",
  ]

  @Test(.tags(.promise10, .S22), arguments: renaming)
  func `renames and converts if there are no old orphans`(script: String) throws {
    let clean = try Trial(script, start: Families.start)
    let old = try Trial(script, start: Families.start + Families.oldOrphans)

    let failure = old.failure()

    #expect(clean.failure() == nil)
    #expect(failure?.orphans != nil)
  }

  @Test(.tags(.S5, .S6, .promise10), arguments: harmless, ["", Families.oldOrphans])
  func `runs a script that makes no orphan, with and without old orphans`(
    script: String, orphans: String
  ) throws {
    let trial = try Trial(
      "SELECT 1;", script, "UPDATE paired SET x = x;", start: Families.start + orphans)
    let plain = try Trial(scripts: [], start: Families.start + orphans)
    try Shell.run(
      plain.database,
      script + "PRAGMA foreign_keys=OFF; UPDATE paired SET x = x; PRAGMA user_version = 3;")

    #expect(throws: Never.self) { try trial.upgrade() }

    #expect(try trial.state() == plain.state())
  }

  @Test(.tags(.S5, .promise10))
  func `loses no child while its parent is rebuilt`() throws {
    let trial = try Trial(Self.rebuildOfParent, start: Families.start)

    try trial.upgrade()

    #expect(try trial.ask("SELECT count(*) FROM child; SELECT count(*) FROM coded;") == "3\n2")
  }
}
