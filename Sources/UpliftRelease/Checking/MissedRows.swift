internal import Uplift
internal import UpliftSQLite

/// Rows of the seed that a script has not brought into an old seed.
///
/// The script may leave out a column, for example one that a later release has added, or a trigger may
/// change what the script has brought. An old seed has no values of users that the script should keep.
enum MissedRows {
  static func facts(
    after script: Script, on connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact] {
    var facts: [PlacedFact] = []
    for table in try connection.refreshedTables(script) {
      guard let fact = try fact(table, connection) else { continue }
      facts.append(PlacedFact(fact, in: script, at: nil))
    }
    return facts
  }

  private static func fact(
    _ table: RefreshedTable, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Fact? {
    let rows = try connection.prepare(
      """
      SELECT \(SQL.list(table.key.map(\.name)) { "theirs.\($0)" })
      FROM seed.\(table.name) AS theirs WHERE NOT EXISTS (SELECT 1 FROM main.\(table.name) AS ours
        WHERE \(table.hasSameKey) AND \(table.hasSameValues))
      """ as SQL)
    guard try rows.step() else { return nil }
    let first = table.key.indices.map { index in
      "\(table.key[index].name.shown) \(rows.value(index).shown)"
    }
    var count: Int64 = 1
    while try rows.step() { count += 1 }
    return .rowMissed(
      table: table.name.shown, row: first.joined(separator: ", "), count: count)
  }
}
