internal import UpliftSQLite

/// A column of an existing table, from `PRAGMA table_xinfo`.
struct TableColumn {
  let name: Name
  /// True if the value is computed and cannot be written.
  let isGenerated: Bool
  /// True if the column is another name of the row identifier.
  let isRowID: Bool

  /// All columns of a table.
  static func all(
    of table: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> [TableColumn] {
    let rows = try database.rows(
      "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?, 'main')",
      [Database.Value(table)], at: location)
    // The row identifier has another name if one column of the type INTEGER is the whole key, and
    // if SQLite made no index for this key. SQLite makes one for INTEGER PRIMARY KEY DESC.
    let keys = rows.filter { $0.values[2] != .integer(0) }
    let indexes = try database.rows(
      "SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", [Database.Value(table)],
      at: location)
    return rows.map { row in
      let isInteger = row.values[3].name == Name("integer")
      return TableColumn(
        name: row.values[0].name ?? Name(""),
        isGenerated: row.values[1] == .integer(2) || row.values[1] == .integer(3),
        isRowID: keys.count == 1 && row.values[2] == .integer(1) && isInteger && indexes.isEmpty)
    }
  }

  /// A name for the row identifier that no column has; nil if the columns have all three.
  static func rowID(beside columns: [TableColumn]) -> Name? {
    let taken = Set(columns.map(\.name))
    return ["_rowid_", "rowid", "oid"].map { Name($0) }.first { !taken.contains($0) }
  }
}
