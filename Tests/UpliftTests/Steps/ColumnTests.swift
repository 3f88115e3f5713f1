import TestSupport
import Testing
import Uplift

/// A column in Swift becomes a column in SQL.
struct ColumnTests {
  static let columns: [(Upgrader.Column, String)] = [
    (.column("a", .integer, primaryKey: true), "\"a\" INTEGER PRIMARY KEY"),
    (
      .column("a", .integer, primaryKey: true, constraint: "AUTOINCREMENT"),
      "\"a\" INTEGER PRIMARY KEY AUTOINCREMENT"
    ),
    (.column("a", .text, notNull: true, unique: true), "\"a\" TEXT NOT NULL UNIQUE"),
    (.column("a", .real, default: 1.5), "\"a\" REAL DEFAULT 1.5"),
    (.column("a", .integer, default: -1), "\"a\" INTEGER DEFAULT -1"),
    (.column("a", .integer, default: true), "\"a\" INTEGER DEFAULT 1"),
    (.column("a", .text, default: "it's"), "\"a\" TEXT DEFAULT 'it''s'"),
    (.column("a", .text, default: .sql("CURRENT_DATE")), "\"a\" TEXT DEFAULT (CURRENT_DATE)"),
    (.column("a", .blob, default: .value([UInt8]([0, 171]))), "\"a\" BLOB DEFAULT X'00AB'"),
    (.column("a", .declared("VARCHAR(80)")), "\"a\" VARCHAR(80)"),
    (
      .column("a", .integer, references: "t", constraint: "ON DELETE CASCADE"),
      "\"a\" INTEGER REFERENCES \"t\" ON DELETE CASCADE"
    ),
    (
      .column("a", .text, constraint: "GENERATED ALWAYS AS (1) VIRTUAL"),
      "\"a\" TEXT GENERATED ALWAYS AS (1) VIRTUAL"
    ),
  ]

  @Test(arguments: columns)
  func `has this definition in SQL`(column: Upgrader.Column, sql: String) throws {
    let site = try Site.holding("CREATE TABLE t(a PRIMARY KEY)")

    try site.step { database in
      try database.createTable("made", [column, .column("other", .text)])
    }

    let made = try site.shell("SELECT sql FROM sqlite_schema WHERE name = 'made'")
    #expect(made == "CREATE TABLE \"made\" (\n  \(sql),\n  \"other\" TEXT\n)")
  }

  static let defaults: [Upgrader.Database.Value] = [
    .null, .integer(.min), .integer(.max), .real(1e-5), .real(.infinity), .real(-.infinity),
    .real(.leastNonzeroMagnitude), .real(1e300), .text(""), .text("''"), .blob([]), .blob([1, 2]),
  ]

  @Test(arguments: defaults)
  func `may have any value as its default`(value: Upgrader.Database.Value) throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1)")

    try site.step { database in
      try database.addColumn(.column("b", .blob, default: .value(value)), to: "t")
      try database.execute("INSERT INTO t(a) VALUES (2)")
      let rows = try database.query("SELECT b FROM t")
      #expect(rows.map(\.values) == [[value], [value]])
    }
  }

  @Test func `may belong to a table that is STRICT and WITHOUT ROWID`()
    throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      try database.createTable(
        "pair", [.column("a", .text, notNull: true), .column("b", .any)],
        constraints: ["PRIMARY KEY (a, b)"], strict: true, withoutRowID: true)
    }

    #expect(
      try site.shell("SELECT strict, wr FROM pragma_table_list WHERE name = 'pair'") == "1|1")
  }
}
