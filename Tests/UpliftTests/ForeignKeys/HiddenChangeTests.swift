import TestSupport
import Testing
import Uplift

/// Changes that SQLite does not report, or that a script takes back.
struct HiddenChangeTests {
  static let family = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, code TEXT UNIQUE);
    CREATE TABLE child(pid REFERENCES parent(id));
    CREATE TABLE log(x);
    INSERT INTO parent VALUES(1, 'a');
    INSERT INTO child VALUES(1);
    """
  static let replacing = """
    CREATE TRIGGER t AFTER INSERT ON log
      BEGIN INSERT OR REPLACE INTO parent VALUES(NEW.x, 'a'); END;
    """

  @Test(.tags(.promise10), arguments: ["DROP TRIGGER t;", "DROP TABLE log;", ""])
  func `notices a row that was replaced by a trigger that is gone`(end: String) throws {
    let trial = try Trial(
      "INSERT INTO log VALUES(2);" + end, start: Self.family + Self.replacing)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }

  @Test(.tags(.promise10))
  func `notices a row that a trigger of an earlier script replaced`() throws {
    let trial = try Trial(
      Self.replacing, "SELECT 1;", "INSERT INTO log VALUES(2); DROP TRIGGER t;", start: Self.family)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.orphans?.count == 1)
    #expect(failure?.reached == 2)
  }

  @Test(.tags(.promise10))
  func `notices a row that a virtual table deletes from its own tables`() throws {
    let trial = try Trial(
      "DELETE FROM info WHERE id = 1; DELETE FROM f WHERE rowid = 1;",
      "DELETE FROM f WHERE rowid = 2;",
      start: """
        CREATE VIRTUAL TABLE f USING fts5(x);
        CREATE TABLE info(id REFERENCES f_content(id));
        INSERT INTO f VALUES('a'), ('b'), ('c');
        INSERT INTO info VALUES(1), (2), (3);
        """)

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.orphans?.count == 1)
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.S6))
  func `commits each script by itself, after an old orphan was met`() throws {
    let scripts = (1...20).map { "INSERT INTO child VALUES(1); INSERT INTO log VALUES(\($0));" }
    let trial = try Trial(scripts: scripts, start: Self.family + "INSERT INTO child VALUES(70);")
    var commits = 0

    let error = trial.error {
      $0.commitInterval = .seconds(3600)
    } onEvent: { event in
      if case .committed = event { commits += 1 }
    }

    #expect(error == nil)
    #expect(commits == 20)
  }
}
