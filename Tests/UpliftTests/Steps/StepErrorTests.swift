import Foundation
import TestSupport
import Testing
import Uplift

/// An error of a step names the step, the statement and the line of the call.
struct StepErrorTests {
  struct NoSlug: Error, CustomStringConvertible {
    let description: String
  }

  @Test(.tags(.promise6)) func `names the step, the statement and the line of the call`() throws {
    let site = try Site.holding("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    let line = #line + 2
    let failure = try site.failure { database in
      try database.execute("SELECT 1;  INSERT INTO t VALUES (1); SELECT 2")
    }

    #expect(
      failure
        == UpgradeError(
          .failed, "UNIQUE constraint failed: t.a (SQLITE_CONSTRAINT_UNIQUE, 2067)",
          fix: "correct the script, then start again; nothing of it was kept",
          at: UpgradeError.Place(
            file: "step", source: #fileID, line: line, column: 1,
            excerpt: UpgradeError.Excerpt(text: "INSERT INTO t VALUES (1);", caret: 1)),
          reached: 1,
          sqlite: UpgradeError.SQLiteCode(number: 2067, name: "SQLITE_CONSTRAINT_UNIQUE")))
  }

  @Test func `passes on the text of an error that the program throws`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { _ in throw NoSlug(description: "no slug for \"É\"") }

    #expect(failure.message == "no slug for \"É\"")
    #expect(failure.place?.source == "UpliftTests/Site+Steps.swift")
  }

  @Test func `passes on an error that is thrown while rows are read`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")

    try site.step { database in
      var count = 0
      #expect(throws: NoSlug.self) {
        try database.query("SELECT a FROM t") { _ in
          count += 1
          throw NoSlug(description: "none")
        }
      }
      #expect(count == 1)
    }
  }

  @Test(.tags(.F2)) func `passes on an error about the database itself`() throws {
    let site = try Site.holding("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    var bytes = try #require(site.scratch.bytes("data/app.db"))
    bytes.replaceSubrange(4096..<8192, with: Data(repeating: 0xff, count: 4096))
    try site.scratch.write(bytes, to: "data/app.db")

    let error = #expect(throws: UpgradeError.self) {
      try site.step { database in _ = try database.query("SELECT a FROM t") }
    }

    #expect(error?.kind == .damaged)
  }

  @Test func `does not change an error that the step catches and throws again`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in
      do {
        try database.execute("INSERT INTO nowhere VALUES (1)")
      } catch {
        try? database.execute("INSERT INTO elsewhere VALUES (1)")
        throw error
      }
    }

    #expect(failure.text == "INSERT INTO nowhere VALUES (1)")
  }

  @Test func `gives a step in SQL the line within its text`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    expectError(.failed, "two:2:3: no such table: nowhere") {
      try site.upgrade([.sql(2, "two", "SELECT 1;\n  INSERT INTO nowhere VALUES (1);")])
    }
  }

  @Test(.tags(.S8)) func `checks the text of steps in SQL before any step runs`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    expectError(.scripts, "three:1:10: the comment that begins here has no end") {
      try site.upgrade([.code(2, "two") { _ in }, .sql(3, "three", "SELECT 1;/* ")])
    }

    #expect(try Shell.version(site.database) == 1)
  }
}
