internal import UpliftSQLite

/// What a rebuild must know about a table before it begins.
struct RebuiltTable {
  /// As it is spelled in the schema.
  let name: Name
  let isStrict: Bool
  let isWithoutRowID: Bool
  let columns: [TableColumn]
  /// The statements that made its indexes and triggers, in their order.
  let dependents: [SQL]
  /// The latest number of an `AUTOINCREMENT`; nil if it has none.
  let sequence: Int64?

  init(
    _ name: String, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) {
    let found = try database.rows(
      "SELECT name, type, strict, wr FROM pragma_table_list WHERE schema = 'main'"
        + " AND name = ? COLLATE NOCASE", [name], at: location)
    guard let row = found.first else {
      throw database.run.error(.noTable(name), at: StepCall(location))
    }
    guard row.values[1] == .text("table"), let spelled = row.values[0].name, !spelled.isInternal
    else { throw database.run.error(.notRebuildable(name), at: StepCall(location)) }
    // Unqualified, as the schema keeps it, CREATE INDEX would find the temporary table; and a
    // temporary trigger would go with the old table.
    guard
      try database.rows(
        "SELECT 1 FROM temp.sqlite_schema WHERE tbl_name = ? COLLATE NOCASE",
        [Database.Value(spelled)], at: location
      ).isEmpty
    else { throw database.run.error(.temporary(name), at: StepCall(location)) }
    self.name = spelled
    isStrict = row.values[2] == .integer(1)
    isWithoutRowID = row.values[3] == .integer(1)
    columns = try TableColumn.all(of: spelled, database, at: location)
    dependents = try database.rows(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? COLLATE NOCASE"
        + " AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid",
      [Database.Value(spelled)], at: location
    ).compactMap(\.values[0].sql)
    sequence = try Self.sequence(of: spelled, database, at: location)
  }

  /// Nil if the table has no `AUTOINCREMENT`, or never had a row.
  private static func sequence(
    of name: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> Int64? {
    let hasSequences = try database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'", at: location)
    if hasSequences.isEmpty { return nil }
    let rows = try database.rows(
      "SELECT seq FROM main.sqlite_sequence WHERE name = ?", [Database.Value(name)], at: location)
    return rows.first.flatMap { Int64(upliftValue: $0.values[0]) }
  }
}

/// A column as `PRAGMA table_xinfo` tells it.
struct TableColumn {
  let name: Name
  /// Its value is computed, and cannot be written.
  let isGenerated: Bool
  /// The whole primary key, and another name of the row identifier.
  let isRowID: Bool

  static func all(
    of table: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> [TableColumn] {
    let rows = try database.rows(
      "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?, 'main')",
      [Database.Value(table)], at: location)
    // A column of the type INTEGER that is the whole key, unless SQLite made an index for it
    // (INTEGER PRIMARY KEY DESC, INT PRIMARY KEY).
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

  /// A name for the row identifier that no column has taken.
  static func rowID(beside columns: [TableColumn]) -> Name? {
    let taken = Set(columns.map(\.name))
    return ["_rowid_", "rowid", "oid"].map { Name($0) }.first { !taken.contains($0) }
  }
}
