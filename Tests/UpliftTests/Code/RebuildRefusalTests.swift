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

  static let refused: [(String, [Column], [String: String], UpgradeError.CallProblem)] = [
    ("nowhere", [Column("a", .any)], [:], .noTable("nowhere")),
    ("v", [Column("a", .any)], [:], .notRebuildable("v")),
    ("words", [Column("a", .any)], [:], .notRebuildable("words")),
    ("sqlite_schema", [Column("a", .any)], [:], .notRebuildable("sqlite_schema")),
    ("t", [Column("a", .any)], ["b": "1"], .noFillableColumn("b")),
    (
      "t", [Column("a", .any, constraint: "AS (b)"), Column("b", .any)], ["a": "1"],
      .noFillableColumn("a")
    ),
    (
      "t", [Column("a", .any, unique: true, constraint: "ON CONFLICT IGNORE"), Column("b", .any)],
      [:], .rowCount(2, now: 1)
    ),
    (
      "t", [Column("a", .any)], [:],
      .broken("a trigger on UPDATE of \"other\"", words: "no such column: b")
    ),
  ]

  @Test(arguments: refused)
  func `is refused`(
    name: String, columns: [Column], filling: [String: String], problem: UpgradeError.CallProblem
  ) throws {
    let site = try Site.holding(Self.schema)
    let before = try site.shell(".dump")

    let failure = try site.failure { database in
      try? database.rebuildTable(name, columns, filling: filling)
    }

    #expect(failure.reason == .call(problem))
    #expect(try site.shell(".dump") == before)
  }

  @Test func `leaves a view that was broken before as it is`() throws {
    let site = try Site.holding(Self.schema)

    try site.step { database in
      try database.rebuildTable("t", [Column("a", .any), Column("b", .any), Column("c", .any)])
    }

    #expect(try site.shell("SELECT sql FROM sqlite_schema WHERE name = 'broken'") != "")
  }

  @Test func `is refused where an index has lost its column`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b); CREATE INDEX by_b ON t(b)")

    let failure = try site.failure { database in
      try database.rebuildTable("t", [Column("a", .any)])
    }

    #expect(failure.text == "CREATE INDEX by_b ON t(b)")
    #expect(try site.shell("SELECT count(*) FROM pragma_table_info('t')") == "2")
  }

  @Test(.tags(.promise10)) func `is refused where a reference would lead nowhere`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2);
      CREATE TABLE child(t REFERENCES t); INSERT INTO child VALUES (1), (2);
      """)

    let failure = try site.failure { database in
      try database.rebuildTable(
        "t", [Column("id", .integer, primaryKey: true)], filling: ["id": "id * 2"])
    }

    #expect(
      failure.violations?.rows == [.init(table: "child", row: 1, columns: ["t"], parent: "t")])
  }
}
