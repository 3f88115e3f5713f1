import TestSupport
import Testing
import Uplift

/// Statements that no script may run.
struct GuardTests {
  private static func notAllowed(_ statement: String) -> String {
    "\(statement) is not allowed in a script"
  }

  private static let savepoint =
    "SAVEPOINT, RELEASE and ROLLBACK TO are not allowed in a script"
  private static let uncommitted = "the script begins a transaction and does not commit it"

  @Test(
    .tags(.S1, .promise4),
    arguments: [
      ("COMMIT", notAllowed("COMMIT")),
      ("END TRANSACTION", notAllowed("COMMIT")),
      ("ROLLBACK", notAllowed("ROLLBACK")),
      ("SAVEPOINT s", savepoint),
      ("RELEASE uplift", savepoint),
      ("ROLLBACK TO uplift", savepoint),
    ])
  func `refuses transaction control within a script`(
    statement: String, words: String
  ) throws {
    let trial = try Trial("CREATE TABLE t(a);\n\n  \(statement); CREATE TABLE u(a);")

    let failure = trial.failure()

    #expect(failure?.description == "\(trial.path(1)):3:3: \(words); the database is at 0")
    #expect(failure?.text == "  \(statement); CREATE TABLE u(a);")
    #expect(try trial.state() == Trial.empty)
  }

  @Test(
    .tags(.S1),
    arguments: [
      ("BEGIN; CREATE TABLE t(a);", "1:1", uncommitted),
      ("\nBEGIN IMMEDIATE;\nCREATE TABLE t(a);\n", "2:1", uncommitted),
      ("BEGIN; CREATE TABLE t(a); COMMIT; BEGIN EXCLUSIVE;", "1:35", uncommitted),
      ("BEGIN; CREATE TABLE t(a); COMMIT; COMMIT;", "1:35", notAllowed("COMMIT")),
      ("BEGIN; CREATE TABLE t(a); END; END;", "1:32", notAllowed("COMMIT")),
      ("COMMIT; CREATE TABLE t(a); BEGIN; COMMIT;", "1:35", notAllowed("COMMIT")),
      ("COMMIT; BEGIN; BEGIN; COMMIT;", "1:16", notAllowed("BEGIN")),
      ("BEGIN; BEGIN; COMMIT; COMMIT;", "1:8", notAllowed("BEGIN")),
      ("BEGIN; CREATE TABLE t(a); ROLLBACK;", "1:27", notAllowed("ROLLBACK")),
      ("BEGIN; SAVEPOINT s; RELEASE s; COMMIT;", "1:8", savepoint),
    ])
  func `refuses a BEGIN or COMMIT that has no partner`(
    script: String, place: String, words: String
  ) throws {
    let trial = try Trial(script)

    let failure = trial.failure()

    #expect(failure?.message == words)
    #expect(failure?.placeInScript == place)
    #expect(try trial.state() == Trial.empty)
  }

  @Test(
    .tags(.S1, .promise4),
    arguments: [
      "BEGIN; {} COMMIT;",
      "PRAGMA foreign_keys=OFF; BEGIN; {} END TRANSACTION; PRAGMA foreign_keys=ON;",
      "{} BEGIN IMMEDIATE; INSERT INTO t VALUES(2); COMMIT; INSERT INTO t VALUES(3);",
      "BEGIN; {} COMMIT; BEGIN EXCLUSIVE; INSERT INTO t VALUES(2); END;",
      "COMMIT; {} BEGIN;",
      "{} COMMIT; INSERT INTO t VALUES(2); BEGIN; INSERT INTO t VALUES(3); COMMIT; BEGIN;",
    ])
  func `does not commit at a COMMIT of the script, but after the script`(pattern: String) throws {
    let script = pattern.replacing("{}", with: "CREATE TABLE t(a); INSERT INTO t VALUES(1);")
    let whole = try Trial(script, "CREATE TABLE u(a);")
    let failing = try Trial("SELECT 1;", script + "\nSELECT nosuch;")

    try whole.upgrade()
    let failure = failing.failure()

    #expect(try whole.ask("SELECT group_concat(name) FROM sqlite_master") == "t,u")
    #expect(failure?.placeInScript == "2:8")
    #expect(failure?.reached == 1)
    #expect(try failing.ask("SELECT count(*) FROM sqlite_master") == "0")
  }

  @Test(.tags(.S1, .S5))
  func `runs a dump of the sqlite3 shell unchanged`() throws {
    let source = try Trial(
      scripts: [],
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY AUTOINCREMENT, "a ""b"";" TEXT);
        CREATE TABLE child(id PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE) WITHOUT ROWID;
        CREATE VIEW v AS SELECT * FROM parent;
        CREATE TRIGGER t AFTER INSERT ON parent BEGIN INSERT INTO child VALUES(new.id, new.id); END;
        CREATE UNIQUE INDEX i ON parent("a ""b"";") WHERE id > 1;
        INSERT INTO parent VALUES(1, 'x;--'), (2, 'zwei' || char(10) || 'Zeilen'), (3, x'00ff');
        ANALYZE;
        """)
    let dump = try Shell.dump(source.database)
    let trial = try Trial(dump)

    let upgrade = try trial.upgrade()

    #expect(upgrade.end == 1)
    #expect(try Shell.dump(trial.database) == dump)
  }

  @Test(
    .tags(.S7),
    arguments: [
      ("ATTACH 'other.db' AS other", notAllowed("ATTACH")),
      ("ATTACH ':memory:' AS other", notAllowed("ATTACH")),
      ("ATTACH '' AS other", notAllowed("ATTACH")),
      ("ATTACH 'oth' || 'er.db' AS other", notAllowed("ATTACH")),
      ("DETACH main", notAllowed("DETACH")),
      // Inside a transaction SQLite itself refuses VACUUM, before the guard does.
      ("VACUUM INTO 'other.db'", nil),
    ])
  func `refuses to attach, detach or write another file`(
    statement: String, words: String?
  ) throws {
    let trial = try Trial("\n \(statement);")

    let failure = trial.failure()

    if let words { #expect(failure?.message == words) }
    #expect(failure?.placeInScript == "2:2")
    #expect(failure?.reached == 0)
    #expect(trial.scratch.names() == ["Migrations", "app.db"])
  }

  @Test(.tags(.S7))
  func `refuses to write the schema or a full-text table's own tables by hand`() throws {
    for statement in [
      "UPDATE sqlite_master SET sql = 'CREATE TABLE t(b)'", "DELETE FROM sqlite_schema",
      "INSERT INTO f_data VALUES(99, x'00')", "DROP TABLE f_idx",
    ] {
      let trial = try Trial("CREATE VIRTUAL TABLE f USING fts5(a);", "\(statement);")

      let failure = trial.failure()

      #expect(failure?.reached == 1, "\(statement)")
    }
  }

  @Test(.tags(.S7))
  func `lets full-text and spatial tables work on their own tables`() throws {
    let script = """
      CREATE VIRTUAL TABLE f USING fts5(a, b);
      INSERT INTO f VALUES('one', 'two'), ('three', 'four');
      INSERT INTO f(f) VALUES('optimize');
      INSERT INTO f(f, rank) VALUES('pgsz', 64);
      CREATE VIRTUAL TABLE g USING fts4(a);
      INSERT INTO g VALUES('some words');
      INSERT INTO g(g) VALUES('optimize');
      CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
      INSERT INTO r VALUES(1, 2, 3);
      ALTER TABLE f RENAME TO f2;
      UPDATE f2 SET a = 'five' WHERE f2 MATCH 'three';
      DROP TABLE g;
      """
    let trial = try Trial(script, "DELETE FROM f2 WHERE f2 MATCH 'one'; DROP TABLE r;")

    try trial.upgrade()

    #expect(try trial.ask("SELECT a, b FROM f2 WHERE f2 MATCH 'four'") == "five|four")
    #expect(try trial.ask("PRAGMA integrity_check") == "ok")
  }

  @Test(.tags(.S1))
  func `does not take a trigger's BEGIN and END for transaction control`() throws {
    let trial = try Trial(
      """
      CREATE TABLE t(a);
      CREATE TRIGGER u AFTER INSERT ON t WHEN new.a > 1 BEGIN
        DELETE FROM t WHERE a = CASE WHEN new.a THEN 1 ELSE 2 END;
      END;
      INSERT INTO t VALUES(1), (2);
      """)

    try trial.upgrade()

    #expect(try trial.ask("SELECT * FROM t") == "2")
  }

  @Test(
    .tags(.S1),
    arguments: [("?", "?"), ("?2", "?2"), (":name", ":name"), ("@a", "@a"), ("$b", "$b")])
  func `refuses a parameter, which nobody gives a value`(
    parameter: (text: String, shown: String)
  ) throws {
    let trial = try Trial(
      "\nINSERT INTO t VALUES(\(parameter.text));", start: "CREATE TABLE t(a);")

    let failure = trial.failure()

    #expect(failure?.message == "the parameter \(parameter.shown) has no value in a script")
    #expect(failure?.placeInScript == "2:1")
    #expect(try trial.ask("SELECT count(*) FROM t") == "0")
  }
}
