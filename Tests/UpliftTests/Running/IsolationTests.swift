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
    ("-- uplift: no-transaction\nCREATE TABLE temp.s AS SELECT 9 AS a;", "SELECT a FROM s"),
    ("CREATE VIRTUAL TABLE temp.s USING fts5(a); INSERT INTO s VALUES(9);", "SELECT a FROM s"),
    ("PRAGMA case_sensitive_like = ON;", "SELECT 'a' LIKE 'A'"),
    ("PRAGMA recursive_triggers = ON;", "SELECT * FROM pragma_recursive_triggers"),
    ("PRAGMA legacy_alter_table = ON;", "SELECT * FROM pragma_legacy_alter_table"),
    ("PRAGMA automatic_index = OFF;", "SELECT * FROM pragma_automatic_index"),
    ("PRAGMA cache_size = 77;", "SELECT * FROM pragma_cache_size"),
    ("PRAGMA analysis_limit = 77;", "SELECT * FROM pragma_analysis_limit"),
    ("INSERT INTO t VALUES(5), (6);", "SELECT last_insert_rowid()"),
    ("INSERT INTO t VALUES(5), (6);", "SELECT changes()"),
    ("INSERT INTO t VALUES(5), (6);", "SELECT total_changes()"),
    ("INSERT INTO t VALUES(5), (6);", "SELECT n FROM counted"),
    ("INSERT INTO t VALUES(5), (6);", "DEFAULT VALUES; INSERT INTO counts DEFAULT VALUES"),
    ("INSERT INTO t VALUES(5), (6);", "SELECT 1; INSERT INTO checked VALUES(7)"),
    ("SELECT * FROM pragma_table_list;", "SELECT count(*) FROM pragma_module_list"),
    ("SELECT * FROM temp.sqlite_schema;", "SELECT count(*) FROM pragma_database_list"),
    ("INSERT INTO f VALUES('x');", "SELECT count(*) FROM sqlite_stmt"),
    ("SELECT a FROM indexed WHERE a > 1;", "SELECT 1; PRAGMA optimize"),
    ("SELECT a FROM indexed WHERE a > 1;", "SELECT 1 FROM pragma_optimize"),
    ("DROP TABLE shrinking;", "SELECT page_count FROM pragma_page_count"),
    ("DROP TABLE shrinking;", "SELECT freelist_count FROM pragma_freelist_count"),
    ("DROP TABLE shrinking;", "SELECT max(pageno) FROM dbstat"),
    (
      "UPDATE sqlite_stat1 SET stat = CASE tbl WHEN 'y' THEN '100000 1' ELSE '2 1' END;",
      "SELECT group_concat(x.a || y.a) FROM x, y WHERE x.k = y.k"
    ),
    (
      "CREATE TABLE late(a); INSERT INTO late VALUES(1), (2), (3);",
      "SELECT group_concat(late.a || few.a) FROM few, late"
    ),
    (
      "CREATE INDEX px ON pair(x); CREATE INDEX py ON pair(y);",
      "SELECT group_concat(y) FROM pair WHERE x = 1 AND y IN (3, 2, 1)"
    ),
    (
      "SELECT fts3_tokenizer('mine', fts3_tokenizer('porter'));",
      "SELECT 1; CREATE VIRTUAL TABLE m USING fts4(a, tokenize=mine)"
    ),
    ("-- uplift: no-transaction\nPRAGMA case_sensitive_like = ON;", "SELECT 'a' LIKE 'A'"),
    ("-- uplift: no-transaction\nINSERT INTO t VALUES(5);", "SELECT total_changes()"),
    ("CREATE TEMP TABLE s(a);\n-- comment", "SELECT count(*) FROM sqlite_temp_master"),
  ]

  static let start = """
    PRAGMA auto_vacuum = FULL;
    CREATE TABLE t(a);
    CREATE TABLE result(a);
    CREATE TABLE counts(a DEFAULT (changes()), b DEFAULT ("total_changes"()));
    CREATE TABLE checked(a CHECK (a < 9 - total_changes()));
    CREATE TABLE shrinking AS SELECT zeroblob(100000) AS a;
    CREATE TABLE indexed(a);
    CREATE INDEX i ON indexed(a);
    INSERT INTO indexed SELECT value FROM json_each('[1,2,3,4]');
    CREATE VIRTUAL TABLE f USING fts5(a);
    CREATE TABLE x(a, k);
    CREATE INDEX xk ON x(k);
    CREATE TABLE y AS SELECT * FROM x;
    CREATE INDEX yk ON y(k);
    INSERT INTO x VALUES(1, 1), (2, 1);
    INSERT INTO y VALUES('a', 1), ('b', 1);
    ANALYZE x;
    ANALYZE y;
    UPDATE sqlite_stat1 SET stat = CASE tbl WHEN 'x' THEN '100000 1' ELSE '2 1' END;
    CREATE TABLE few(a);
    INSERT INTO few VALUES('p'), ('q'), ('r');
    CREATE TABLE pair(x, y);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO pair SELECT 1, 300 - i FROM n;
    INSERT INTO sqlite_stat1 VALUES
      ('few', NULL, '3'), ('late', NULL, '2'), ('pair', 'px', '300 300'), ('pair', 'py', '300 1');
    CREATE VIEW counted AS SELECT total_changes() AS n;
    CREATE TABLE last AS SELECT zeroblob(50000) AS a;
    """

  @Test(.tags(.S7, .promise12, .S19, .S20), arguments: leftovers, GroupTests.intervals)
  func `hides from a script what another left on the connection`(
    leftover: (leaves: String, looks: String), interval: Duration
  ) throws {
    let scripts = [
      "INSERT INTO t VALUES(1);", leftover.leaves, "INSERT INTO t VALUES(2);",
      "INSERT INTO result \(leftover.looks);", "INSERT INTO t VALUES(3);",
      "-- uplift: no-transaction\nINSERT INTO result \(leftover.looks);",
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

  /// The number of tables changes the order in which SQLite goes through them, and that order stays
  /// when the tables are gone.
  @Test(
    .tags(.promise12),
    arguments: [
      "SELECT group_concat(name) FROM pragma_table_list WHERE schema = 'main'",
      "SELECT group_concat(\"table\") FROM pragma_foreign_key_check",
      "SELECT 1; ANALYZE; INSERT INTO result SELECT group_concat(tbl) FROM sqlite_stat1",
    ])
  func `hides from a script how many tables there were`(looks: String) throws {
    let scripts = [
      (1...40).map { "CREATE TABLE many\($0)(a);" }.joined(),
      (1...40).map { "DROP TABLE many\($0);" }.joined(), "INSERT INTO result \(looks);",
    ]
    let start =
      "CREATE TABLE result(a); CREATE TABLE parent(id INTEGER PRIMARY KEY);"
      + ["one", "two", "three", "four"].map {
        "CREATE TABLE \($0)(p REFERENCES parent); INSERT INTO \($0) VALUES(99);"
      }.joined()
    let together = try Trial(scripts: scripts, start: start)
    let apart = try Trial(scripts: scripts, start: start)

    try together.upgrade()
    for number in 1...scripts.count { _ = try apart.upgrader(to: number).upgrade() }

    #expect(try together.state() == apart.state())
  }

  @Test(.tags(.promise12), arguments: ["dbstat", "DBStat"])
  func `hides from a script that earlier scripts are not committed`(module: String) throws {
    let scripts = [
      "DROP TABLE large;", "INSERT INTO result SELECT max(pageno) FROM pages;",
      "ALTER TABLE pages RENAME TO p;", "DROP TABLE last;",
      "INSERT INTO result SELECT max(pageno) FROM p;",
    ]
    let start = """
      PRAGMA auto_vacuum = FULL;
      CREATE TABLE result(a);
      CREATE VIRTUAL TABLE pages USING \(module);
      CREATE TABLE large AS SELECT zeroblob(100000) AS a;
      CREATE TABLE last AS SELECT zeroblob(50000) AS a;
      """
    let together = try Trial(scripts: scripts, start: start)
    let apart = try Trial(scripts: scripts, start: start)

    try together.upgrade()
    for number in 1...scripts.count { _ = try apart.upgrader(to: number).upgrade() }

    #expect(try together.ask("SELECT * FROM result") == apart.ask("SELECT * FROM result"))
  }

  @Test(.tags(.promise12))
  func `hides from a script that runs again what its first attempt left`() throws {
    // The first attempt meets an old orphan. It is undone to count the orphans from before it.
    let trial = try Trial(
      "SELECT 1;",
      """
      INSERT INTO t SELECT 'a' LIKE 'A';
      INSERT INTO t SELECT total_changes();
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

    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "1,1")
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

    #expect(failure?.script == trial.path(4))
    #expect(failure?.place == "2:8")
    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "3,0,3,0")
    #expect(try trial.ask("SELECT count(*) FROM child") == "1")
  }

  /// The second script is undone after its `ANALYZE`, because it makes a virtual table.
  ///
  /// When it runs again, the connection would still have the new statistics, and read the rows in
  /// another order.
  @Test(.tags(.promise12))
  func `hides from a script the statistics that it made before it was undone`()
    throws
  {
    let scripts = [
      "UPDATE a SET x = x;",
      """
      INSERT INTO log SELECT a.x, b.y FROM a JOIN b ON a.k = b.k;
      INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        SELECT i, i FROM n;
      ANALYZE;
      CREATE VIRTUAL TABLE f USING fts5(x);
      """,
    ]
    let start = """
      CREATE TABLE a(k, x); CREATE TABLE b(k, y); CREATE INDEX ai ON a(k); CREATE INDEX bi ON b(k);
      CREATE TABLE log(x, y);
      INSERT INTO a WITH n(i) AS (VALUES(1), (2), (3), (4), (5)) SELECT i, i FROM n;
      INSERT INTO b WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
        SELECT 5 - i % 5, i FROM n;
      ANALYZE;
      """
    let together = try Trial(scripts: scripts, start: start)
    let apart = try Trial(scripts: scripts, start: start)

    try together.upgrade()
    for number in 1...2 { try apart.upgrade(to: number) }

    let log = "SELECT group_concat(x || ':' || y, ' ') FROM log;"
    #expect(try together.ask(log) == apart.ask(log))
  }

  /// SQLite forgets the statistics when a table is altered, and keeps those of a dropped index.
  ///
  /// A connection that opens the database reads what is in it.
  @Test(
    .tags(.promise12),
    arguments: [
      "ALTER TABLE Other RENAME COLUMN q TO p;", "ALTER TABLE Other DROP COLUMN q;",
      "ALTER TABLE Other RENAME TO Another;", "DROP INDEX dk;", "DROP TABLE sqlite_stat1;",
    ])
  func `hides from a script that another changed the statistics`(change: String) throws {
    let scripts = [
      "UPDATE b SET y = y;", change, "SELECT 1;",
      "INSERT INTO log(x, y) SELECT a.x, b.y FROM a, b WHERE a.k = b.k;",
      "INSERT INTO log(x, y) SELECT d.x, e.y FROM d, e WHERE d.z = e.z;",
    ]
    let start = """
      CREATE TABLE a(x INTEGER PRIMARY KEY, k, z); CREATE TABLE b(y INTEGER PRIMARY KEY, k);
      CREATE TABLE Other(q, r); CREATE TABLE log(n INTEGER PRIMARY KEY, x, y);
      INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        SELECT i, i % 2, i FROM n;
      INSERT INTO b VALUES(1, 1), (2, 0);
      CREATE INDEX bk ON b(k); CREATE INDEX ak ON a(k); CREATE INDEX az ON a(z);
      CREATE TABLE d(x INTEGER PRIMARY KEY, k, z); CREATE TABLE e(y INTEGER PRIMARY KEY, k, z);
      INSERT INTO d WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        SELECT i, i * 7 % 10, i * 13 % 100 FROM n;
      INSERT INTO e WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        SELECT i, i % 7, i * 17 % 100 FROM n;
      CREATE INDEX ek ON e(k); CREATE INDEX dk ON d(k);
      ANALYZE;
      """
    let together = try Trial(scripts: scripts, start: start)
    let apart = try Trial(scripts: scripts, start: start)

    try together.upgrade()
    for number in 1...5 { try apart.upgrade(to: number) }

    let log = "SELECT group_concat(x || ':' || y, ' ') FROM (SELECT * FROM log ORDER BY n);"
    #expect(try together.ask(log) == apart.ask(log))
  }
}
