import TestSupport
import Testing
import Uplift

/// The foreign keys that are checked, and the orphans that are reported.
struct ForeignKeyTests {
  @Test(.tags(.promise10))
  func `lists ten of a hundred new orphans, and counts them all`() throws {
    let trial = try Trial(
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
      INSERT INTO child SELECT i, i, '' FROM n;
      """, start: Families.start + Families.oldOrphans)

    let failure = trial.failure()

    #expect(
      failure?.orphans
        == .init(
          rows: (100...109).map {
            .init(table: "child", row: $0, columns: ["parent"], parent: "parent")
          }, count: 100))
  }

  @Test(.tags(.promise10))
  func `counts each of the new orphans that miss the same parent`() throws {
    let trial = try Trial(
      "INSERT INTO child VALUES(4, 70, ''), (5, 70, ''), (6, 71, ''), (7, 71, '');",
      start: Families.start + Families.oldOrphans)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 4)
  }

  /// The old orphan is one of the other key, which leads to another column of the same parent.
  @Test(
    .tags(.promise10),
    arguments: [
      "ALTER TABLE p RENAME COLUMN b TO c; DELETE FROM p;",
      """
      CREATE TABLE n(x REFERENCES p(d), FOREIGN KEY(x) REFERENCES p(a));
      INSERT INTO n SELECT * FROM k; DROP TABLE k; ALTER TABLE n RENAME TO k; DELETE FROM p;
      """,
    ])
  func `keeps two keys with the same column and parent apart`(script: String) throws {
    let trial = try Trial(
      script,
      start: """
        CREATE TABLE p(a UNIQUE, b UNIQUE, d UNIQUE);
        CREATE TABLE k(x REFERENCES p(b), FOREIGN KEY(x) REFERENCES p(a));
        INSERT INTO p VALUES(1, 5, 5); INSERT INTO k VALUES(5);
        """)

    #expect((trial.failure()?.orphans?.count ?? 0) > 0)
  }

  @Test(
    .tags(.promise10),
    arguments: [
      "ALTER TABLE p RENAME COLUMN a TO c;",
      """
      CREATE TABLE n(x REFERENCES p(a), FOREIGN KEY(x) REFERENCES p(b));
      INSERT INTO n SELECT * FROM k; DROP TABLE k; ALTER TABLE n RENAME TO k;
      """,
    ])
  func `knows a key whose parent's columns are renamed or spelt out`(script: String) throws {
    let trial = try Trial(
      script,
      start: """
        CREATE TABLE p(a PRIMARY KEY, b UNIQUE); INSERT INTO p VALUES(1, 5);
        CREATE TABLE k(x REFERENCES p, FOREIGN KEY(x) REFERENCES p(b)); INSERT INTO k VALUES(5);
        """)

    try trial.upgrade()
  }

  @Test(.tags(.promise6, .promise10))
  func `names the row, though a column has the name of its number`() throws {
    let trial = try Trial(
      "INSERT INTO child VALUES('x', 7);",
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child("_rowid_" TEXT, parent REFERENCES parent);
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.rows.map(\.row) == [1])
  }

  @Test(.tags(.S6, .promise10))
  func `checks the whole database or nothing, if the options say so`() throws {
    let orphan = "INSERT INTO child VALUES(4, 70, '');"
    let all = try Trial("SELECT 1;", orphan, start: Families.start + Families.oldOrphans)
    let none = try Trial("SELECT 1;", orphan, start: Families.start)

    let failure = all.failure { $0.foreignKeys = .all }
    try none.upgrade { $0.foreignKeys = .none }

    #expect(
      failure?.orphans
        == .init(
          rows: [.init(table: "child", row: 4, columns: ["parent"], parent: "parent")], count: 1))
    #expect(failure?.reached == 1)
    #expect(try none.ask("PRAGMA foreign_key_check") == "child|4|parent|0")
  }

  /// Whether two scripts share a commit depends on the clock.
  @Test(.tags(.promise10, .promise12), arguments: GroupTests.intervals)
  func `refuses an orphan that the next script would remove`(interval: Duration) throws {
    let trial = try Trial(
      "SELECT 1;", "DELETE FROM parent WHERE id = 2;",
      "DELETE FROM child; DELETE FROM coded; INSERT INTO parent VALUES(2, 'two', '');",
      start: Families.start)

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.place?.file == trial.path(2))
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.promise10, .S6), arguments: GroupTests.intervals)
  func `refuses to make an old orphan again that an earlier script has removed`(
    interval: Duration
  ) throws {
    let trial = try Trial(
      "UPDATE child SET parent = NULL WHERE id = 13;",
      "UPDATE child SET parent = 71 WHERE id = 13;",
      start: Families.start + Families.oldOrphans)

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.orphans?.rows.map(\.row) == [13])
    #expect(failure?.reached == 1)
  }

  /// SQLite then checks none of the child's keys, and says "mismatch".
  @Test(.tags(.promise10, .S6)) func `checks the other keys beside one that SQLite cannot check`()
    throws
  {
    let trial = try Trial(
      "INSERT INTO c VALUES(NULL, 1);", "INSERT INTO c VALUES(NULL, 5);",
      start: """
        CREATE TABLE p(id INTEGER PRIMARY KEY, x); INSERT INTO p VALUES(1, 2);
        CREATE TABLE c(a REFERENCES p(x), b REFERENCES p(id)); INSERT INTO c VALUES(7, NULL);
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.rows.map(\.columns) == [["b"]])
    #expect(failure?.reached == 1)
  }

  @Test(.tags(.promise10)) func `counts an orphan of a reference that is written twice once`()
    throws
  {
    let trial = try Trial(
      "DELETE FROM p;",
      start: """
        CREATE TABLE p(id INTEGER PRIMARY KEY); INSERT INTO p VALUES(1);
        CREATE TABLE c(a REFERENCES p, FOREIGN KEY(a) REFERENCES p ON DELETE CASCADE);
        INSERT INTO c VALUES(1), (9);
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
    #expect(failure?.orphans?.rows.map(\.row) == [1])
  }

  @Test(.tags(.promise10, .S24))
  func `compares a hundred thousand old orphans in bounded memory`() async throws {
    let trial = try Trial(
      "SELECT 1;", "INSERT INTO child VALUES(1, 1, ''); UPDATE child SET parent = parent;",
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY); INSERT INTO parent VALUES(1);
        CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent, note);
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100999)
        INSERT INTO child SELECT i, i, 'x' FROM n;
        """)

    await #expect(processExitsWith: .success) {
      [database = trial.database as String, scripts = trial.scratch("Migrations") as String] in
      let upgrader = Upgrader(database: database, migrations: .directory(scripts), target: 1)
      _ = try upgrader.upgrade()
      let before = try CostTests.figure("VmHWM", in: "/proc/self/status")

      _ = try Upgrader(database: database, migrations: .directory(scripts), target: 2).upgrade()

      let peak = try CostTests.figure("VmHWM", in: "/proc/self/status")
      // Two page caches of two megabytes each, and the memory of SQLite's sorter.
      #expect((peak - before) * 1024 < 12 << 20)
    }
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.S6, .promise10))
  func `knows a primary key by its name`() throws {
    let trial = try Trial(
      "INSERT INTO child VALUES(7);",
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent(id));
        """)

    let failure = trial.failure()

    #expect(
      failure?.orphans
        == .init(
          rows: [.init(table: "child", row: 1, columns: ["parent"], parent: "parent")], count: 1))
  }

  @Test(.tags(.S6, .promise10))
  func `checks a foreign key to columns that are not unique`() throws {
    let start = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, code);
      CREATE TABLE child(code REFERENCES parent(code));
      INSERT INTO parent VALUES(1, 'b');
      INSERT INTO child VALUES('a');
      CREATE UNIQUE INDEX some_codes ON parent(code) WHERE id > 5;
      """
    let good = try Trial("INSERT INTO child VALUES('b');", start: start)
    let bad = try Trial("INSERT INTO child VALUES('c');", start: start)

    let failure = bad.failure()

    #expect(good.failure() == nil)
    #expect(
      failure?.orphans
        == .init(
          rows: [
            .init(table: "child", row: 2, columns: ["code"], parent: "parent", fault: .noKey)
          ], count: 1))
  }

  /// The first script finds out that `one` has an old orphan; nothing is known of `two` yet.
  @Test(.tags(.promise10, .promise12), arguments: [Duration.zero, .seconds(3600)])
  func `lists the new orphans of all references, whichever of them had old ones`(
    interval: Duration
  ) throws {
    let trial = try Trial(
      "UPDATE one SET pid = pid;", "INSERT INTO one VALUES(8); INSERT INTO two VALUES(9);",
      start: """
        CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE one(pid REFERENCES p); INSERT INTO one VALUES(1);
        CREATE TABLE two(pid REFERENCES p); INSERT INTO two VALUES(2);
        """)

    let failure = trial.failure { $0.commitInterval = interval }

    let orphans = try #require(failure?.orphans)
    #expect(orphans.count == 2)
    #expect(Set(orphans.rows.map(\.table)) == ["one", "two"])
  }
}
