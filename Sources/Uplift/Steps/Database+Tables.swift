internal import UpliftSQLite

/// Changes of tables; each method is one statement of SQLite's.
extension Upgrader.Database {
  /// Creates a table; `constraints` are those of the whole table, in SQL.
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

  /// Gives a table another name; references, triggers and views follow.
  public borrowing func renameTable(
    _ name: String, to newName: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(name.asName) RENAME TO \(newName.asName)",
      at: SourceLocation(file: file, line: line))
  }

  /// Drops a table, with its indexes and triggers.
  ///
  /// Rows that refer to it are not deleted: if there are some, the step fails.
  public borrowing func dropTable(
    _ name: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute("DROP TABLE main.\(name.asName)", at: SourceLocation(file: file, line: line))
  }

  /// Adds a column; the rows that are there get its default.
  ///
  /// SQLite adds no column that is unique or part of the key, and none that is `NOT NULL` without
  /// a default (sqlite.org/lang_altertable.html); rebuild the table for those.
  public borrowing func addColumn(
    _ column: Upgrader.Column, to table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) ADD COLUMN \(column.definition)",
      at: SourceLocation(file: file, line: line))
  }

  /// Gives a column another name; indexes, triggers and views follow.
  public borrowing func renameColumn(
    _ name: String, in table: String, to newName: String, file: String = #fileID,
    line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) RENAME COLUMN \(name.asName) TO \(newName.asName)",
      at: SourceLocation(file: file, line: line))
  }

  /// Drops a column and what is in it.
  ///
  /// SQLite drops none that is part of a key or unique, and none that something else mentions.
  public borrowing func dropColumn(
    _ name: String, from table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) DROP COLUMN \(name.asName)",
      at: SourceLocation(file: file, line: line))
  }
}
