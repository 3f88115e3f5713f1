import Testing

/// Tables of all kinds, each with rows that a refresh has to change.
extension RefreshRowsTests {
  /// A table, its rows in the field, and its rows in the seed.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let table: String
    let old: String
    let new: String
  }

  static let cases = [
    Case(
      testDescription: "numbers that are equal and differ",
      table: "CREATE TABLE T(k INTEGER PRIMARY KEY, a, b BLOB, c NUMERIC)",
      old: "INSERT INTO T VALUES(1, 1, 2, 3), (2, 1, 2.0, 3)",
      new: "INSERT INTO T VALUES(1, 1.0, 2, 3), (2, 1, 2, 3.0)"),
    Case(
      testDescription: "composite key",
      table: "CREATE TABLE T(a, b TEXT, c, PRIMARY KEY(b, a)) WITHOUT ROWID",
      old: "INSERT INTO T VALUES(1, 'x', 1), (2, 'x', 2), (2, 'y', 3)",
      new: "INSERT INTO T VALUES(1, 'x', 9), (2, 'y', 3), (3, 'z', NULL)"),
    Case(
      testDescription: "only a key",
      table: "CREATE TABLE T(a NOT NULL, b NOT NULL, PRIMARY KEY(a, b))",
      old: "INSERT INTO T VALUES(1, 1), (1, 2)", new: "INSERT INTO T VALUES(1, 2), (2, x'00')"),
    Case(
      testDescription: "generated columns",
      table: """
        CREATE TABLE T(id INTEGER PRIMARY KEY, x, y AS (x * 2), z TEXT AS (x || '!') STORED UNIQUE)
        """,
      old: "INSERT INTO T VALUES(1, 5), (2, 6)", new: "INSERT INTO T VALUES(2, 5), (3, 8)"),
    Case(
      testDescription: "names that need quotes",
      table: """
        CREATE TABLE T("select" INTEGER PRIMARY KEY, "a b" TEXT, "q""q", [x-y], "ä", "1st", "Group")
        """,
      old: "INSERT INTO T VALUES(1, 'a', 1, 1, 1, 1, 1)",
      new: "INSERT INTO T VALUES(1, 'b', 2, 3, 4, 5, 6), (2, 'c', 1, 1, 1, 1, NULL)"),
    Case(
      testDescription: "a column called true",
      table: "CREATE TABLE T(id INTEGER PRIMARY KEY, \"true\")",
      old: "INSERT INTO T VALUES(1, 0), (2, 0)", new: "INSERT INTO T VALUES(2, 1), (3, 0)"),
    Case(
      testDescription: "letters that differ in case only",
      table: "CREATE TABLE T(name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, x TEXT COLLATE RTRIM)",
      old: "INSERT INTO T VALUES('ant', 'a'), ('bee', 'b '), ('cat', 'c')",
      new: "INSERT INTO T VALUES('Ant', 'a'), ('bee', 'b'), ('cat', 'C')"),
    Case(
      testDescription: "a unique text that another row has now",
      table: "CREATE TABLE T(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL)",
      old: "INSERT INTO T VALUES(1, 'a'), (2, 'b')", new: "INSERT INTO T VALUES(2, 'b'), (3, 'a')"),
    Case(
      testDescription: "strict",
      table: "CREATE TABLE T(id INT PRIMARY KEY NOT NULL, r REAL, a ANY) STRICT",
      old: "INSERT INTO T VALUES(1, 1.5, 1), (2, 2, NULL)",
      new: "INSERT INTO T VALUES(1, 1.5, '1'), (2, NULL, x'01')"),
    Case(
      testDescription: "a key that is another number",
      table: "CREATE TABLE T(k BLOB NOT NULL PRIMARY KEY, x)",
      old: "INSERT INTO T VALUES(1, 1), (2.0, 2)", new: "INSERT INTO T VALUES(1.0, 1), (2, 2)"),
    Case(
      testDescription: "a key with another collation than its column",
      table: "CREATE TABLE T(code TEXT COLLATE NOCASE, x, PRIMARY KEY(code COLLATE BINARY))",
      old: "INSERT INTO T VALUES('a', 1), ('A', 2), ('b', 3)",
      new: "INSERT INTO T VALUES('a', 1), ('b', 3)"),
    Case(
      testDescription: "a key that ignores case, which its column does not",
      table: """
        CREATE TABLE T(code TEXT NOT NULL, x, PRIMARY KEY(code COLLATE NOCASE)) WITHOUT ROWID
        """,
      old: "INSERT INTO T VALUES('a', 1), ('b', 3)", new: "INSERT INTO T VALUES('A', 1), ('b', 3)"),
    Case(
      testDescription: "a unique index with another collation on the columns of the key",
      table: """
        CREATE TABLE T(word TEXT NOT NULL, n, PRIMARY KEY(word COLLATE NOCASE));
        CREATE UNIQUE INDEX exact ON T(word)
        """,
      old: "INSERT INTO T VALUES('pear', 1), ('plum', 2)",
      new: "INSERT INTO T VALUES('pear', 1), ('Plum', 2)"),
    Case(
      testDescription: "an index with the columns of the key in another order",
      table: """
        CREATE TABLE T(sku TEXT NOT NULL, name TEXT NOT NULL COLLATE NOCASE, PRIMARY KEY(sku, name));
        CREATE INDEX by_name ON T(name, sku)
        """,
      old: "INSERT INTO T VALUES('ab', 'bolt'), ('x', 'nut')",
      new: "INSERT INTO T VALUES('AB', 'bolt'), ('x', 'nut')"),
    Case(
      testDescription: "numbers behind a virtual column",
      table: """
        CREATE TABLE T(k INTEGER PRIMARY KEY, v AS (k), r REAL, n INTEGER, x, u UNIQUE ON CONFLICT
        REPLACE)
        """,
      old: """
        INSERT INTO T VALUES(1, 2.5, 9007199254740993, 1, 1), (2, 1.5, 4, 2, 2), (4, 1, 1, 1, 4)
        """,
      new: """
        INSERT INTO T VALUES(1, 3, 9007199254740993, 1, 1), (2, 1.5, 1234567890123456789, 2, 4),
        (3, 1, 1, 1, 3)
        """),
    Case(
      testDescription: "numbers behind a virtual column that is real",
      table: """
        CREATE TABLE T(a TEXT COLLATE NOCASE, v REAL AS (1), n, old, PRIMARY KEY(a, n)) WITHOUT ROWID
        """,
      old: "INSERT INTO T VALUES('x', 9007199254740993, 1), ('y', 2, 2)",
      new: "INSERT INTO T VALUES('X', 9007199254740993, 2), ('y', 2, 1)"),
    Case(
      testDescription: "no rows", table: "CREATE TABLE T(id INTEGER PRIMARY KEY, x)",
      old: "INSERT INTO T VALUES(1, 1)", new: "SELECT 1"),
  ]
}
