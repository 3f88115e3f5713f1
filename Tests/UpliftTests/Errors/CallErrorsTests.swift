import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// What a step in Swift did wrong, and what to do.
struct CallErrorsTests {
  typealias Body = @Sendable (borrowing Upgrader.Database) throws -> Void
  private struct NoSlug: Error {}

  private static let values = "give each parameter of the statement one value"
  private static let undone =
    "correct the script: an error, a RAISE(ROLLBACK) or an OR ROLLBACK clause has undone it"

  static let calls: [(message: String, remedy: String, body: Body)] = [
    (
      "NoSlug()", "correct the step or the data, then start again; nothing of it was kept",
      { _ in throw NoSlug() }
    ),
    ("1 value for 2 parameters", values, { try $0.execute("SELECT ?, ?", [1]) }),
    (
      "a value for \"b\", which is not a parameter", values,
      { try $0.execute("SELECT 1", ["b": 1]) }
    ),
    ("no value for the parameter \"b\"", values, { try $0.execute("SELECT :a, :b", ["a": 1]) }),
    (
      "a parameter has no name, but the values have names", values,
      { try $0.execute("SELECT ?", ["a": 1]) }
    ),
    ("there is no statement", "leave the call out", { try $0.execute("") }),
    (
      "several statements, one was wanted",
      "give each statement a call of its own; the values are for one statement",
      { try $0.execute("SELECT ?; SELECT 1", [1]) }
    ),
    (
      "a zero byte", "bind the text as a value; SQLite would stop reading there",
      { try $0.execute("SELECT 1;\0") }
    ),
    (
      "the row has no column \"c\"",
      "name the column in the statement, with AS if it is an expression",
      { let _: Int = try $0.query("SELECT a FROM t")[0]["c"] }
    ),
    (
      "column \"b\" holds NULL, String was wanted",
      "ask for the type that was found, or for an optional if the value may be NULL",
      { let _: String = try $0.query("SELECT b FROM t")[0]["b"] }
    ),
    (
      "column \"b\" holds text that is not UTF-8",
      "in the statement, read its bytes with CAST(… AS BLOB), or repair the text",
      { let _: String = try $0.query("SELECT CAST(x'ff' AS TEXT) AS b")[0]["b"] }
    ),
    (
      "the transaction was rolled back: UNIQUE constraint failed: t.a", undone,
      { try $0.execute("INSERT OR ROLLBACK INTO t(a) VALUES(1)") }
    ),
    (
      "there is no table \"u\"", "correct the name",
      { try $0.rebuildTable("u", [.column("a", .any)]) }
    ),
    (
      "the new table has no column \"c\" to fill", "correct the name",
      { try $0.rebuildTable("t", [.column("a", .any)], filling: ["c": "1"], dropping: ["b"]) }
    ),
    (
      "\"v\" is not an ordinary table", "drop it and create it anew",
      { try $0.rebuildTable("v", [.column("a", .any)]) }
    ),
    (
      "a temporary table or trigger uses the name of the table \"t\"",
      "drop the temporary table or trigger before the table is rebuilt",
      {
        try $0.execute("CREATE TEMP TABLE t(a)")
        try $0.rebuildTable("t", [.column("a", .any)])
      }
    ),
    (
      "no column of \"t\" gives a value to the new table",
      "give the argument filling a value for at least one column of the new table",
      {
        try $0.execute("DROP VIEW v")
        try $0.rebuildTable("t", as: "(c PRIMARY KEY) WITHOUT ROWID", dropping: ["a", "b"])
      }
    ),
    (
      "the table had 2 rows and has 1",
      "find the ON CONFLICT clause that dropped rows, or delete those rows before the rebuild",
      { try $0.rebuildTable("t", as: "(a, b UNIQUE ON CONFLICT REPLACE)", filling: ["b": "7"]) }
    ),
    (
      "after the rebuild: error in view v: no such column: b (SQLITE_ERROR, 1)",
      "drop it before the table is rebuilt, and create it anew after",
      { try $0.rebuildTable("t", [.column("a", .any)], dropping: ["b"]) }
    ),
    (
      "the new table has no column \"b\", and the old one has it",
      "add the column, or name it in the argument dropping",
      { try $0.rebuildTable("t", [.column("a", .any)]) }
    ),
  ]

  @Test(arguments: calls.indices)
  func `says what was found, and what to do`(index: Int) throws {
    let site = try Site.holding(
      "CREATE TABLE t(a UNIQUE, b); CREATE VIEW v AS SELECT b FROM t; INSERT INTO t(a) VALUES(1), (2)"
    )
    let call = Self.calls[index]

    let error = try site.failure(call.body)

    #expect(error.message == call.message)
    #expect(error.remedy == call.remedy)
  }

  @Test func `says that a statement was left, and what to do`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)")
    nonisolated(unsafe) var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }

    let error = try site.failure { database in
      try database.withHandle { handle in
        sqlite3_prepare_v2(handle, "SELECT a FROM t", -1, &statement, nil)
        sqlite3_step(statement)
      }
    }

    #expect(error.message == "the step left a statement that has not run to its end")
    #expect(error.remedy == "call sqlite3_finalize before the step returns")
  }
}
