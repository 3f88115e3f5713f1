import TestSupport
import Testing
import Uplift

/// Virtual tables, which SQLite does not undo if they were made inside a savepoint.
struct VirtualTableTests {
  static let modules = ["fts3(a)", "fts4(a)", "fts5(a)"]

  static let start = """
    CREATE TABLE old(id INTEGER PRIMARY KEY, up REFERENCES old);
    INSERT INTO old VALUES(1, 70);
    """

  @Test(.tags(.S18, .promise4, .promise6), arguments: modules)
  func `undoes a full-text table that a failed script made again`(module: String) throws {
    let trial = try Trial(
      "INSERT INTO old VALUES(2, NULL);",
      """
      DROP TABLE f; CREATE VIRTUAL TABLE f USING \(module);
      INSERT INTO f VALUES('changed'); SELECT nosuch;
      """,
      start: "\(Self.start) CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f VALUES('one');")

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.placeInScript == "2:41")
    #expect(failure?.reached == 1)
    #expect(try trial.ask("SELECT count(*) FROM old") == "2")
    #expect(try Self.found(in: trial) == "1,0")
  }

  @Test(
    .tags(.S18, .promise12), arguments: modules,
    [
      "INSERT INTO f VALUES('two')", "INSERT INTO f(f) VALUES('integrity-check')",
      "INSERT INTO f(f) VALUES('optimize')",
    ])
  func `leaves the next script of a group what a commit would leave it`(
    module: String, statement: String
  ) throws {
    // SQLite does not change the function LIKE while a full-text table keeps a blob open.
    let scripts = [
      statement, "PRAGMA case_sensitive_like = ON; INSERT INTO t SELECT 'a' LIKE 'A';",
      "PRAGMA case_sensitive_like = ON; \(statement);", "INSERT INTO t SELECT 'a' LIKE 'A';",
    ]
    let start = """
      CREATE TABLE t(a);
      CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f VALUES('one');
      """
    let together = try Trial(scripts: scripts, start: start)
    let apart = try Trial(scripts: scripts, start: start)

    try together.upgrade { $0.commitInterval = .seconds(3600) }
    for number in 1...4 { try apart.upgrade(to: number) }

    #expect(try together.ask("SELECT group_concat(a) FROM t") == "0,1")
    #expect(try together.state() == apart.state())
  }

  @Test(
    .tags(.S18, .promise1, .promise6, .promise12), arguments: modules,
    [
      "SELECT 1",
      // This script changes a table with old orphans, and is undone to count them.
      "UPDATE old SET up = 71 WHERE up = 71",
    ])
  func `commits a full-text table that a script of a group made`(
    module: String, statement: String
  ) throws {
    let scripts = [
      "INSERT INTO old VALUES(2, NULL);",
      """
      CREATE VIRTUAL TABLE f USING \(module);
      INSERT INTO f VALUES('one');
      \(statement);
      """,
      "INSERT INTO f VALUES('changed'); INSERT INTO f(f) VALUES('optimize');",
    ]
    let together = try Trial(scripts: scripts, start: Self.start)
    let apart = try Trial(scripts: scripts, start: Self.start)

    try together.upgrade { $0.commitInterval = .seconds(3600) }
    for number in 1...3 { try apart.upgrade(to: number) }

    #expect(try Self.found(in: together) == "1,1")
    #expect(try together.state() == apart.state())
  }

  @Test(.tags(.S18))
  func `commits a virtual table that was made or dropped before the next script`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);",
      "INSERT INTO r VALUES(1, 2, 3);", "ALTER TABLE r RENAME TO s;", "DROP TABLE s;",
      "INSERT INTO t VALUES(1);")
    var commits: [Version] = []

    _ = try trial.upgrader { $0.commitInterval = .seconds(3600) }.upgrade { event in
      if case .committed(let last) = event { commits.append(last) }
    }

    #expect(commits == [6])
  }

  /// Tables whose index cannot be written, because the table that holds it was dropped.
  ///
  /// The last one writes nothing before the commit.
  static let broken = [
    ("fts4(a)", "f_segments", "a"), ("fts5(a)", "f_idx", "a"),
    ("fts4(content='', matchinfo=fts3, a)", "f_segments", "docid, a"),
  ]

  @Test(.tags(.S18, .promise6), arguments: broken, [(1, 1), (1, 2), (2, 2), (2, 3)])
  func `names the script whose full-text index cannot be written as it commits`(
    table: (module: String, part: String, columns: String), place: (number: Int, count: Int)
  ) throws {
    let (number, count) = place
    var scripts = (1...count).map { "CREATE TABLE t\($0)(a);" }
    let values = table.columns == "a" ? "'one'" : "1, 'one'"
    scripts[number - 1] = "INSERT INTO f(\(table.columns)) VALUES(\(values));"
    let trial = try Trial(
      scripts: scripts,
      start: "CREATE VIRTUAL TABLE f USING \(table.module); DROP TABLE \(table.part);")

    let failure = trial.failure { $0.commitInterval = .seconds(3600) }

    #expect(failure?.place?.file == trial.path(number))
    #expect(failure?.sqlite?.name == "SQLITE_ERROR")
    #expect(failure?.reached?.number == Int32(number - 1))
    #expect(
      try trial.ask("SELECT count(*) FROM sqlite_master WHERE name GLOB 't[0-9]'")
        == "\(number - 1)")
  }

  /// How many rows the index of `f` finds for 'one' and for 'changed'; throws if it is damaged.
  private static func found(in trial: Trial) throws -> String {
    try trial.ask(
      """
      INSERT INTO f(f) VALUES('integrity-check');
      SELECT group_concat(n) FROM (SELECT count(*) AS n FROM f WHERE f MATCH 'one'
        UNION ALL SELECT count(*) FROM f WHERE f MATCH 'changed');
      """)
  }

  /// The index was never told of the rows.
  ///
  /// That is common where triggers were added later.
  @Test(.tags(.promise6)) func `a full-text index that lacks a row is a fault of the script`()
    throws
  {
    let trial = try Trial(
      "SELECT 1;", "SELECT 2;\nDELETE FROM d WHERE id = 1;",
      start: """
        CREATE TABLE d(id INTEGER PRIMARY KEY, x);
        CREATE VIRTUAL TABLE f USING fts5(x, content=d, content_rowid=id);
        INSERT INTO d VALUES(1, 'one'), (2, 'two');
        CREATE TRIGGER gone AFTER DELETE ON d BEGIN
          INSERT INTO f(f, rowid, x) VALUES('delete', old.id, old.x);
        END;
        """)

    let error = try #require(trial.error())

    let words = "database disk image is malformed (SQLITE_CORRUPT_VTAB, 267)"
    #expect(error.says(.failed, words, line: 2), "\(error)")
    #expect(error.remedy.contains("VALUES('rebuild')"))
    #expect(error.remedy.contains("R-tree"))
    #expect(try trial.version() == 1)
  }

  @Test(arguments: ["fts3", "fts4"])
  func `a full-text table may make savepoints of its own`(module: String) throws {
    let trial = try Trial(
      "INSERT INTO f VALUES('a'); INSERT INTO f VALUES('b');",
      "SELECT optimize(f) FROM f LIMIT 1; INSERT INTO f(f) VALUES('optimize');",
      start: "CREATE VIRTUAL TABLE f USING \(module)(x);")

    #expect(trial.failure() == nil)
    #expect(try trial.ask("SELECT count(*) FROM f WHERE f MATCH 'a';") == "1")
  }
}
