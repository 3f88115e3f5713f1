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

  static let removing = [
    "DELETE FROM notes WHERE rowid = 1; INSERT INTO tags VALUES(NULL, 'b');",
    "DELETE FROM notes WHERE rowid = 1; INSERT INTO log VALUES(1); UPDATE tags SET note = note;",
    "INSERT INTO log VALUES(1); INSERT INTO tags VALUES(NULL, 'b'), (NULL, 'c');",
    "UPDATE notes SET rowid = 9 WHERE rowid = 1; INSERT INTO tags VALUES(9, 'b');",
    "DELETE FROM notes WHERE rowid = 1; ALTER TABLE tags ADD COLUMN more;",
  ]

  @Test(
    .tags(.promise10, .S6), arguments: removing, ["", old])
  func `sees what a virtual table deletes before the children are touched`(
    script: String, old: String
  ) throws {
    let trial = try Trial(script, start: Self.notes + old)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }

  @Test(.tags(.promise10, .S6), arguments: ["", old])
  func `sees a deletion in a script that finds the module's statements prepared`(old: String) throws
  {
    let trial = try Trial(
      "DELETE FROM notes WHERE rowid = 3; INSERT INTO tags VALUES(NULL, 'b');",
      "DELETE FROM notes WHERE rowid = 1; INSERT INTO tags VALUES(NULL, 'c');",
      start: Self.notes + old)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.orphans?.count == 1)
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

    #expect(failure.orphans?.count == 1)
  }

  @Test(.tags(.S6)) func `tolerates an old orphan of a virtual table's own table`() throws {
    let trial = try Trial(
      """
      DELETE FROM notes WHERE rowid = 2; INSERT INTO notes VALUES('n');
      INSERT INTO tags VALUES(NULL, 'b'); UPDATE tags SET tag = 'c';
      """, start: Self.notes + Self.old)

    let error = trial.error()

    #expect(error == nil)
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

    _ = try #require(failure?.orphans)
    #expect(try trial.ask("PRAGMA foreign_key_check;") == "")
  }
}
