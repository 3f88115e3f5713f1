import TestSupport
import Testing
import Uplift

/// A rebuild that would lose or break something fails the step.
struct RebuildRefusalTests {
  static let schema = """
    CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (1, 2);
    CREATE VIEW v AS SELECT a, b FROM t;
    CREATE TABLE other(a);
    CREATE TRIGGER on_other AFTER UPDATE ON other BEGIN DELETE FROM t WHERE b = new.a; END;
    CREATE VIRTUAL TABLE words USING fts5(a);
    """

  static let refused: [(String, [Upgrader.Column], [String: String], String)] = [
    ("nowhere", [.column("a", .any)], [:], "there is no table \"nowhere\""),
    ("v", [.column("a", .any)], [:], "\"v\" is not an ordinary table"),
    ("words", [.column("a", .any)], [:], "\"words\" is not an ordinary table"),
    (
      "sqlite_schema", [.column("a", .any)], [:],
      "\"sqlite_schema\" is not an ordinary table"
    ),
    (
      "t", [.column("a", .any)], [:],
      "the new table has no column \"b\", and the old one has it"
    ),
    (
      "t", [.column("a", .any), .column("b", .any)], ["c": "1"],
      "the new table has no column \"c\" to fill"
    ),
    (
      "t", [.column("a", .any, constraint: "AS (b)"), .column("b", .any)], ["a": "1"],
      "the new table has no column \"a\" to fill"
    ),
    (
      "t",
      [.column("a", .any, unique: true, constraint: "ON CONFLICT IGNORE"), .column("b", .any)],
      [:], "the table had 2 rows and has 1"
    ),
  ]

  @Test(arguments: refused)
  func `is refused`(
    name: String, columns: [Upgrader.Column], filling: [String: String],
    message: String
  ) throws {
    let site = try Site.holding(Self.schema)
    let before = try site.shell(".dump")

    let failure = try site.failure { database in
      try? database.rebuildTable(name, columns, filling: filling)
    }

    #expect(failure.message == message)
    #expect(try site.shell(".dump") == before)
  }

  /// Objects that work while `t` has a column `"B b"`, and not without it.
  static let dependents: [(sql: String, name: String)] = [
    ("CREATE VIEW \"V v\" AS SELECT a, \"b B\" FROM T", "view V v"),
    (
      "CREATE TRIGGER x AFTER INSERT ON \"O é\" BEGIN DELETE FROM t WHERE \"B b\" = new.a; END",
      "trigger x"
    ),
    (
      "CREATE TRIGGER x AFTER DELETE ON \"O é\" BEGIN DELETE FROM t WHERE \"B b\" = old.a; END",
      "trigger x"
    ),
    (
      "CREATE TRIGGER x AFTER UPDATE OF g ON \"O é\" BEGIN SELECT \"B b\" FROM t; END",
      "trigger x"
    ),
    (
      "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT new.\"b b\"; END",
      "trigger x"
    ),
    (
      "CREATE TRIGGER x INSTEAD OF DELETE ON working BEGIN SELECT \"B b\" FROM t; END",
      "trigger x"
    ),
  ]

  @Test(arguments: dependents.indices)
  func `is refused if it breaks what worked`(row: Int) throws {
    let (sql, name) = Self.dependents[row]
    let site = try Site.holding(
      """
      CREATE TABLE T(a, "B b"); INSERT INTO t VALUES (1, 2);
      CREATE TABLE "O é"(a REAL, c AS (a) STORED, g, d AS (a) VIRTUAL);
      CREATE VIEW working AS SELECT a FROM t;
      \(sql)
      """)
    let before = try site.shell(".dump")

    let failure = try site.failure { database in
      try? database.rebuildTable("t", [.column("a", .any)], dropping: ["b B"])
    }

    #expect(failure.message.contains("error in \(name): no such column: "), "\(failure)")
    #expect(try site.shell(".dump") == before)
  }

  @Test func `leaves what was broken before as it is`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE T(a, "B b"); CREATE TABLE "O é"(a);
      CREATE TABLE gone(x); CREATE VIEW "Broken é" AS SELECT x FROM gone;
      CREATE TRIGGER on_view INSTEAD OF INSERT ON "Broken é" BEGIN SELECT 1; END;
      CREATE TRIGGER on_other AFTER UPDATE ON "O é" BEGIN SELECT x FROM gone; END;
      CREATE TRIGGER on_t AFTER DELETE ON t BEGIN SELECT x FROM gone; END;
      DROP TABLE gone;
      """)
    let kept = "SELECT name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY name;"
    let before = try site.shell(kept)

    try site.step { database in
      try database.rebuildTable(
        "t", [.column("a", .any), .column("c", .any)], dropping: ["B b"])
    }

    #expect(try site.shell(kept) == before)
    #expect(try site.shell("SELECT name FROM pragma_table_info('t')") == "a\nc")
  }

  @Test(arguments: [
    "CREATE TEMP TABLE \"T\"(a, b)",
    "CREATE TEMP TRIGGER x AFTER INSERT ON main.t BEGIN SELECT 1; END",
  ])
  func `is refused if something temporary has the name of the table`(sql: String) throws {
    let site = try Site.holding("CREATE TABLE t(a, b); CREATE INDEX by_b ON t(b)")

    let failure = try site.failure { database in
      try database.execute(sql)
      try database.rebuildTable("t", [.column("a", .any), .column("b", .any)])
    }

    #expect(
      failure.message == "a temporary table or trigger uses the name of the table \"t\"")
  }

  @Test func `is refused if an index loses its column`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b); CREATE INDEX by_b ON t(b)")

    let failure = try site.failure { database in
      try database.rebuildTable("t", [.column("a", .any)], dropping: ["b"])
    }

    #expect(failure.text == "CREATE INDEX by_b ON t(b)")
    #expect(try site.shell("SELECT count(*) FROM pragma_table_info('t')") == "2")
  }

  /// The new table has another name until its rows are copied; nobody should have to know it.
  @Test(arguments: [
    (
      [Upgrader.Column.column("a", .any, notNull: true)], "NOT NULL constraint failed: t.a",
      "filling"
    ),
    ([.column("a", .any, unique: true)], "UNIQUE constraint failed: t.a", "correct the script"),
    (
      [.column("a", .any, constraint: "CHECK (a > 9)")], "CHECK constraint failed: a > 9", "correct"
    ),
    ([.column("a", .any), .column("a", .any)], "duplicate column name: a", "correct the script"),
  ])
  func `names the table as it is called`(
    columns: [Upgrader.Column], message: String, remedy: String
  ) throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1), (1), (NULL)")

    let failure = try site.failure { try $0.rebuildTable("t", columns) }

    #expect(failure.message.hasPrefix(message))
    #expect(failure.remedy.contains(remedy))
    #expect(!failure.report.contains("uplift_new"))
  }

  @Test(.tags(.promise10)) func `is refused if a foreign key would lead nowhere`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2);
      CREATE TABLE child(t REFERENCES t); INSERT INTO child VALUES (1), (2);
      """)

    let failure = try site.failure { database in
      try database.rebuildTable(
        "t", [.column("id", .integer, primaryKey: true)], filling: ["id": "id * 2"])
    }

    #expect(
      failure.orphans?.rows == [.init(table: "child", row: 1, columns: ["t"], parent: "t")])
  }
}
