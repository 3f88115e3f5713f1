import TestSupport
import Testing
import Uplift

/// A step changes tables by calls, without SQL.
struct TableTests {
  @Test func `are created, renamed and dropped`() throws {
    let site = try Site.holding("CREATE TABLE old(a)")

    try site.step { database in
      try database.createTable(
        "guests",
        [
          .column("id", .integer, primaryKey: true),
          .column("name", .text, notNull: true, default: "nobody"),
        ])
      try database.execute("INSERT INTO guests DEFAULT VALUES")
      try database.renameTable("guests", to: "visitors")
      try database.dropTable("old")
    }

    #expect(
      try site.shell("SELECT name FROM sqlite_schema; SELECT * FROM visitors;")
        == "visitors\n1|nobody")
  }

  @Test func `take columns, rename them and give them up`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")

    try site.step { database in
      try database.addColumn(.column("c", .integer, notNull: true, default: 3), to: "t")
      try database.renameColumn("a", in: "t", to: "first")
      try database.dropColumn("b", from: "t")
    }

    #expect(try site.shell(".headers on\nSELECT * FROM t;") == "first|c\n1|3")
  }

  @Test func `refuse what SQLite cannot do, and say what can`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    do {
      try site.step { database in
        try database.addColumn(.column("b", .text, unique: true), to: "t")
      }
      Issue.record("a unique column was added")
    } catch {
      #expect(error.remedy == "rebuild the table: ALTER TABLE cannot do this")
    }
  }

  /// Names with a meaning in SQL, and names that would end a quotation.
  static let names = ["a\"b", "a'b", "a b", "select", "a;--", "[a]", "`a`", "é", "1", ""]

  @Test(arguments: names)
  func `may have any name`(name: String) throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let other = name + "2"

    try site.step { database in
      try database.createTable(
        name, [.column("id", .integer, primaryKey: true), .column(name, .text, unique: true)])
      try database.renameTable(name, to: other)
      try database.addColumn(.column(other, .text, default: .value(name)), to: other)
      try database.renameColumn(name, in: other, to: "plain")
      try database.renameColumn("plain", in: other, to: name)
      try database.createTable("child", [.column("parent", .integer, references: other)])
      try database.rebuildTable(
        other,
        [.column("id", .integer, primaryKey: true), .column(name, .text), .column(other, .text)])
      try database.execute("INSERT INTO child VALUES (NULL)")
      try database.dropColumn(other, from: other)
      let columns = try database.query("SELECT name FROM pragma_table_info(?)", [other])
      #expect(columns.map(\.values) == [[.text("id")], [.text(name)]])
      try database.dropTable("child")
      try database.dropTable(other)
    }

    #expect(try site.shell("SELECT name FROM sqlite_schema") == "t")
  }

  @Test(arguments: names + ["line\nend"])
  func `may have any text as a default`(text: String) throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      try database.addColumn(.column("b", .text, notNull: true, default: .value(text)), to: "t")
      try database.execute("INSERT INTO t(a) VALUES (1)")
      let rows = try database.query("SELECT b FROM t")
      #expect(rows.map(\.values) == [[.text(text)]])
    }
  }
}
