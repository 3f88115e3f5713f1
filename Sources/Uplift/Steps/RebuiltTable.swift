/// What there is to know of a table before it is rebuilt.
struct RebuiltTable {
  /// As it is spelled in the schema.
  let name: String
  let isStrict: Bool
  let isWithoutRowID: Bool
  let columns: [TableColumn]
  /// The statements that made its indexes and triggers, in their order.
  let dependents: [String]
  /// The latest number of an `AUTOINCREMENT`, with the statement to look it up again.
  let sequence: Int64?

  init(
    _ name: String, _ database: borrowing Database, at place: SourcePlace
  ) throws(UpgradeError) {
    let found = try database.rows(
      "SELECT name, type, strict, wr FROM pragma_table_list WHERE schema = 'main'"
        + " AND name = ? COLLATE NOCASE", [name], at: place)
    guard let row = found.first else {
      throw database.run.error(.noTable(name), at: Call(place))
    }
    guard row.values[1] == .text("table"), case .text(let spelled) = row.values[0],
      !spelled.lowercased().hasPrefix("sqlite_")
    else { throw database.run.error(.notRebuildable(name), at: Call(place)) }
    self.name = spelled
    isStrict = row.values[2] == .integer(1)
    isWithoutRowID = row.values[3] == .integer(1)
    columns = try TableColumn.all(of: spelled, database, at: place)
    dependents = try database.rows(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? COLLATE NOCASE"
        + " AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid",
      [spelled], at: place
    ).compactMap { String(databaseValue: $0.values[0]) }
    sequence = try Self.sequence(of: spelled, database, at: place)
  }

  /// Nil where the table has no `AUTOINCREMENT`, or never had a row.
  private static func sequence(
    of name: String, _ database: borrowing Database, at place: SourcePlace
  ) throws(UpgradeError) -> Int64? {
    let hasSequences = try database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'", at: place)
    if hasSequences.isEmpty { return nil }
    let rows = try database.rows(
      "SELECT seq FROM main.sqlite_sequence WHERE name = ?", [name], at: place)
    return rows.first.flatMap { Int64(databaseValue: $0.values[0]) }
  }
}

/// A column as `PRAGMA table_xinfo` tells it.
struct TableColumn {
  let name: String
  /// Its value is computed, and cannot be written.
  let isGenerated: Bool
  /// The whole primary key, and another name of the row identifier.
  let isRowID: Bool

  static func all(
    of table: String, _ database: borrowing Database, at place: SourcePlace
  ) throws(UpgradeError) -> [TableColumn] {
    let rows = try database.rows(
      "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?, 'main')", [table], at: place)
    // A column of the type INTEGER that is the whole key; SQLite makes an index where it is not
    // (INTEGER PRIMARY KEY DESC, INT PRIMARY KEY).
    let keys = rows.filter { $0.values[2] != .integer(0) }
    let indexes = try database.rows(
      "SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", [table], at: place)
    return rows.map { row in
      let isInteger = String(databaseValue: row.values[3])?.lowercased() == "integer"
      return TableColumn(
        name: String(databaseValue: row.values[0]) ?? "",
        isGenerated: row.values[1] == .integer(2) || row.values[1] == .integer(3),
        isRowID: keys.count == 1 && row.values[2] == .integer(1) && isInteger && indexes.isEmpty)
    }
  }

  /// A name by which the row identifier can be had: a column may have taken one of them.
  static func rowID(beside columns: [TableColumn]) -> String? {
    let taken = Set(columns.map { $0.name.lowercased() })
    return ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
  }
}
