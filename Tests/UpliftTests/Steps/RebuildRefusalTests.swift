import TestSupport
import Testing
import Uplift

/// A rebuild that would lose or break something fails the step.
struct RebuildRefusalTests {
  static let schema = """
    CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 1), (1, 2);
    CREATE VIEW v AS SELECT a, b FROM t;
    CREATE VIEW broken AS SELECT x FROM nowhere;
    CREATE TABLE other(a);
    CREATE TRIGGER on_other AFTER UPDATE ON other BEGIN DELETE FROM t WHERE b = new.a; END;
    CREATE VIRTUAL TABLE words USING fts5(a);
    """

  static let refused: [(String, [Upgrader.Column], [String: String], UpgradeError.CallProblem)] = [
    ("nowhere", [.column("a", .any)], [:], .noTable("nowhere")),
    ("v", [.column("a", .any)], [:], .notRebuildable("v")),
    ("words", [.column("a", .any)], [:], .notRebuildable("words")),
    ("sqlite_schema", [.column("a", .any)], [:], .notRebuildable("sqlite_schema")),
    ("t", [.column("a", .any)], ["b": "1"], .noFillableColumn("b")),
    (
      "t", [.column("a", .any, constraint: "AS (b)"), .column("b", .any)], ["a": "1"],
      .noFillableColumn("a")
    ),
    (
      "t",
      [.column("a", .any, unique: true, constraint: "ON CONFLICT IGNORE"), .column("b", .any)],
      [:], .rowCount(2, now: 1)
    ),
    (
      "t", [.column("a", .any)], [:],
      .broken("a trigger on UPDATE of \"other\"", words: "no such column: b")
    ),
  ]

  @Test(arguments: refused)
  func `is refused`(
    name: String, columns: [Upgrader.Column], filling: [String: String],
    problem: UpgradeError.CallProblem
  ) throws {
    let site = try Site.holding(Self.schema)
    let before = try site.shell(".dump")

    let failure = try site.failure { database in
      try? database.rebuildTable(name, columns, filling: filling)
    }

    #expect(failure.reason == .call(problem))
    #expect(try site.shell(".dump") == before)
  }

  /// Objects that work while `t` has a column `"B b"`, and not without it.
  static let dependents: [(sql: String, name: String)] = [
    ("CREATE VIEW \"V v\" AS SELECT a, \"b B\" FROM T", "view \"V v\""),
    (
      "CREATE TRIGGER x AFTER INSERT ON \"O é\" BEGIN DELETE FROM t WHERE \"B b\" = new.a; END",
      "a trigger on INSERT into \"O é\""
    ),
    (
      "CREATE TRIGGER x AFTER DELETE ON \"O é\" BEGIN DELETE FROM t WHERE \"B b\" = old.a; END",
      "a trigger on DELETE from \"O é\""
    ),
    (
      "CREATE TRIGGER x AFTER UPDATE OF g ON \"O é\" BEGIN SELECT \"B b\" FROM t; END",
      "a trigger on UPDATE of \"O é\""
    ),
    (
      "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT new.\"b b\"; END",
      "a trigger on INSERT into \"t\""
    ),
    (
      "CREATE TRIGGER x INSTEAD OF DELETE ON working BEGIN SELECT \"B b\" FROM t; END",
      "a trigger on DELETE from \"working\""
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
      try? database.rebuildTable("t", [.column("a", .any)])
    }

    guard case .call(.broken(let broken)) = failure.reason else {
      Issue.record("\(failure.reason)")
      return
    }
    #expect(broken.object == name)
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
      try database.rebuildTable("t", [.column("a", .any), .column("c", .any)])
    }

    #expect(try site.shell(kept) == before)
    #expect(try site.shell("SELECT name FROM pragma_table_info('t')") == "a\nc")
  }

  @Test func `is refused if it breaks a view, though another was broken before`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a, b); CREATE VIEW a AS SELECT x FROM nowhere;
      CREATE VIEW v AS SELECT a, b FROM t; CREATE VIEW z AS SELECT x FROM nowhere;
      """)

    let failure = try site.failure { database in
      try database.rebuildTable("t", [.column("a", .any)])
    }

    #expect(failure.reason == .call(.broken("view \"v\"", words: "no such column: b")))
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

    #expect(failure.reason == .call(.temporary("t")))
  }

  @Test func `is refused if an index loses its column`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b); CREATE INDEX by_b ON t(b)")

    let failure = try site.failure { database in
      try database.rebuildTable("t", [.column("a", .any)])
    }

    #expect(failure.text == "CREATE INDEX by_b ON t(b)")
    #expect(try site.shell("SELECT count(*) FROM pragma_table_info('t')") == "2")
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
      failure.violations?.rows == [.init(table: "child", row: 1, columns: ["t"], parent: "t")])
  }
}
