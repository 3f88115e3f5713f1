internal import Uplift
internal import UpliftSQLite

/// Rows of the seed that were changed, and that no script brings to older databases.
enum ChangedContent {
  /// The tables whose rows in the seed are not those of an old seed, except some tables.
  static func tables(
    in seed: borrowing Connection, since old: borrowing Connection, except others: Set<Name> = []
  ) throws(SQLiteError) -> [Name] {
    let tables = try old.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    let shadows = try old.shadowTables()
    var changed: [Name] = []
    while try tables.step() {
      guard let name = tables.name(0), !name.isInternal, !shadows.contains(name),
        !others.contains(name)
      else { continue }
      if try !hasSameRows(name, in: seed, as: old) { changed.append(name) }
    }
    return changed
  }

  /// Compares the columns that both have, row by row in the order of the primary key, or of all
  /// columns.
  private static func hasSameRows(
    _ table: Name, in seed: borrowing Connection, as old: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let before = try old.columns(of: table)
    let now = try seed.columns(of: table)
    let names = Set(now.filter { !$0.isGenerated }.map(\.name))
    let columns = before.map(\.name).filter(names.contains)
    guard !columns.isEmpty else { return true }
    let hasKey = !before.primaryKey.isEmpty && now.primaryKey == before.primaryKey
    let key = hasKey ? before.primaryKey : columns
    // By a collation such as `NOCASE`, rows that differ could come in any order.
    let query: SQL = """
      SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table)
      ORDER BY \(SQL.list(key) { "\($0) COLLATE BINARY" })
      """
    let oldRows = try old.prepare(query)
    let newRows = try seed.prepare(query)
    while true {
      let (hasOld, hasNew) = (try oldRows.step(), try newRows.step())
      guard hasOld, hasNew else { return hasOld == hasNew }
      guard columns.indices.allSatisfy({ oldRows.value($0) == newRows.value($0) }) else {
        return false
      }
    }
  }
}
