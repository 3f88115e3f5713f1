internal import UpliftSQLite

/// Changes of tables; each method runs one statement of SQLite.
extension Upgrader.Database {
  /// Creates a table; `constraints` are constraints of the whole table, in SQL.
  public borrowing func createTable(
    _ name: String, _ columns: [Upgrader.Column], constraints: [String] = [], strict: Bool = false,
    withoutRowID: Bool = false, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let definition = TableDefinition(
      columns, constraints, isStrict: strict, isWithoutRowID: withoutRowID)
    try execute(
      "CREATE TABLE main.\(name.asName) \(definition.sql)",
      at: SourceLocation(file: file, line: line))
  }

  /// Gives a table another name, also in references, triggers and views.
  public borrowing func renameTable(
    _ name: String, to newName: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(name.asName) RENAME TO \(newName.asName)",
      at: SourceLocation(file: file, line: line))
  }

  /// Drops a table with its indexes and triggers.
  ///
  /// Rows that refer to the table are not deleted. If there are still such rows when the step ends,
  /// the step fails.
  public borrowing func dropTable(
    _ name: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute("DROP TABLE main.\(name.asName)", at: SourceLocation(file: file, line: line))
  }

  /// Adds a column; the existing rows get its default.
  ///
  /// SQLite cannot add a column that is unique, part of the primary key, or `NOT NULL` without a
  /// default (sqlite.org/lang_altertable.html). For such a column, rebuild the table.
  public borrowing func addColumn(
    _ column: Upgrader.Column, to table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) ADD COLUMN \(column.definition)",
      at: SourceLocation(file: file, line: line))
  }

  /// Gives a column another name, also in indexes, triggers and views.
  public borrowing func renameColumn(
    _ name: String, in table: String, to newName: String, file: String = #fileID,
    line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) RENAME COLUMN \(name.asName) TO \(newName.asName)",
      at: SourceLocation(file: file, line: line))
  }

  /// Drops a column and its values.
  ///
  /// SQLite cannot drop a column that is unique, part of the primary key, or used elsewhere in the
  /// schema. For such a column, rebuild the table.
  public borrowing func dropColumn(
    _ name: String, from table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) DROP COLUMN \(name.asName)",
      at: SourceLocation(file: file, line: line))
  }
}
