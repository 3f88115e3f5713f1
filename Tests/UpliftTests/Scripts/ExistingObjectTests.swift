import TestSupport
import Testing
import Uplift

/// Statements that create an object that exists already.
struct ExistingObjectTests {
  static let start = """
    CREATE TABLE t(a, b UNIQUE);
    CREATE VIEW v AS SELECT 1;
    CREATE INDEX i ON t(a);
    CREATE TABLE log(a);
    CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.a); END;
    CREATE TABLE "odd "" name; x"(a);
    CREATE TABLE \u{301}x(\u{301}y);
    """

  static let duplicates = [
    ("CREATE TABLE t(a, c CHECK (c <> ';'))", "table t already exists"),
    ("create  /* ; */ table \"T\"(a) -- ;", "table \"T\" already exists"),
    ("CREATE TABLE main.t AS SELECT ';'", "table t already exists"),
    ("CREATE TABLE [odd \" name; x](a)", "table [odd \" name; x] already exists"),
    ("CREATE TABLE \u{301}x(a)", "table \u{301}x already exists"),
    ("ALTER TABLE \u{301}x ADD COLUMN \u{301}y", "duplicate column name: \u{301}y"),
    ("CREATE VIRTUAL TABLE t USING fts5(a)", "table t already exists"),
    ("CREATE INDEX i ON log(a)", "index i already exists"),
    ("CREATE UNIQUE INDEX main.i ON t(a)", "index i already exists"),
    ("CREATE VIEW v AS SELECT 2", "view v already exists"),
    (
      "CREATE TRIGGER g AFTER DELETE ON t BEGIN SELECT 1; SELECT CASE 1 WHEN 1 THEN 2 END; END",
      "trigger g already exists"
    ),
    ("ALTER TABLE t ADD COLUMN a", "duplicate column name: a"),
    ("ALTER TABLE \"t\" ADD 'A' TEXT DEFAULT ';'", "duplicate column name: A"),
  ]

  @Test(.tags(.S17))
  func `reports a statement once, even if its script is undone and skips it again`()
    throws
  {
    let trial = try Trial(
      "CREATE TABLE t(a);", "CREATE TABLE t(a);", "INSERT OR ROLLBACK INTO t(b) VALUES(1), (1);",
      start: Self.start)
    var told: [Version] = []

    let error = trial.error {
      $0.skipsDuplicates = true
    } onEvent: { event in
      if case .skipped(let statement) = event { told.append(statement.version) }
    }

    #expect(error != nil)
    #expect(Set(told) == [1, 2])
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.S17), arguments: duplicates)
  func `skips the statement by option, and reports it`(statement: String, words: String) throws {
    let trial = try Trial(
      "INSERT INTO log VALUES(1);\n  \(statement)\n; INSERT INTO log VALUES(2);\n\(statement)",
      "INSERT INTO log VALUES(3);", start: Self.start)
    let plain = try Trial(
      "INSERT INTO log VALUES(1), (2), (3);", start: Self.start)
    try plain.upgrade()
    var told: [Upgrade.Skipped] = []

    let upgrade = try trial.upgrader { $0.skipsDuplicates = true }.upgrade { event in
      if case .skipped(let statement) = event { told.append(statement) }
    }

    #expect(upgrade.skipped.map(\.line) == [2, 4])
    #expect(upgrade.skipped.map(\.text) == ["  " + statement, statement])
    #expect(upgrade.skipped.allSatisfy { $0.name == "0001.sql" && $0.words == words })
    #expect(told == upgrade.skipped)
    #expect(try trial.ask(".dump") == plain.ask(".dump"))
  }

  @Test(.tags(.S17), arguments: duplicates)
  func `fails by default`(statement: String, words: String) throws {
    let trial = try Trial(statement, start: Self.start)

    let failure = trial.failure()

    #expect(failure?.message == "\(words) (SQLITE_ERROR, 1)")
    #expect(try trial.version() == 0)
  }

  @Test(
    .tags(.S17),
    arguments: [
      "INSERT INTO t VALUES(1, 1), (1, 1);",
      "CREATE TABLE n(a, A);",
      "CREATE TABLE v(a);",
      "CREATE VIEW t AS SELECT 1;",
      "CREATE TABLE i(a);",
      "CREATE INDEX t ON log(a);",
      "CREATE TABLE n(a); CREATE INDEX n ON t(a);",
      "ALTER TABLE log RENAME TO t;",
      "ALTER TABLE t RENAME COLUMN a TO b;",
      "SELECT 'table t already exists' FROM nosuch;",
      "SELECT RAISE(ABORT, 'table t already exists');",
      """
      CREATE TRIGGER h AFTER INSERT ON log BEGIN SELECT RAISE(ABORT, 'table t already exists'); END;
      INSERT INTO log VALUES(1);
      """,
      "INSERT INTO \"CREATE TABLE\" VALUES(1);",
      "CREATE TABLE t(a",
      "DROP TABLE nosuch;",
      "CREATE INDEX i ON nosuch(a);",
      "COMMIT;",
      "PRAGMA user_version = 3;",
    ])
  func `skips no statement that fails for another reason`(script: String) throws {
    let trial = try Trial("SELECT 1;", script, start: Self.start)

    let failure = trial.failure { $0.skipsDuplicates = true }

    #expect(failure?.place?.file == trial.path(2))
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.S17), arguments: GroupTests.intervals)
  func `lists each skipped statement once, though its script runs again`(interval: Duration)
    throws
  {
    let trial = try Trial(
      "CREATE TABLE t(a);", "CREATE TABLE t(a); INSERT INTO child VALUES(NULL);",
      "CREATE TABLE v(a); SELECT 1;",
      start: Self.start
        + """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent);
        INSERT INTO child VALUES(7);
        """)
    var told: [Version] = []

    let upgrade = try trial.upgrader(to: 2) {
      $0.skipsDuplicates = true
      $0.commitInterval = interval
    }.upgrade { event in
      if case .skipped(let statement) = event { told.append(statement.version) }
    }

    #expect(upgrade.skipped.map(\.version) == [1, 2])
    #expect(Set(told) == [1, 2])
  }
}
