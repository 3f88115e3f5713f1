import TestSupport
import Testing
import Uplift

/// Every kind of table can be rebuilt.
struct RebuildKindsTests {
  @Test func `every kind of value is kept`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a, b INTEGER, c REAL, d TEXT COLLATE NOCASE, e BLOB, f DATETIME, g NUMERIC);
      INSERT INTO t VALUES (NULL, 9223372036854775807, 1.5, 'Ä', x'00ff', '2017-01-01', 0.1),
        ('x', 'text', 2, '', x'', CURRENT_DATE, '12'),
        (1, -9223372036854775808, 9e999, NULL, 1, 2, 3);
      """)
    let all = """
      SELECT rowid, quote(a), quote(b), quote(c), quote(d), quote(e), quote(f), quote(g) FROM t;
      """
    let before = try site.shell(all)

    try site.step { database in
      try database.rebuildTable(
        "t",
        as: """
          (g NUMERIC, f DATETIME, e BLOB, d TEXT COLLATE NOCASE, c REAL, b INTEGER, a, h DEFAULT 1)
          """)
    }

    #expect(try site.shell(all) == before)
  }

  @Test func `row identifiers are kept, though columns have their names`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a, rowid, oid);
      INSERT INTO t VALUES (1, 'r', 'o'), (2, 'r', 'o'), (3, 'r', 'o');
      DELETE FROM t WHERE a = 2; CREATE TABLE u(a); INSERT INTO u SELECT a FROM t;
      UPDATE u SET rowid = rowid + 10;
      """)
    let before = try site.shell("SELECT _rowid_, * FROM t;")

    try site.step { database in
      try database.rebuildTable("t", as: "(a INTEGER, rowid TEXT, oid TEXT)")
      try database.rebuildTable("u", as: "(id INTEGER PRIMARY KEY, a)")
    }

    #expect(try site.shell("SELECT _rowid_, * FROM t;") == before)
    #expect(try site.shell("SELECT * FROM u;") == "11|1\n12|3")
  }

  @Test func `generated columns are computed, and may be added and dropped`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a, b AS (a * 2) STORED, c AS (a * 3)); INSERT INTO t(a) VALUES (1), (2);
      CREATE INDEX by_c ON t(c);
      """)

    try site.step { database in
      try database.rebuildTable("t", as: "(a, b, c AS (a * 3) STORED, d AS (b + 1))")
    }

    #expect(try site.shell("SELECT * FROM t;") == "1|2|3|3\n2|4|6|5")
  }

  @Test func `a table without row identifiers keeps its composite key`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a TEXT, b INT, c ANY, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
      INSERT INTO t VALUES ('x', 2, 1), ('x', 1, 'y');
      CREATE TABLE child(a, b, FOREIGN KEY (a, b) REFERENCES t(a, b));
      INSERT INTO child VALUES ('x', 2);
      """)

    try site.step { database in
      try database.rebuildTable(
        "t", [.column("a", .text), .column("b", .integer), .column("c", .any)],
        constraints: ["PRIMARY KEY (a, b)"])
    }

    #expect(
      try site.shell(
        """
        SELECT strict, wr FROM pragma_table_list WHERE name = 't'; SELECT * FROM t;
        PRAGMA foreign_key_check;
        """) == "1|1\nx|1|y\nx|2|1")
  }

  @Test func `row identifiers may be dropped and added`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE t(a PRIMARY KEY, b); INSERT INTO t VALUES ('x', 1);
      CREATE TABLE u(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO u VALUES ('x', 1);
      """)

    try site.step { database in
      let columns: [Upgrader.Column] = [
        .column("a", .text, primaryKey: true, notNull: true), .column("b", .integer),
      ]
      try database.rebuildTable("t", columns, withoutRowID: true)
      try database.rebuildTable("u", columns, strict: true, withoutRowID: false)
    }

    #expect(
      try site.shell(
        "SELECT name, strict, wr FROM pragma_table_list WHERE name IN ('t', 'u') ORDER BY name;"
          + "SELECT * FROM t UNION ALL SELECT * FROM u;") == "t|0|1\nu|1|0\nx|1\nx|1")
  }

  @Test func `a full-text table finds its content as before`() throws {
    let site = try Site.holding(
      """
      CREATE TABLE entry(id INTEGER PRIMARY KEY, text);
      CREATE VIRTUAL TABLE found USING fts5(text, content='entry', content_rowid='id');
      CREATE TRIGGER entry_in AFTER INSERT ON entry BEGIN
        INSERT INTO found(rowid, text) VALUES (new.id, new.text); END;
      CREATE TRIGGER entry_out AFTER DELETE ON entry BEGIN
        INSERT INTO found(found, rowid, text) VALUES ('delete', old.id, old.text); END;
      INSERT INTO entry VALUES (4, 'hello world'), (7, 'goodbye world');
      """)

    try site.step { database in
      try database.rebuildTable(
        "entry",
        [.column("id", .integer, primaryKey: true), .column("text", .text, notNull: true)])
      try database.execute("INSERT INTO entry(text) VALUES ('brave new world')")
      try database.execute("DELETE FROM entry WHERE id = 4")
    }

    #expect(try site.shell("SELECT rowid FROM found('world') ORDER BY rowid;") == "7\n8")
    #expect(
      try site.shell("INSERT INTO found(found, rank) VALUES ('integrity-check', 1);") == "")
  }
}
