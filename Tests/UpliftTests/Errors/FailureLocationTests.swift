import TestSupport
import Testing
import Uplift

/// A failure names the line and the column, and shows the line.
struct FailureLocationTests {
  @Test(
    .tags(.promise6),
    arguments: [
      ("SELECT nosuch;", "1:8", "SELECT nosuch;"),
      ("SELECT 1;\nSELECT\n  nosuch;", "3:3", "  nosuch;"),
      ("\tSELECT\t'ä€𝄞', nosuch;", "1:16", "\tSELECT\t'ä€𝄞', nosuch;"),
      ("SELECT 1;\r\n\r\n -- x\r\nSELECT nosuch;\r\nSELECT 2;", "4:8", "SELECT nosuch;"),
      ("\u{feff}SELECT nosuch;", "1:8", "SELECT nosuch;"),
      ("\u{feff}SELECT 1;\n SELECT nosuch;", "2:9", " SELECT nosuch;"),
      ("SELECT 1 FROM;", "1:14", "SELECT 1 FROM;"),
      ("SELECT 1;\nCREATE TABLE t(a", "2:1", "CREATE TABLE t(a"),
      // A statement that fails while it runs is located at its beginning.
      (
        ";;\n -- first\n /* then */ INSERT INTO u\n VALUES(1);", "3:13", " /* then */ INSERT INTO u"
      ),
      ("\u{feff}INSERT INTO u VALUES(1);", "1:1", "INSERT INTO u VALUES(1);"),
      ("\u{feff}BEGIN;SELECT 1;", "1:1", "BEGIN;SELECT 1;"),
      // A failure in a trigger is located at the statement that fired it.
      (" INSERT INTO g VALUES(1);", "1:2", " INSERT INTO g VALUES(1);"),
    ])
  func `names the line and the column`(script: String, place: String, text: String) throws {
    let trial = try Trial(
      script,
      start: """
        CREATE TABLE u(a UNIQUE);
        INSERT INTO u VALUES(1);
        CREATE TABLE g(a);
        CREATE TRIGGER t AFTER INSERT ON g BEGIN INSERT INTO u SELECT nosuch FROM u; END;
        """)

    let failure = trial.failure()

    #expect(failure?.placeInScript == place)
    #expect(failure?.text == text)
    #expect(failure?.place?.file == trial.path(1))
    #expect(failure?.reached == 0)
  }

  @Test(.tags(.promise6))
  func `shows the part around the failure of a line that is a megabyte long`() throws {
    let values = String(repeating: "('äbcdefghi'),", count: 70_000)
    let trial = try Trial(
      "CREATE TABLE t(a); INSERT INTO t VALUES\(values)(nosuch),\(values)(1);")

    let failure = try #require(trial.failure())

    let excerpt = try #require(failure.place?.excerpt)
    #expect(failure.place?.column == 39 + 14 * 70_000 + 2)
    #expect(excerpt.text.count <= 100)
    #expect(excerpt.text.dropFirst(excerpt.caret - 1).hasPrefix("nosuch),('äbc"))
  }

  @Test(
    .tags(.promise6), arguments: [0, 1, 15, 20, 39, 41, 72, 700, 1400],
    ["1, ", "'漢', ", "'e\u{301}', "])
  func `cuts a long line around the failure, with the caret below it`(
    count: Int, unit: String
  ) throws {
    func line(_ before: Int, _ after: Int) -> String {
      "SELECT " + String(repeating: unit, count: before) + "nosuch, "
        + String(repeating: unit, count: after) + "1;"
    }
    let width = unit.unicodeScalars.count

    for after in [0, 20, 500] {
      let trial = try Trial("SELECT 1;\n" + line(count, after) + "\nSELECT 2;")
      let failure = try #require(trial.failure())

      let excerpt = try #require(failure.place?.excerpt)
      let scalars = excerpt.text.unicodeScalars
      #expect(failure.placeInScript == "2:\(8 + width * count)")
      #expect(
        String(String.UnicodeScalarView(scalars.dropFirst(excerpt.caret - 1))).hasPrefix("nosuch"))
      #expect(scalars.count <= 96)
      #expect(excerpt.text.hasPrefix("SELECT") || excerpt.text.hasPrefix("…"))
      #expect(excerpt.text.hasSuffix("1;") || excerpt.text.hasSuffix("…"))
    }
  }

  @Test(.tags(.promise6), arguments: ["", "/"])
  func `names the script by the path that leads to it`(end: String) throws {
    let trial = try Trial("SELECT nosuch;")
    let upgrader = Upgrader(
      database: trial.database, migrations: .directory(trial.scratch("Migrations") + end),
      target: 1)

    let error = #expect(throws: UpgradeError.self) { try upgrader.upgrade() }

    #expect(error?.description.hasPrefix(trial.path(1) + ":1:8: no such column") == true)
  }

  @Test(.tags(.promise6), arguments: ["", "/"])
  func `names a file with a wrong name by the path that leads to it`(end: String) throws {
    let trial = try Trial("SELECT 1;")
    try trial.scratch.write("SELECT 1;", to: "Migrations/x.sql")
    let upgrader = Upgrader(
      database: trial.database, migrations: .directory(trial.scratch("Migrations") + end))

    let file = trial.scratch("Migrations/x.sql")
    expectError(.scripts, "\"\(file)\": the name does not begin with a number") {
      try upgrader.upgrade()
    }
  }

  @Test(.tags(.promise6))
  func `gives SQLite's code, its name and its words`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a UNIQUE);\nINSERT INTO t VALUES(1);\nINSERT INTO t VALUES(1);")

    let failure = trial.failure()

    #expect(
      failure?.sqlite == UpgradeError.SQLiteCode(number: 2067, name: "SQLITE_CONSTRAINT_UNIQUE"))
    #expect(failure?.message == "UNIQUE constraint failed: t.a (SQLITE_CONSTRAINT_UNIQUE, 2067)")
  }
}
