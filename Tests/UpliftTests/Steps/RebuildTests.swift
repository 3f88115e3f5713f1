import TestSupport
import Testing
import Uplift

/// A rebuilt table has the same rows and a new definition.
struct RebuildTests {
  @Test func `changes what ALTER TABLE cannot`() throws {
    let site = try Site.holding(
      "CREATE TABLE t(a TEXT, b TEXT, c); INSERT INTO t VALUES ('1', 'x', 9), ('2', NULL, 9)")

    try site.step { database in
      try database.rebuildTable(
        "T",
        [
          .column("number", .integer, primaryKey: true),
          .column("b", .text, notNull: true, unique: true, default: "none"),
          .column("new", .integer, notNull: true, default: 7),
        ],
        constraints: ["CHECK (number > 0)"],
        filling: ["number": "CAST(a AS INTEGER)", "B": "coalesce(b, 'no ' || a)"],
        dropping: ["A", "c"])
    }

    #expect(try site.shell(".headers on\nSELECT * FROM t;") == "number|b|new\n1|x|7\n2|no 2|7")
    #expect(try site.shell("SELECT name FROM sqlite_schema WHERE type = 'table'") == "t")
    #expect(throws: (any Error).self) { try site.shell("INSERT INTO t VALUES (0, 'y', 1);") }
  }

  @Test func `takes its definition as SQL`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1)")

    try site.step { database in
      try database.rebuildTable("t", as: "(a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x') STRICT")
    }

    #expect(
      try site.shell("SELECT sql FROM sqlite_schema; SELECT * FROM t;")
        == "CREATE TABLE \"t\" (a INTEGER PRIMARY KEY, b TEXT DEFAULT 'x') STRICT\n1|x")
  }

  @Test func `keeps indexes, triggers and views`() throws {
    let schema = """
      CREATE TABLE t(a, b);
      CREATE TABLE log(what);
      CREATE INDEX by_b ON t(b) WHERE b > 0;
      CREATE UNIQUE INDEX by_expression ON t(lower(a));
      CREATE VIEW all_t AS SELECT t.a, b FROM t;
      CREATE TRIGGER on_t AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
      CREATE TRIGGER on_view INSTEAD OF INSERT ON all_t BEGIN INSERT INTO t VALUES (new.a, 0); END;
      CREATE TRIGGER on_log AFTER DELETE ON log BEGIN DELETE FROM t WHERE a = old.what; END;
      """
    let site = try Site.holding(schema + "INSERT INTO t VALUES ('x', 1); DELETE FROM log;")
    let kept = "SELECT name, tbl_name, sql FROM sqlite_schema WHERE name <> 't' ORDER BY name;"
    _ = try site.shell("INSERT INTO t VALUES ('x', 1);")
    let before = try site.shell(kept)

    try site.step { database in
      try database.rebuildTable("t", [.column("a", .text), .column("b", .integer)])
    }

    #expect(try site.shell(kept) == before)
    #expect(
      try site.shell("INSERT INTO all_t VALUES ('y', 2); SELECT * FROM log; SELECT * FROM all_t;")
        == "x\ny\nx|1\ny|0")
    #expect(
      try site.shell("DELETE FROM log; SELECT count(*) FROM t; PRAGMA integrity_check;")
        == "0\nok")
  }

  @Test(.tags(.promise10, .S5)) func `keeps references from other tables, and to itself`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE node(id INTEGER PRIMARY KEY, up REFERENCES node ON DELETE CASCADE, name);
      CREATE TABLE leaf(node REFERENCES node(id) ON DELETE CASCADE);
      INSERT INTO node VALUES (1, NULL, 'a'), (2, 1, 'b'); INSERT INTO leaf VALUES (2);
      """)

    try site.step { database in
      try database.rebuildTable(
        "node",
        [
          .column("id", .integer, primaryKey: true),
          .column("up", .integer, references: "node", constraint: "ON DELETE CASCADE"),
          .column("name", .text, notNull: true),
        ])
    }

    #expect(
      try site.shell(
        """
        SELECT "table" FROM pragma_foreign_key_list('leaf')
        UNION ALL SELECT "table" FROM pragma_foreign_key_list('node');
        PRAGMA foreign_keys = ON; DELETE FROM node WHERE id = 1;
        SELECT count(*) FROM node; SELECT count(*) FROM leaf;
        """) == "node\nnode\n0\n0")
  }

  @Test func `keeps the next number of an AUTOINCREMENT`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a);
      INSERT INTO t VALUES (5, 'x'), (9, 'y'); DELETE FROM t WHERE id = 9;
      CREATE TABLE empty(id INTEGER PRIMARY KEY AUTOINCREMENT);
      INSERT INTO empty VALUES (3); DELETE FROM empty;
      """)

    try site.step { database in
      for table in ["t", "empty"] {
        try database.rebuildTable(
          table,
          [
            .column("id", .integer, primaryKey: true, constraint: "AUTOINCREMENT"),
            .column("a", .text),
          ])
      }
    }

    #expect(
      try site.shell("SELECT * FROM sqlite_sequence ORDER BY name;") == "empty|3\nt|9")
    #expect(try site.shell("INSERT INTO t(a) VALUES ('z'); SELECT max(id) FROM t;") == "10")
  }

  @Test(arguments: ["1e6", "'1000000'"])
  func `keeps the next number of an AUTOINCREMENT that is no integer`(number: String) throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (5, 'x');
      UPDATE sqlite_sequence SET seq = \(number);
      """)

    try site.step { database in
      try database.rebuildTable(
        "t", [.column("id", .integer, primaryKey: true, constraint: "AUTOINCREMENT")],
        dropping: ["a"])
    }

    #expect(
      try site.shell("INSERT INTO t DEFAULT VALUES; SELECT max(id) FROM t;") == "1000001")
  }

  @Test func `keeps the next number of an AUTOINCREMENT that the copying has raised`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE "T able"(id INTEGER PRIMARY KEY AUTOINCREMENT, a);
      INSERT INTO "T able" VALUES (5, 'x');
      """)

    try site.step { database in
      try database.rebuildTable(
        "t ABLE",
        [
          .column("id", .integer, primaryKey: true, constraint: "AUTOINCREMENT"),
          .column("a", .text),
        ], filling: ["ID": "id + 100"])
      try database.execute("DELETE FROM \"T able\"; INSERT INTO \"T able\"(a) VALUES ('y')")
    }

    #expect(
      try site.shell("SELECT * FROM \"T able\"; SELECT * FROM sqlite_sequence;")
        == "106|y\nT able|106")
  }

  @Test func `a table that is renamed after a rebuild takes its views and triggers along`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE "A b"(id INTEGER PRIMARY KEY, x); CREATE TABLE log(x);
      CREATE VIEW seen AS SELECT x FROM "A b";
      CREATE TRIGGER noted AFTER INSERT ON log BEGIN INSERT INTO "A b"(x) VALUES (new.x); END;
      CREATE TABLE child(up REFERENCES "A b"(id));
      """)

    try site.step { database in
      try database.rebuildTable(
        "a B", [.column("id", .integer, primaryKey: true), .column("x", .any)])
      try database.renameTable("A b", to: "New")
      try database.execute("INSERT INTO log VALUES (7)")
    }

    #expect(
      try site.shell("SELECT x FROM seen; SELECT \"table\" FROM pragma_foreign_key_list('child');")
        == "7\nNew")
  }

  @Test func `keeps no next number if AUTOINCREMENT is given up`() throws {
    let site = try Site.holding(
      "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (5)")

    try site.step { database in
      try database.rebuildTable("t", [.column("id", .integer, primaryKey: true)])
    }

    #expect(try site.shell("SELECT count(*) FROM sqlite_sequence; SELECT id FROM t;") == "0\n5")
  }
}
