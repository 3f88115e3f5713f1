import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// A virtual table may keep a blob of its own tables open after a statement of a step has ended.
struct StepVirtualTableTests {
  private static let definitions = [
    "fts5": "CREATE VIRTUAL TABLE v USING fts5(a);" + rows,
    "fts4": "CREATE VIRTUAL TABLE v USING fts4(a);" + rows,
    "rtree": "CREATE VIRTUAL TABLE v USING rtree(id, a, b);"
      + "INSERT INTO v VALUES(1, 1, 1), (2, 2, 2), (3, 3, 3);",
  ]
  private static let rows =
    "INSERT INTO v(rowid, a) VALUES(1, 'one'), (2, 'two'), (3, 'three');"
  private static let texts = [
    "INSERT INTO v(a) VALUES('four')", "DELETE FROM v WHERE rowid = 2", "DELETE FROM v",
    "UPDATE v SET a = 'other' WHERE rowid = 2", "UPDATE v SET rowid = 9 WHERE rowid = 2",
    "REPLACE INTO v(rowid, a) VALUES(2, 'other')", "SELECT * FROM v WHERE v MATCH 'one'",
    "INSERT INTO v(v) VALUES('optimize')", "INSERT INTO v(v) VALUES('rebuild')",
    "INSERT INTO v(v) VALUES('integrity-check')",
  ]
  private static let boxes = [
    "INSERT INTO v VALUES(4, 4, 4)", "DELETE FROM v WHERE id = 2", "DELETE FROM v",
    "UPDATE v SET a = 0 WHERE id = 2", "UPDATE v SET id = 9 WHERE id = 2",
    "REPLACE INTO v VALUES(2, 0, 9)", "SELECT * FROM v WHERE a > 1", "SELECT rtreecheck('v')",
  ]
  private static let cases =
    texts.map { ("fts5", $0) } + texts.map { ("fts4", $0) } + boxes.map { ("rtree", $0) }

  @Test(.tags(.S18), arguments: cases)
  func `lets a step end after any statement for a virtual table`(module: String, last: String)
    throws
  {
    let definition = try #require(Self.definitions[module])
    let query = module == "rtree" ? "SELECT id FROM v WHERE a > 0" : "SELECT rowid FROM v"
    let site = try Site.holding(definition + "CREATE TABLE log(a)")
    let shell = try Site.holding(definition)

    try site.step { database in
      try database.execute("INSERT INTO log VALUES('before')")
      _ = try database.query(query)
      try database.execute(last)
    }

    _ = try shell.shell(last)
    let ids = "SELECT group_concat(rowid) FROM v"
    #expect(try site.shell(ids) == shell.shell(ids))
    #expect(
      try site.shell("SELECT a FROM log; PRAGMA user_version; PRAGMA integrity_check")
        == "before\n2\nok")
  }

  @Test(.tags(.S18, .promise4), arguments: ["fts5", "fts4", "rtree"])
  func `undoes what a step did to a virtual table before it threw`(module: String) throws {
    struct Stop: Error {}
    let site = try Site.holding(try #require(Self.definitions[module]))
    let ids = "SELECT group_concat(rowid) FROM v; PRAGMA integrity_check;"

    let failure = try site.failure { database in
      try database.execute("DELETE FROM v WHERE rowid = 2")
      throw Stop()
    }

    #expect(failure.message == "Stop()")
    #expect(try site.shell(ids) == "1,2,3\nok")
    try site.step { try $0.execute("DELETE FROM v WHERE rowid = 2") }
    #expect(try site.shell(ids) == "1,3\nok")
  }

  @Test func `still finds a statement that the step left beside a full-text table`() throws {
    let site = try Site.holding((Self.definitions["fts5"] ?? "") + "CREATE TABLE t(a)")
    nonisolated(unsafe) var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }

    let failure = try site.failure { database in
      try database.execute("INSERT INTO t VALUES(1), (2); DELETE FROM v WHERE rowid = 2")
      try database.withHandle { handle in
        sqlite3_prepare_v2(handle, "SELECT a FROM t", -1, &statement, nil)
        sqlite3_step(statement)
      }
    }

    #expect(failure.message == "the step left a statement that has not run to its end")
    #expect(try site.shell("INSERT INTO t VALUES(3); SELECT count(*) FROM v JOIN t;") == "3")
  }

  @Test func `still finds a statement that the step left while it wrote`() throws {
    let site = try Site.holding((Self.definitions["fts5"] ?? "") + "CREATE TABLE t(a)")
    nonisolated(unsafe) var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }

    let failure = try site.failure { database in
      try database.withHandle { handle in
        sqlite3_exec(handle, "DELETE FROM v WHERE rowid = 2", nil, nil, nil)
        sqlite3_prepare_v2(
          handle, "INSERT INTO t VALUES(1), (2) RETURNING a", -1, &statement, nil)
        sqlite3_step(statement)
      }
    }

    #expect(failure.message == "the step left a statement that has not run to its end")
    #expect(try site.shell("SELECT count(*) FROM t; SELECT count(*) FROM v;") == "0\n3")
  }

  @Test func `still finds a blob that the step left open`() throws {
    let site = try Site.holding(
      (Self.definitions["fts5"] ?? "") + "CREATE TABLE t(a); INSERT INTO t VALUES('text')")
    nonisolated(unsafe) var blob: OpaquePointer?
    defer { sqlite3_blob_close(blob) }

    let failure = try site.failure { database in
      try database.execute("DELETE FROM v WHERE rowid = 2")
      try database.withHandle { handle in
        #expect(sqlite3_blob_open(handle, "main", "t", "a", 1, 0, &blob) == SQLITE_OK)
      }
    }

    #expect(failure.message == "the step left a statement that has not run to its end")
    #expect(try site.shell("DELETE FROM t; SELECT count(*) FROM v;") == "3")
  }
}
