import TestSupport
import Testing
import Uplift

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
  func `sees it in a script that finds the module's statements prepared`(old: String) throws {
    let trial = try Trial(
      "DELETE FROM notes WHERE rowid = 3; INSERT INTO tags VALUES(NULL, 'b');",
      "DELETE FROM notes WHERE rowid = 1; INSERT INTO tags VALUES(NULL, 'c');",
      start: Self.notes + old)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.violations?.count == 1)
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.promise10, .S6), arguments: ["", old])
  func `sees it in a step`(old: String) throws {
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

  /// Not through a table that is the virtual table's own, as far as its name says.
  @Test(.tags(.promise10, .S6), arguments: ["", alone], ["", "INSERT INTO child VALUES(77);"])
  func `sees what a trigger on such a table deletes`(alone: String, old: String) throws {
    let trial = try Trial(
      alone + "DELETE FROM notes WHERE rowid = 2; INSERT INTO child VALUES(NULL);",
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

  /// The first script touches `parent` by itself before the trigger does.
  @Test(.tags(.promise10, .S6))
  func `sees it in a script that finds the trigger prepared`() throws {
    let trial = try Trial(
      "DELETE FROM parent WHERE 0; DELETE FROM notes WHERE rowid = 3;",
      "DELETE FROM notes WHERE rowid = 1;",
      start: Self.notes + """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(pid REFERENCES parent);
        INSERT INTO parent VALUES(1);
        INSERT INTO child VALUES(1);
        CREATE TRIGGER t AFTER DELETE ON notes_content
          BEGIN DELETE FROM parent WHERE id = OLD.id; END;
        DELETE FROM tags;
        """)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.violations?.count == 1)
    #expect(failure?.reached == 1)
  }

  /// The index of a full-text table is written at the end of the transaction.
  static let late = [
    "CREATE VIRTUAL TABLE f USING fts4(x); CREATE TRIGGER t AFTER INSERT ON f_segdir",
    "CREATE VIRTUAL TABLE f USING fts5(x); CREATE TRIGGER t AFTER INSERT ON f_data",
  ]

  @Test(.tags(.promise10, .S6), arguments: late, ["", "INSERT INTO child VALUES(77);"])
  func `sees what a trigger deletes when the index is written`(table: String, old: String) throws {
    let start = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE child(pid REFERENCES parent);
      INSERT INTO parent VALUES(1);
      INSERT INTO child VALUES(1);
      \(table) BEGIN DELETE FROM parent; END;
      \(old)
      """
    let trial = try Trial("INSERT INTO f VALUES('word');", start: start)
    let site = try Site.holding(start)

    let script = trial.failure()
    let step = try site.failure { try $0.execute("INSERT INTO f VALUES('word')") }

    for failure in [script, step] {
      #expect(failure?.violations?.rows.contains { $0.row == 1 } == true)
    }
    #expect(script?.line == nil)
  }
}
