import TestSupport
import Testing
import Uplift

/// Each parameter of a statement has a value, and each value a parameter.
struct ArgumentTests {
  @Test func `go by position or by name`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b)")
    let note: String? = nil

    try site.step { database in
      try database.execute("INSERT INTO t VALUES (?, ?)", [1, note])
      try database.execute("INSERT INTO t VALUES (:a, @b)", ["b": "two", "a": 2])
      try database.execute("INSERT INTO t VALUES (?1, ?1)", [3])
    }

    #expect(try site.shell("SELECT a, ifnull(b, 'none') FROM t;") == "1|none\n2|two\n3|3")
  }

  static let wrong: [(String, Upgrader.Database.Arguments, String)] = [
    ("INSERT INTO t VALUES (?, ?)", [1], "1 value for 2 parameters"),
    ("INSERT INTO t VALUES (?, ?)", [], "0 values for 2 parameters"),
    ("INSERT INTO t VALUES (1, 2)", [1], "1 value for 0 parameters"),
    ("INSERT INTO t VALUES (:a, :b)", ["a": 1], "no value for the parameter \"b\""),
    (
      "INSERT INTO t VALUES (:a, 2)", ["a": 1, "c": 3],
      "a value for \"c\", which is not a parameter"
    ),
    (
      "INSERT INTO t VALUES (?, 2)", ["a": 1],
      "a parameter has no name, but the values have names"
    ),
    ("INSERT INTO t VALUES (?, 2); SELECT 1", [1], "several statements, one was wanted"),
    ("SELECT 1; INSERT INTO t VALUES (?, 2)", [1], "several statements, one was wanted"),
    ("", [], "there is no statement"),
    (" -- nothing", [], "there is no statement"),
    ("SELECT 1;\0SELECT 2", [], "a zero byte"),
  ]

  @Test(arguments: wrong)
  func `are refused if they do not fit, and nothing is run`(
    sql: String, arguments: Upgrader.Database.Arguments, message: String
  ) throws {
    let site = try Site.holding("CREATE TABLE t(a, b)")

    let failure = try site.failure { database in try database.execute(sql, arguments) }

    #expect(failure.message == message)
    #expect(try site.shell("SELECT count(*) FROM t") == "0")
  }

  @Test(arguments: ["SELECT 1; SELECT 2", "", "INSERT INTO t VALUES (1, 2); SELECT 2"])
  func `a query takes one statement only`(sql: String) throws {
    let site = try Site.holding("CREATE TABLE t(a, b)")

    #expect(throws: UpgradeError.self) {
      try site.step { database in _ = try database.query(sql) }
    }
    #expect(try site.shell("SELECT count(*) FROM t") == "0")
  }

  @Test func `may be followed by a comment or a semicolon`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b)")

    try site.step { database in
      try database.execute("INSERT INTO t VALUES (?, ?); -- the end\n /* of it */ ;", [1, 2])
    }

    #expect(try site.shell("SELECT * FROM t") == "1|2")
  }

  @Test func `rows are read one by one, and the table may be written meanwhile`() throws {
    let site = try Site.holding(
      "CREATE TABLE t(a); CREATE TABLE u(a); INSERT INTO t VALUES (1), (2), (3)")

    try site.step { database in
      try database.query("SELECT a FROM t WHERE a > ?", [1]) { row in
        let number: Int = try row["a"]
        try database.execute("INSERT INTO u VALUES (?)", [number * 10])
      }
      let made = try database.query("INSERT INTO u VALUES (7) RETURNING a")
      #expect(made.map(\.values) == [[.integer(7)]])
    }

    #expect(try site.shell("SELECT a FROM u") == "20\n30\n7")
  }
}
