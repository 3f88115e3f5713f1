import Uplift

extension UpgradeErrorTests {
  /// A failed call of a step in Swift.
  ///
  /// All rows have the same location.
  private static func row(_ reason: UpgradeError.Reason, _ words: String, _ remedy: String) -> Row {
    Row(
      .failed(
        UpgradeError.Failure(
          script: "slugs", source: "App/Steps.swift", line: 3, column: 1, text: "x",
          reason: reason, reached: 1)),
      "App/Steps.swift:3: step \"slugs\": \(words); the database is at 1", remedy)
  }

  private static let values = "give each parameter of the statement one value"

  /// Errors of a step in Swift.
  static let calls: [Row] = [
    row(
      .thrown(words: "no slug"), "no slug",
      "correct the step or the data, then start again; nothing of it was kept"),
    row(
      .sqlite(code: 1, name: "SQLITE_ERROR", words: "Cannot add a UNIQUE column"),
      "Cannot add a UNIQUE column (SQLITE_ERROR, 1)",
      "rebuild the table: ALTER TABLE cannot do this"),
    row(
      .sqlite(
        code: 1, name: "SQLITE_ERROR",
        words: "Cannot add a NOT NULL column with default value NULL"),
      "Cannot add a NOT NULL column with default value NULL (SQLITE_ERROR, 1)",
      "give it a DEFAULT, or leave out NOT NULL; otherwise rebuild the table"),
    row(.call(.parameterCount(2, given: 1)), "1 value for 2 parameters", values),
    row(.call(.parameterCount(1, given: 0)), "0 values for 1 parameter", values),
    row(.call(.noParameter("a")), "a value for \"a\", which is not a parameter", values),
    row(.call(.noValue("a")), "no value for the parameter \"a\"", values),
    row(.call(.noValue("")), "a parameter has no name, but the values have names", values),
    row(.call(.noStatement), "there is no statement", "leave the call out"),
    row(
      .call(.severalStatements), "several statements, one was wanted",
      "give each statement a call of its own; the values are for one statement"),
    row(
      .call(.zeroByte), "a zero byte",
      "bind the text as a value; SQLite would stop reading there"),
    row(
      .call(.noColumn("a")), "the row has no column \"a\"",
      "name the column in the statement, with AS if it is an expression"),
    row(
      .call(.columnType("a", found: "NULL", wanted: "String")),
      "column \"a\" holds NULL, String was wanted",
      "ask for the type that was found, or for an optional if the value may be NULL"),
    row(
      .call(.notUTF8("a")), "column \"a\" holds text that is not UTF-8",
      "in the statement, read its bytes with CAST(… AS BLOB), or repair the text"),
    row(
      .call(.statementLeft), "the step left a statement that has not run to its end",
      "call sqlite3_finalize before the step returns"),
    row(.call(.noTable("t")), "there is no table \"t\"", "correct the name"),
    row(
      .call(.noFillableColumn("a")), "the new table has no column \"a\" to fill",
      "correct the name"),
    row(
      .call(.notRebuildable("v")), "\"v\" is not an ordinary table",
      "drop it and create it anew"),
    row(
      .call(.temporary("t")), "a temporary table or trigger uses the name of the table \"t\"",
      "drop the temporary table or trigger before the table is rebuilt"),
    row(
      .call(.nothingKept("t")), "no column of \"t\" gives a value to the new table",
      "give the argument filling a value for at least one column of the new table"),
    row(
      .call(.rowCount(2, now: 1)), "the table had 2 rows and has 1",
      "find the ON CONFLICT clause that dropped rows, or delete those rows before the rebuild"),
    row(
      .call(.broken("view \"v\"", words: "no such column: a")),
      "view \"v\" no longer works: no such column: a",
      "drop it before the table is rebuilt, and create it anew after"),
    Row(
      .path("x.db", .nested),
      "\"x.db\" is already being upgraded, by the step that makes this call",
      "remove the call: the steps after this one run when it has finished"),
  ]
}
