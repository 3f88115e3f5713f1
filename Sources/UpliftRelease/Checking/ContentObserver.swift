internal import Uplift
internal import UpliftSQLite

/// Looks at the rows that a script refreshes from the seed.
final class ContentObserver {
  /// The tables that scripts have refreshed from the seed.
  private(set) var refreshedTables: Set<Name>
  /// The tables whose rows scripts have written, and those that they have dropped.
  private(set) var writtenTables: Set<Name> = []

  private let userRows: UserRows
  private var repeatedRows = RepeatedRows()
  /// True if the upgrade starts from a seed that was released before.
  private let isOldSeed: Bool

  init(_ userRows: UserRows, _ scripts: ShippedScripts, isOldSeed: Bool) {
    (self.userRows, self.isOldSeed) = (userRows, isOldSeed)
    refreshedTables = scripts.readingSeed.reduce(into: []) {
      $0.formUnion($1.tablesOfStatements.intersection($1.tablesOfSeed))
    }
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let refreshed = try connection.refreshedTables(script)
    refreshedTables.formUnion(refreshed.map(\.name))
    try userRows.willRefresh(refreshed, on: connection)
    try repeatedRows.willRefresh(refreshed, on: connection)
  }

  func didRun(
    _ script: Script, _ actions: ScriptActions, on connection: borrowing Connection
  ) throws(SQLiteError) -> [Finding] {
    writtenTables.formUnion(actions.writtenTables.union(actions.droppedTables.keys))
    var findings = try userRows.didRun(script, actions, on: connection)
    findings += try repeatedRows.didRun(script, on: connection)
    if isOldSeed {
      for table in try connection.refreshedTables(script) {
        if let finding = try missedRows(of: table, script, connection) { findings.append(finding) }
      }
    }
    return findings
  }

  /// Rows of the seed that a script has not brought into an old seed.
  ///
  /// The script may leave out a column, for example one that a later release has added, or a trigger
  /// may change what the script has brought. An old seed has no values of users that the script should
  /// keep.
  private func missedRows(
    of table: RefreshedTable, _ script: Script, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Finding? {
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
    var count = 1
    while try rows.step() { count += 1 }
    let words =
      count == 1
      ? "a row of \(table.name.shown) differs from the seed or is missing"
      : "\(count) rows of \(table.name.shown) differ from the seed or are missing"
    return Finding(
      .rowMissed, in: script, "after the script, \(words): \(first.joined(separator: ", "))",
      fix: "add what the script leaves out, and leave out the columns that triggers keep (see New "
        + "content); nothing to do for a column that belongs to the user")
  }
}

/// Finds rows of the seed that a script inserts again, although the database has them.
///
/// A row with `NULL` in its primary key is equal to no other row, so a script inserts it each time.
private struct RepeatedRows {
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
  ) throws(SQLiteError) -> [Finding] {
    defer { tables = [] }
    var findings: [Finding] = []
    for table in tables {
      let count = try connection.integer(table.count) - max(table.before, table.inSeed)
      guard count > 0 else { continue }
      findings.append(
        Finding(
          .rowRepeated, in: script,
          (count == 1 ? "a row of the seed is" : "\(count) rows of the seed are")
            + " inserted into \(table.name.shown) again, because NULL in a primary key conflicts with "
            + "nothing",
          fix:
            "give these rows of the seed an identifier, and let the script delete the rows whose key "
            + "is NULL"))
    }
    return findings
  }
}
