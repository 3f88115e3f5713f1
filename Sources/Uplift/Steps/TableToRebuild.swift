internal import UpliftSQLite

/// A table that is to be rebuilt, as it is before the rebuild.
struct TableToRebuild {
  /// The name as the schema spells it.
  let name: Name
  let isStrict: Bool
  let isWithoutRowID: Bool
  let columns: [TableColumn]
  /// The statements that made the indexes and triggers, in their order.
  let dependents: [SQL]
  /// The latest number that `AUTOINCREMENT` gave; nil if the table has no `AUTOINCREMENT`.
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
    // The schema keeps CREATE INDEX without a database name, so the index would be made on a
    // temporary table of the same name. A temporary trigger would be dropped with the old table.
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

  /// The latest number in `sqlite_sequence`; nil without `AUTOINCREMENT`, or before the first row.
  ///
  /// A program may have set it to a real number or a text. SQLite reads any value as an integer.
  private static func sequence(
    of name: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> Int64? {
    let hasSequences = try database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'", at: location)
    if hasSequences.isEmpty { return nil }
    let rows = try database.rows(
      "SELECT CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = ?",
      [Database.Value(name)], at: location)
    return rows.first.flatMap { Int64(upliftValue: $0.values[0]) }
  }
}
