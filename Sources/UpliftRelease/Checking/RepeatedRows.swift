internal import Uplift
internal import UpliftSQLite

/// Finds rows of the seed that a script inserts again, although the database has them.
///
/// A row with `NULL` in its primary key is equal to no other row, so a script inserts it each time.
struct RepeatedRows {
  private var tables: [Table] = []

  private struct Table {
    let name: Name
    /// The number of rows that are rows of the seed with `NULL` in their key.
    let count: SQL
    let before: Int64
    let inSeed: Int64
  }

  mutating func willRefresh(
    _ refreshed: [RefreshedTable], on connection: borrowing Connection
  ) throws(SQLiteError) {
    tables = []
    for table in refreshed {
      let (name, key) = (table.name, table.key.map(\.name))
      let hasNull = key.map { "ours.\($0) IS NULL" as SQL }.reduce("0" as SQL) { "\($0) OR \($1)" }
      let count: SQL = """
        SELECT count(*) FROM main.\(name) AS ours WHERE (\(hasNull)) AND EXISTS (SELECT 1
          FROM seed.\(name) AS theirs WHERE \(SQL.all(table.shared) { "theirs.\($0) IS ours.\($0)" }))
        """
      let inSeed = try connection.integer(
        "SELECT count(*) FROM seed.\(name) AS ours WHERE \(hasNull)" as SQL)
      guard inSeed > 0 else { continue }
      tables.append(
        Table(name: name, count: count, before: try connection.integer(count), inSeed: inSeed))
    }
  }

  mutating func didRun(
    _ script: Script, on connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact] {
    defer { tables = [] }
    var facts: [PlacedFact] = []
    for table in tables {
      let repeated = try connection.integer(table.count) - max(table.before, table.inSeed)
      guard repeated > 0 else { continue }
      facts.append(
        PlacedFact(.rowRepeated(table: table.name.shown, count: repeated), in: script, at: nil))
    }
    return facts
  }
}
