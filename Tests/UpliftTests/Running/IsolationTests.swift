import TestSupport
import Testing
import Uplift

/// One boot over five scripts gives the same database as five boots over one script each.
struct IsolationTests {
  static let leftovers: [(leaves: String, looks: String)] = [
    ("CREATE TEMP TABLE s(a); INSERT INTO temp.s VALUES(9);", "SELECT a FROM s"),
    ("CREATE TEMP VIEW s AS SELECT 9 AS a;", "SELECT a FROM s"),
    (
      "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = a + 100; END;",
      "SELECT a FROM t"
    ),
    ("CREATE TABLE temp.s(a); INSERT INTO temp.s VALUES(9);", "SELECT a FROM s"),
    ("CREATE TABLE temp.s AS SELECT 9 AS a;", "SELECT a FROM s"),
    ("CREATE VIEW temp.s AS SELECT 9 AS a;", "SELECT a FROM s"),
    (
      "CREATE TRIGGER temp.g AFTER INSERT ON t BEGIN UPDATE t SET a = a + 100; END;",
      "SELECT a FROM t"
    ),
    ("CREATE VIRTUAL TABLE temp.s USING fts5(a); INSERT INTO s VALUES(9);", "SELECT a FROM s"),
    ("PRAGMA case_sensitive_like = ON;", "SELECT 'a' LIKE 'A'"),
    ("PRAGMA recursive_triggers = ON;", "SELECT * FROM pragma_recursive_triggers"),
    ("PRAGMA legacy_alter_table = ON;", "SELECT * FROM pragma_legacy_alter_table"),
    ("PRAGMA automatic_index = OFF;", "SELECT * FROM pragma_automatic_index"),
    ("PRAGMA analysis_limit = 77;", "SELECT * FROM pragma_analysis_limit"),
    (
      "SELECT fts3_tokenizer('mine', fts3_tokenizer('porter'));",
      "SELECT 1; CREATE VIRTUAL TABLE m USING fts4(a, tokenize=mine)"
    ),
    ("CREATE TEMP TABLE s(a);\n-- comment", "SELECT count(*) FROM sqlite_temp_master"),
  ]

  static let start = "CREATE TABLE t(a); CREATE TABLE result(a);"

  @Test(.tags(.S7, .promise12, .S19, .S20), arguments: leftovers, GroupTests.intervals)
  func `hides from a script what another left on the connection`(
    leftover: (leaves: String, looks: String), interval: Duration
  ) throws {
    let scripts = [
      "INSERT INTO t VALUES(1);", leftover.leaves, "INSERT INTO t VALUES(2);",
      "INSERT INTO result \(leftover.looks);", "INSERT INTO t VALUES(3);",
      "-- uplift: no-transaction\nVACUUM;", "INSERT INTO result \(leftover.looks);",
    ]
    let together = try Trial(scripts: scripts, start: Self.start)
    let apart = try Trial(scripts: scripts, start: Self.start)

    let error = together.error { $0.commitInterval = interval }
    var errorApart: UpgradeError?
    for number in 1...scripts.count where errorApart == nil {
      do throws(UpgradeError) {
        _ = try apart.upgrader(to: number).upgrade()
      } catch {
        errorApart = error
      }
    }

    #expect(error?.withoutDirectory == errorApart?.withoutDirectory)
    #expect(try together.state() == apart.state())
  }

  @Test(.tags(.promise12))
  func `hides from a script that runs again what its first attempt left`() throws {
    // The first attempt meets an old orphan. It is undone to count the orphans from before it.
    let trial = try Trial(
      "SELECT 1;",
      """
      INSERT INTO t SELECT 'a' LIKE 'A';
      INSERT INTO child VALUES(NULL);
      PRAGMA case_sensitive_like = ON;
      """,
      start: """
        CREATE TABLE t(a);
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent);
        INSERT INTO child VALUES(7);
        """)

    try trial.upgrade()

    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "1")
  }

  @Test(.tags(.promise12))
  func `hides from scripts that run again what the script that undid them left`() throws {
    let trial = try Trial(
      "INSERT INTO t SELECT 'a' LIKE 'A';",
      "INSERT INTO t SELECT 'a' LIKE 'A';",
      "PRAGMA case_sensitive_like = ON; INSERT OR ROLLBACK INTO u VALUES(1), (1);",
      start: "CREATE TABLE t(a); CREATE TABLE u(a UNIQUE);")

    let failure = trial.failure()

    #expect(failure?.reached == 2)
    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "1,1")
  }

  @Test(.tags(.promise12, .S10))
  func `gives a fresh connection the settings of the first`() throws {
    let looks = """
      INSERT INTO t SELECT synchronous FROM pragma_synchronous;
      INSERT INTO t SELECT recursive_triggers FROM pragma_recursive_triggers;
      """
    let trial = try Trial(
      looks, "CREATE TEMP TABLE x(a);", looks,
      "PRAGMA foreign_keys = ON; DELETE FROM parent;\nSELECT \"nosuch\";",
      start: """
        CREATE TABLE t(a);
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent ON DELETE CASCADE);
        INSERT INTO parent VALUES(1);
        INSERT INTO child VALUES(1);
        """)

    let failure = trial.failure()

    #expect(failure?.place?.file == trial.path(4))
    #expect(failure?.placeInScript == "2:8")
    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "3,0,3,0")
    #expect(try trial.ask("SELECT count(*) FROM child") == "1")
  }
}
