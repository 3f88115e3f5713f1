import TestSupport
import Testing
import Uplift

/// Text in double quotes, which SQLite once took for a string.
struct DoubleQuotedStringTests {
  private static let table = """
    CREATE TABLE t(a, b DEFAULT "x" CHECK(b <> "q"));
    INSERT INTO t(a) VALUES(1);

    """

  @Test(
    .tags(.S10),
    arguments: [
      #"DELETE FROM t WHERE "nosuch" = 'nosuch';"#, "INSERT INTO t VALUES('nosuch', 'x');",
      "ALTER TABLE t DROP COLUMN a;",
    ])
  func `is refused in SQLite's words, unless an option allows it`(script: String) throws {
    let trial = try Trial(
      script,
      start: Self.table
        + #"CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE b <> "nosuch"; END;"#)

    let error = try #require(trial.error())
    #expect(error.says(.failed, "no such column: "))
    #expect(try trial.ask("SELECT * FROM t") == "1|x")

    try trial.upgrade { $0.doubleQuotedStrings = true }
    #expect(try trial.ask("SELECT * FROM t") != "1|x")
  }

  @Test(.tags(.S10), arguments: [false, true])
  func `may stand in a schema that is only read`(isAllowed: Bool) throws {
    let trial = try Trial(
      "CREATE TABLE other(a); INSERT INTO t(a) VALUES(2); DROP INDEX i;",
      start: Self.table + #"CREATE INDEX i ON t(a) WHERE b <> "text";"#)

    try trial.upgrade { $0.doubleQuotedStrings = isAllowed }

    #expect(try trial.ask("SELECT * FROM t") == "1|x\n2|x")
  }
}
