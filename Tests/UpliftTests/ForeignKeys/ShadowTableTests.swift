import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// References to a virtual table's own tables, which its module changes while a statement runs.
struct ShadowTableTests {
  static let notes = """
    CREATE VIRTUAL TABLE notes USING fts5(body);
    INSERT INTO notes VALUES('x'), ('y'), ('z');
    CREATE TABLE tags(note REFERENCES notes_content(id), tag);
    INSERT INTO tags VALUES(1, 'a');
    CREATE TABLE log(t);
    CREATE TRIGGER forget AFTER INSERT ON log
      BEGIN DELETE FROM notes WHERE rowid = 1; END;
    """
  static let old = "INSERT INTO tags VALUES(77, 'old');"
  static let alone = "-- uplift: no-transaction\n"

  static let removing = [
    "DELETE FROM notes WHERE rowid = 1; INSERT INTO tags VALUES(NULL, 'b');",
    "DELETE FROM notes WHERE rowid = 1; INSERT INTO log VALUES(1); UPDATE tags SET note = note;",
    "INSERT INTO log VALUES(1); INSERT INTO tags VALUES(NULL, 'b'), (NULL, 'c');",
    "UPDATE notes SET rowid = 9 WHERE rowid = 1; INSERT INTO tags VALUES(9, 'b');",
    "DELETE FROM notes WHERE rowid = 1; ALTER TABLE tags ADD COLUMN more;",
  ]

  @Test(
    .tags(.promise10, .S6), arguments: removing.flatMap { [$0, alone + $0] }, ["", old])
  func `sees what a virtual table deletes before the children are touched`(
    script: String, old: String
  ) throws {
    let trial = try Trial(script, start: Self.notes + old)

    let failure = trial.failure()

    #expect(failure?.violations?.count == 1)
  }

  @Test(.tags(.promise10, .S6), arguments: ["", old])
  func `sees a deletion in a script that finds the module's statements prepared`(old: String) throws
  {
    let trial = try Trial(
      "DELETE FROM notes WHERE rowid = 3; INSERT INTO tags VALUES(NULL, 'b');",
      "DELETE FROM notes WHERE rowid = 1; INSERT INTO tags VALUES(NULL, 'c');",
      start: Self.notes + old)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.violations?.count == 1)
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.promise10, .S6), arguments: ["", old])
  func `sees a deletion in a step`(old: String) throws {
    let notes = Self.notes.replacing("fts5", with: "fts4").replacing("(id)", with: "(docid)")
    let site = try Site.holding(notes + old)

    let failure = try site.failure { database in
      try database.execute("DELETE FROM notes WHERE rowid = 1")
      try database.execute("INSERT INTO tags VALUES(NULL, 'b')")
    }

    #expect(failure.violations?.count == 1)
  }

  @Test(.tags(.S6), arguments: ["", alone])
  func `tolerates an old orphan of a virtual table's own table`(alone: String) throws {
    let trial = try Trial(
      alone + """
        DELETE FROM notes WHERE rowid = 2; INSERT INTO notes VALUES('n');
        INSERT INTO tags VALUES(NULL, 'b'); UPDATE tags SET tag = 'c';
        """, start: Self.notes + Self.old)

    let error = trial.error()

    #expect(error == nil)
  }

  /// Such a trigger may run at the end of the transaction, after the check.
  static let triggers = [
    "USING fts5(x); CREATE TRIGGER t AFTER DELETE ON f_content",
    "USING fts5(x); CREATE TRIGGER t AFTER INSERT ON f_data",
    "USING fts4(x); CREATE TRIGGER t AFTER INSERT ON f_segdir",
    "USING rtree(id, low, high); CREATE TRIGGER t AFTER DELETE ON F_rowid",
  ]

  static func family(_ table: String) -> String {
    """
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    CREATE TABLE child(pid REFERENCES parent);
    INSERT INTO parent VALUES(1);
    INSERT INTO child VALUES(1);
    CREATE VIRTUAL TABLE F \(table) BEGIN DELETE FROM parent; END;
    """
  }

  @Test(
    .tags(.promise10), arguments: triggers, ["SELECT count(*) FROM f;", "SELECT 1;"])
  func `refuses a change of a virtual table with a trigger on its own tables`(
    table: String, before: String
  ) throws {
    let change = "INSERT INTO f(rowid) VALUES(1); DELETE FROM f WHERE rowid = 1;"
    let trial = try Trial(before, change, "SELECT 2;", start: Self.family(table))
    let site = try Site.holding(Self.family(table))

    let script = trial.failure { $0.commitInterval = .seconds(3600) }
    let step = try site.failure { try $0.execute("DELETE FROM f WHERE rowid = 1") }

    for failure in [script, step] {
      #expect(failure?.reason == .refused(.ownTable(has: "trigger", name: "t", of: "F")))
      #expect(failure?.reached == 1)
    }
    #expect(script?.line == nil)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM parent") == "1")
  }

  @Test(.tags(.promise10))
  func `refuses a change, though the script itself makes the virtual table`() throws {
    let trial = try Trial(
      """
      CREATE VIRTUAL TABLE f USING fts5(x);
      CREATE TRIGGER t AFTER INSERT ON f_content BEGIN DELETE FROM parent; END;
      INSERT INTO f VALUES('a');
      """, start: "CREATE TABLE parent(id INTEGER PRIMARY KEY);")

    let failure = trial.failure()

    #expect(failure?.reason == .refused(.ownTable(has: "trigger", name: "t", of: "f")))
  }

  @Test(.tags(.promise10), arguments: triggers)
  func `allows the change after the trigger is gone`(table: String) throws {
    let trial = try Trial(
      "DROP TRIGGER t; DELETE FROM f WHERE rowid = 1;", start: Self.family(table))

    #expect(trial.failure() == nil)
  }

  /// The table has a name like those of the virtual table's own tables.
  @Test(.tags(.promise10)) func `allows a trigger on another table`() throws {
    let trial = try Trial(
      "INSERT INTO notes VALUES('n');",
      start: Self.notes + """
        CREATE TABLE notes_tags(tag);
        CREATE TRIGGER t AFTER INSERT ON notes_tags BEGIN DELETE FROM log; END;
        """)

    #expect(trial.failure() == nil)
  }

  /// A script without a transaction is checked after each of its statements was committed.
  @Test(.tags(.promise10, .S6), arguments: ["", "INSERT INTO child VALUES(77);"])
  func `sees what such a trigger deletes in a script without a transaction`(old: String) throws {
    let trial = try Trial(
      Self.alone + "DELETE FROM notes WHERE rowid = 2; INSERT INTO child VALUES(NULL);",
      start: Self.notes + """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(pid REFERENCES parent);
        INSERT INTO parent VALUES(1);
        INSERT INTO child VALUES(1);
        CREATE TRIGGER t AFTER DELETE ON notes_content BEGIN DELETE FROM parent; END;
        """ + old)

    let failure = trial.failure()

    #expect(failure?.violations?.rows.contains { $0.row == 1 } == true)
  }

  @Test(
    .tags(.promise10),
    arguments: [
      ("fts3", "f_segdir"), ("fts4", "f_segdir"), ("fts5", "f_data"),
    ])
  func `refuses the change if the script has a temporary trigger there`(
    module: String, table: String
  ) throws {
    let trial = try Trial(
      """
      CREATE TEMP TRIGGER t AFTER INSERT ON main.\(table) BEGIN DELETE FROM parent; END;
      INSERT INTO f VALUES('new');
      """, start: Self.family("USING \(module)(x); CREATE TRIGGER own AFTER INSERT ON parent"))

    let failure = trial.failure()

    #expect(failure?.reason == .refused(.ownTable(has: "trigger", name: "t", of: "F")))
    #expect(try trial.ask("SELECT count(*) FROM parent") == "1")
  }

  /// SQLite 3.40 runs into itself at the next savepoint, and crashes.
  @Test func `refuses the change if there is an index on an expression`() throws {
    let start = "CREATE TABLE t(a); CREATE VIRTUAL TABLE f USING fts5(x);"
    let trial = try Trial(
      "INSERT INTO t VALUES(1);", "INSERT INTO f VALUES('a');", "INSERT INTO t VALUES(3);",
      start: start + "CREATE INDEX u ON f_data(abs(id));")
    let plain = try Trial(
      "INSERT INTO t VALUES(1);", "INSERT INTO f VALUES('a');", "INSERT INTO t VALUES(3);",
      start: start + "CREATE INDEX u ON f_data(id);")

    let failure = trial.failure()

    #expect(failure?.reason == .refused(.ownTable(has: "index", name: "u", of: "f")))
    #expect(failure?.reached == 1)
    #expect(plain.failure() == nil)
  }

  /// The index is merged when the transaction ends, and the rows of its old parts are deleted.
  @Test(.tags(.promise10), arguments: [Duration.zero, .seconds(3600)])
  func `sees an orphan that a full-text index makes when it is written`(
    interval: Duration
  ) throws {
    let old = (1...3).map { "INSERT INTO f VALUES('w\($0) x\($0)');" }.joined()
    let trial = try Trial(
      "INSERT INTO f VALUES('w4 x4');", "INSERT INTO f VALUES('w5 x5');",
      start: """
        CREATE VIRTUAL TABLE f USING fts5(x);
        INSERT INTO f(f, rank) VALUES('crisismerge', 4), ('automerge', 2);
        \(old)
        CREATE TABLE child(pid REFERENCES f_data(id)); INSERT INTO child SELECT id FROM f_data;
        """)

    let failure = trial.failure { $0.commitInterval = interval }

    guard case .foreignKeys = failure?.reason else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(try trial.ask("PRAGMA foreign_key_check;") == "")
  }

  /// A child of `user_profile` has an old orphan.
  ///
  /// The table `user` is an ordinary one.
  @Test(
    .tags(.promise10),
    arguments: [
      "DROP TABLE old_country;", "ALTER TABLE country RENAME TO land;",
      "ALTER TABLE country RENAME COLUMN name TO title;", "INSERT INTO user VALUES(1, NULL, NULL);",
    ])
  func `takes no ordinary table for the owner of another`(script: String) throws {
    let trial = try Trial(
      AloneTests.directive + script,
      start: """
        CREATE TABLE country(id INTEGER PRIMARY KEY, name);
        CREATE TABLE old_country(id INTEGER PRIMARY KEY);
        CREATE TABLE user(id INTEGER PRIMARY KEY, country REFERENCES country, old REFERENCES old_country);
        CREATE TABLE user_profile(id INTEGER PRIMARY KEY);
        CREATE TABLE photo(profile REFERENCES user_profile); INSERT INTO photo VALUES(99);
        """)

    #expect(trial.failure() == nil)
  }
}
