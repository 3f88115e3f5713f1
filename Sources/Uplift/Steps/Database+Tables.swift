internal import UpliftSQLite

/// Changes of tables; each method but a rebuild runs one statement of SQLite.
extension Upgrader.Database {
  /// Creates a table; `constraints` are constraints of the whole table, in SQL.
  public borrowing func createTable(
    _ name: String, _ columns: [Upgrader.Column], constraints: [String] = [], strict: Bool = false,
    withoutRowID: Bool = false, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let definition = columns.definition(constraints, strict: strict, withoutRowID: withoutRowID)
    try execute("CREATE TABLE main.\(name.asName) \(definition)", file: file, line: line)
  }

  /// Gives a table another name, also in references, triggers and views.
  public borrowing func renameTable(
    _ name: String, to newName: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(name.asName) RENAME TO \(newName.asName)", file: file, line: line)
  }

  /// Drops a table with its indexes and triggers.
  ///
  /// Rows that refer to the table stay. If there are such rows when the step ends, it fails.
  public borrowing func dropTable(
    _ name: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute("DROP TABLE main.\(name.asName)", file: file, line: line)
  }

  /// Adds a column; the existing rows get its default.
  ///
  /// Rebuild the table for a column that SQLite cannot add: one that is unique, in the primary key,
  /// or `NOT NULL` without a default (sqlite.org/lang_altertable.html).
  public borrowing func addColumn(
    _ column: Upgrader.Column, to table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) ADD COLUMN \(column.definition)", file: file, line: line)
  }

  /// Gives a column another name, also in indexes, triggers and views.
  public borrowing func renameColumn(
    _ name: String, in table: String, to newName: String, file: String = #fileID,
    line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) RENAME COLUMN \(name.asName) TO \(newName.asName)",
      file: file, line: line)
  }

  /// Drops a column and its values.
  ///
  /// SQLite cannot drop a column that is unique, part of the primary key, or used elsewhere in the
  /// schema. For such a column, rebuild the table.
  public borrowing func dropColumn(
    _ name: String, from table: String, file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(
      "ALTER TABLE main.\(table.asName) DROP COLUMN \(name.asName)", file: file, line: line)
  }

  /// Gives a table a new definition and keeps its rows.
  ///
  /// Each column gets the values of the old column with the same name. `filling` gives a column the
  /// value of an SQL expression over the old table. A column that has neither gets its default.
  /// `dropping` names the old columns that the new table does not have: none is left out by mistake.
  ///
  /// ```swift
  /// try database.rebuildTable(
  ///   "guests",
  ///   [.column("id", .integer, primaryKey: true), .column("since", .integer, notNull: true)],
  ///   filling: ["since": "coalesce(year, 2017)"])
  /// ```
  ///
  /// **These are kept:** the rows, which are counted before and after; their row identifiers, if
  /// both tables have them; the next number of `AUTOINCREMENT`; indexes, triggers and references;
  /// `STRICT` and `WITHOUT ROWID`, unless `strict` and `withoutRowID` say otherwise.
  ///
  /// Triggers do not fire. If SQLite could read all views and triggers before, it must be able to
  /// afterwards. Names are compared as SQLite does: byte for byte, but `A` to `Z` equal `a` to `z`.
  ///
  /// It is an error if an index needs a column that the new table lacks (drop the index before), if
  /// there is a temporary table of the same name, or a temporary trigger on the table. If the rebuild
  /// fails, the step fails, even if it catches the error.
  public borrowing func rebuildTable(
    _ name: String, _ columns: [Upgrader.Column], constraints: [String] = [], strict: Bool? = nil,
    withoutRowID: Bool? = nil, filling: [String: String] = [:], dropping: [String] = [],
    file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try rebuild(name, filling: filling, dropping: dropping, at: location) { table in
      columns.definition(
        constraints, strict: strict ?? table.isStrict,
        withoutRowID: withoutRowID ?? table.isWithoutRowID)
    }
  }

  /// Gives a table a new definition in SQL: all that follows the name in `CREATE TABLE`.
  ///
  /// ```swift
  /// try database.rebuildTable("guests", as: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  /// ```
  ///
  /// In a `CHECK` or a generated column, write `name` and not `guests.name`: until its rows are
  /// copied, the table has another name.
  public borrowing func rebuildTable(
    _ name: String, as definition: String, filling: [String: String] = [:],
    dropping: [String] = [], file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try rebuild(name, filling: filling, dropping: dropping, at: location) { _ in definition }
  }
}
