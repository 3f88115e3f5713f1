import TestSupport
import Testing
import Uplift

/// An error says what to do about the mistake that people usually make.
struct HintTests {
  @Test(
    .tags(.S10),
    arguments: [
      #"DELETE FROM t WHERE "nosuch" = 'nosuch';"#, "INSERT INTO t VALUES('nosuch');",
    ])
  func `refuses text in double quotes in SQLite's words, unless an option allows it`(
    script: String
  ) throws {
    let trial = try Trial(
      script,
      start: """
        CREATE TABLE t(a); INSERT INTO t VALUES(1);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE a <> "nosuch"; END;
        """)

    let error = try #require(trial.error())
    #expect(error.description.contains("no such column: "))
    // The quotes may be in a trigger.
    let isInScript = script.contains("\"")
    #expect(error.remedy.contains("text stands in single quotes, or allow") == isInScript)
    #expect(try trial.ask("SELECT a FROM t") == "1")

    try trial.upgrade { $0.doubleQuotedStrings = true }
    #expect(try trial.ask("SELECT a FROM t") != "1")
  }

  @Test(.tags(.S10))
  func `suggests to allow double quotes if the table itself has them`() throws {
    let trial = try Trial(
      "ALTER TABLE t DROP COLUMN a;", start: #"CREATE TABLE t(a, b CHECK(b <> "q"));"#)

    let error = try #require(trial.error())
    #expect(error.remedy.hasPrefix("rebuild table t, which SQLite cannot read;"))

    try trial.upgrade { $0.doubleQuotedStrings = true }
  }

  @Test(
    .tags(.S10),
    arguments: [
      (
        "CREATE INDEX i ON t(c) WHERE c <> \"text\";", "ALTER TABLE t RENAME COLUMN a TO b;",
        "drop index i before this statement: SQLite cannot read it; "
          + "if it has text in double quotes, create it anew with single quotes"
      ),
      (
        "CREATE VIEW v AS SELECT nosuch FROM t;", "ALTER TABLE t RENAME TO u;",
        "drop view v before this statement: SQLite cannot read it; "
          + "if it has text in double quotes, create it anew with single quotes"
      ),
      (
        "CREATE VIEW v AS SELECT a FROM t;", "ALTER TABLE t DROP COLUMN a;",
        "drop view v before this statement, and create it anew without the column if you need it"
      ),
    ])
  func `names the index or view that prevents a change`(
    start: String, script: String, remedy: String
  ) throws {
    let trial = try Trial(script, start: "CREATE TABLE t(a, c);" + start)

    #expect(trial.error()?.remedy == remedy)
  }

  @Test(.tags(.S11)) func `names the version of SQLite that lacks a function`() throws {
    let trial = try Trial("SELECT nosuch(1);")

    let error = try #require(trial.error())

    #expect(
      error.remedy.contains("SQLite \(try Shell.run(trial.database, "SELECT sqlite_version()"))"))
  }

  @Test(.tags(.S10), arguments: [false, true])
  func `reads a schema that has text in double quotes`(isAllowed: Bool) throws {
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
      ("SELECT nosuch(1);", "--load-extension"),
      ("CREATE VIRTUAL TABLE t USING nosuch(a);", "--load-extension"),
      ("SELECT 1 WHERE 'a' = 'b' COLLATE nosuch;", "--load-extension"),
      (".tables", "SQL"),
      ("SELECT 1;\n-- migrate:down\nSELECT 2;", "forward"),
      ("VACUUM;", "-- uplift: no-transaction"),
      ("COMMIT;", "transaction of its own"),
      ("PRAGMA writable_schema=ON;", "ALTER TABLE"),
      ("INSERT INTO nosuch VALUES(1);", "nothing of it was kept"),
      ("CREATE TABLE t(a, b, CHECK (b > a)); ALTER TABLE t DROP COLUMN a;", "rebuild the table"),
      ("CREATE TABLE t(a, b); ALTER TABLE t RENAME COLUMN a TO b;", "another name"),
    ])
  func `says what to do about a mistake`(script: String, words: String) throws {
    let trial = try Trial(script)

    let error = try #require(trial.error())

    #expect(error.remedy.contains(words), "\(error.remedy)")
  }
}
