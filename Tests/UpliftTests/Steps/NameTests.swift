import TestSupport
import Testing
import Uplift

/// Names are compared as SQLite compares them: byte for byte, but `A` to `Z` are `a` to `z`.
struct NameTests {
  /// Pairs of names that Swift compares as equal, or that would be equal by Unicode's letter case.
  static let twins: [(String, String)] = [
    ("ä", "Ä"), ("caf\u{e9}", "cafe\u{301}"), ("k", "\u{212a}"), ("\u{c5}", "\u{212b}"),
    ("straße", "STRASSE"), ("σ x", "ς x"),
  ]

  @Test(.tags(.promise4, .S21), arguments: twins)
  func `a rebuild keeps two columns whose names differ in their bytes`(
    one: String, other: String
  ) throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(Id INTEGER PRIMARY KEY, "\(one)" TEXT, "\(other)" REAL);
      INSERT INTO t VALUES (1, 'small', 2.5), (7, NULL, -0.5);
      CREATE INDEX by_other ON t("\(other)" DESC);
      """)

    try site.step { database in
      try database.rebuildTable(
        "T",
        [.column("iD", .integer, primaryKey: true), .column(one, .text), .column(other, .real)])
    }

    #expect(try site.shell("SELECT * FROM t;") == "1|small|2.5\n7||-0.5")
  }

  @Test(.tags(.promise4, .S21), arguments: twins)
  func `a rebuild fills the column that is named`(one: String, other: String) throws {
    let site = try Site.holding(
      "CREATE TABLE t(\"\(one)\", \"\(other)\", note); INSERT INTO t VALUES (1, 2, 3)")

    try site.step { database in
      try database.rebuildTable(
        "t", [.column(one, .any), .column(other, .any), .column("Note", .any)],
        filling: [other: "20", "nOTE": "30"])
    }

    #expect(try site.shell("SELECT * FROM t;") == "1|20|30")
  }

  @Test(.tags(.S21)) func `a table and its column may have a quote in their names`() throws {
    let site = try Site.holding(
      #"CREATE TABLE "a""b"("c""d"); INSERT INTO "a""b" VALUES (1)"#)

    try site.step { database in
      try database.rebuildTable(#"a"b"#, [.column(#"c"d"#, .integer)])
    }

    #expect(try site.shell(#"SELECT "c""d" FROM "a""b";"#) == "1")
  }

  @Test(.tags(.S21)) func `a table is found in any letter case of ASCII, and in no other`() throws {
    let site = try Site.holding("CREATE TABLE \"Ä k\"(a); INSERT INTO \"Ä k\" VALUES (1)")

    for name in ["ä k", "Ä \u{212a}", "A\u{308} k"] {
      let failure = try site.failure { database in
        try database.rebuildTable(name, [.column("a", .any)])
      }
      #expect(failure.message == "there is no table \"\(name)\"")
    }
    try site.step { database in try database.rebuildTable("Ä K", [.column("A", .any)]) }

    #expect(try site.shell("SELECT A FROM \"Ä k\";") == "1")
  }

  @Test(.tags(.S21), arguments: twins)
  func `a row gives the column that is named`(one: String, other: String) throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query("SELECT 1 AS \"\(one)\", 2 AS \"\(other)\", 3 AS \"A b\"")[0]
      #expect(try row[one] == 1)
      #expect(try row[other] == 2)
      #expect(try row["a B"] == 3)
    }
  }

  @Test func `a row gives the first of two columns with one name`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query("SELECT 1 AS a, 2 AS A, 3 AS a")[0]
      #expect(try row["A"] == 1)
      #expect(row.columns == ["a", "A", "a"])
    }
  }

  @Test(.tags(.S21)) func `a parameter has the value of exactly its name`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query(
        "SELECT :caf\u{e9} AS one, :cafe\u{301} AS two, @K AS three, $k AS four",
        ["caf\u{e9}": 1, "cafe\u{301}": 2, "K": 3, "k": 4])[0]
      #expect(row.values == [.integer(1), .integer(2), .integer(3), .integer(4)])
    }
  }

  @Test(.tags(.S21)) func `a parameter in another letter case has no value`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in
      try database.execute("INSERT INTO t VALUES (:name)", ["Name": 1])
    }

    #expect(failure.message == "no value for the parameter \"name\"")
  }

  @Test(.tags(.S21)) func `a rebuild takes another name if its own for the new table is taken`()
    throws
  {
    let site = try Site.holding(
      """
      CREATE TABLE "T ä"(a, b AS (a + 1)); INSERT INTO "T ä" VALUES (1);
      CREATE TABLE "UPLIFT_NEW_T ä"(kept); INSERT INTO "UPLIFT_NEW_T ä" VALUES (2);
      CREATE VIEW "uplift_new_t ä_" AS SELECT 3 AS seen;
      """)

    try site.step { database in
      try database.rebuildTable("T ä", [.column("a", .integer)], dropping: ["b"])
    }

    #expect(
      try site.shell(
        """
        SELECT * FROM "T ä"; SELECT kept FROM "UPLIFT_NEW_T ä"; SELECT seen FROM "uplift_new_t ä_";
        SELECT count(*) FROM sqlite_schema;
        """) == "1\n2\n3\n3")
  }
}
