import TestSupport
import Testing
import Uplift

/// The mistakes that people make, and what they are told.
struct HintTests {
  @Test(.tags(.S10))
  func `takes nothing in double quotes for text, unless told to`() throws {
    let script = #"DELETE FROM t WHERE "nosuch" = 'nosuch';"#
    let trial = try Trial(script, start: "CREATE TABLE t(a); INSERT INTO t VALUES(1);")

    let error = try #require(trial.error())
    #expect(try trial.ask("SELECT count(*) FROM t") == "1")
    #expect(error.remedy.contains("single quotes"))
    #expect(error.remedy.contains("doubleQuotedStrings"))

    try trial.upgrade { $0.doubleQuotedStrings = true }
    #expect(try trial.ask("SELECT count(*) FROM t") == "0")
  }

  @Test(.tags(.S10))
  func `thinks of double quotes in a trigger that the script fires`() throws {
    let trial = try Trial(
      "INSERT INTO t VALUES(1);",
      start: """
        CREATE TABLE t(a);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = "text"; END;
        """)

    let error = try #require(trial.error())
    #expect(error.remedy.contains("triggers"))

    try trial.upgrade { $0.doubleQuotedStrings = true }
    #expect(try trial.ask("SELECT * FROM t") == "text")
  }

  @Test(.tags(.S10), arguments: ["SELECT nosuch FROM t;", "SELECT t.nosuch FROM t;"])
  func `says nothing of quotes where there are none`(script: String) throws {
    let trial = try Trial(script, start: "CREATE TABLE t(a);")

    let error = try #require(trial.error())

    #expect(!error.remedy.contains("quotes"))
  }

  @Test(.tags(.S10), arguments: [false, true])
  func `reads a schema that was written with text in double quotes`(isAllowed: Bool) throws {
    let trial = try Trial(
      "CREATE TABLE other(a); INSERT INTO t VALUES(1, 'x'); DROP INDEX i;",
      start: """
        CREATE TABLE t(a, b DEFAULT "text", CHECK (b <> "text"));
        CREATE INDEX i ON t(a) WHERE b <> "text";
        """)

    try trial.upgrade { $0.doubleQuotedStrings = isAllowed }

    #expect(try trial.ask("SELECT * FROM t") == "1|x")
  }

  @Test(
    .tags(.S11),
    arguments: [
      ("SELECT nosuch(1);", "own additions"),
      ("CREATE VIRTUAL TABLE t USING nosuch(a);", "own additions"),
      ("SELECT 1 WHERE 'a' = 'b' COLLATE nosuch;", "own additions"),
      (".tables", "SQL"),
      ("SELECT 1;\n-- migrate:down\nSELECT 2;", "forward"),
      ("VACUUM;", "-- uplift: no-transaction"),
      ("COMMIT;", "transaction of its own"),
      ("PRAGMA writable_schema=ON;", "CREATE VIRTUAL TABLE"),
      ("INSERT INTO nosuch VALUES(1);", "nothing of it was kept"),
    ])
  func `says what to do about a mistake`(script: String, words: String) throws {
    let trial = try Trial(script)

    let error = try #require(trial.error())

    #expect(error.remedy.contains(words), "\(error.remedy)")
  }
}
