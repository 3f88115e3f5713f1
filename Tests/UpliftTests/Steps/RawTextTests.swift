import TestSupport
import Testing
import Uplift

/// Text that is not UTF-8 is kept byte for byte, or is an error.
///
/// It is never repaired.
struct RawTextTests {
  private static let cafe: [UInt8] = [0x63, 0x61, 0x66, 0xe9]

  @Test(.tags(.S21, .S9)) func `a value from a query is bound to a statement byte for byte`() throws
  {
    let site = try Site.holding(latin1: "CREATE TABLE t(a); INSERT INTO t VALUES ('caf\u{e9}')")

    try site.step { database in
      let row = try database.query("SELECT a FROM t")[0]
      #expect(row.values == [.rawText(Self.cafe)])
      try database.execute("INSERT INTO t VALUES (?), (?)", [row.values[0], try row["a"]])
    }

    #expect(
      try site.shell("SELECT typeof(a), hex(a) FROM t;")
        == "text|636166E9\ntext|636166E9\ntext|636166E9")
  }

  @Test(.tags(.S21)) func `text that is not UTF-8 is no String, and the error says how to read it`()
    throws
  {
    let site = try Site.holding(
      latin1: "CREATE TABLE t(\"First name\"); INSERT INTO t VALUES ('caf\u{e9}')")

    let failure = try site.failure { database in
      let _: String = try database.query("SELECT * FROM t")[0]["first NAME"]
    }

    #expect(failure.message == "column \"first NAME\" holds text that is not UTF-8")
    try site.step { database in
      let row = try database.query(
        "SELECT \"First name\" a, CAST(\"First name\" AS BLOB) b FROM t")[0]
      #expect(throws: UpgradeError.self) { let _: String? = try row["a"] }
      #expect(throws: UpgradeError.self) { let _: [UInt8] = try row["a"] }
      let bytes: [UInt8] = try row["b"]
      #expect(bytes == Self.cafe)
    }
  }

  @Test(.tags(.S21)) func `text becomes a default byte for byte`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1)")

    try site.step { database in
      let raw = Upgrader.Database.Value.rawText(Self.cafe)
      try database.addColumn(.column("b", .text, default: .value(raw)), to: "t")
    }

    #expect(try site.shell("SELECT typeof(b), hex(b) FROM t;") == "text|636166E9")
  }

  @Test(.tags(.promise4, .S21))
  func `a rebuild keeps triggers, indexes and views in Latin-1 byte for byte`() throws {
    let site = try Site.holding(
      latin1: """
        CREATE TABLE "The Table"(a TEXT, b REAL, c AS (a || 'x') STORED, PRIMARY KEY (b, a));
        CREATE TABLE "pl\u{e9}"("l'\u{e9}t\u{e9}", z);
        INSERT INTO "The Table" VALUES ('caf\u{e9}', 1), ('caf', 2.5);
        CREATE INDEX "by \u{e9}" ON "The Table"(a) WHERE a = 'caf\u{e9}';
        CREATE TRIGGER "on \u{e9}" AFTER DELETE ON "The Table" BEGIN
          INSERT INTO "pl\u{e9}" VALUES ('d\u{e9}j\u{e0}', old.a); END;
        CREATE TRIGGER on_other AFTER UPDATE ON "pl\u{e9}" BEGIN
          UPDATE "The Table" SET b = 7 WHERE a = new."l'\u{e9}t\u{e9}"; END;
        CREATE VIEW "v\u{e9}" AS SELECT a AS "\u{e9}", 'caf\u{e9}' FROM "The Table";
        """)
    let kept = """
      SELECT type, hex(name), hex(sql) FROM sqlite_schema WHERE type <> 'table' ORDER BY 2;
      SELECT quote(b), hex(a), hex(c) FROM "The Table" ORDER BY b;
      """
    let before = try site.shell(kept)

    try site.step { database in
      try database.rebuildTable(
        "the table", as: "(a TEXT, b REAL, c AS (a || 'x') STORED, d, PRIMARY KEY (b, a))")
    }

    #expect(try site.shell(kept) == before)
    try site.shell(
      latin1: """
        DELETE FROM "The Table" WHERE a = 'caf\u{e9}';
        CREATE TABLE seen AS SELECT hex("l'\u{e9}t\u{e9}") AS x, hex(z) AS y FROM "pl\u{e9}";
        """)
    #expect(try site.shell("SELECT * FROM seen;") == "64E96AE0|636166E9")
  }

  @Test(.tags(.S21)) func `a rebuild names a view in Latin-1 that it would break`() throws {
    let site = try Site.holding(
      latin1: "CREATE TABLE t(a, b); CREATE VIEW \"v\u{e9}\" AS SELECT a, b FROM t;")

    let failure = try site.failure { database in
      try database.rebuildTable("t", [.column("a", .any)], dropping: ["b"])
    }

    #expect(
      failure.message.contains("error in view v\u{fffd}: no such column: b"))
  }
}
