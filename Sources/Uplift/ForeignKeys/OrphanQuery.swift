internal import UpliftSQLite

/// Finds the rows of a table whose foreign key leads to no row: its orphans.
///
/// "The parent key must be the primary key, or subject to a UNIQUE constraint or index"
/// (sqlite.org/foreignkeys.html, section 3). To anything else SQLite says "foreign key mismatch" and
/// looks at no row. Here rows count, and only rows: if the parent has the columns, they are compared,
/// key or not; if there is no such parent or column, every row with a value is an orphan.
struct OrphanQuery {
  let table: Name
  let key: ForeignKey
  let parent: ParentKey

  init(
    _ key: ForeignKey, of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.table = table
    self.key = key
    parent = try ParentKey(of: key, connection)
  }

  /// True if there is an orphan.
  func hasOrphans(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    try connection.prepare("SELECT 1 FROM \(source) WHERE \(conditions) LIMIT 1" as SQL).step()
  }

  func count(_ connection: borrowing Connection) throws(SQLiteError) -> Int {
    let row = try connection.prepare(
      "SELECT count(*) FROM \(source) WHERE \(conditions)" as SQL)
    return try row.step() ? Int(row.integer(0)) : 0
  }

  /// The orphans by what they refer to: a column for each of the key's, the number of rows, the
  /// smallest and the largest row identifier.
  func groups(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    // The child's own collation would put keys together that the parent tells apart, and so would
    // 1 and 1.0, which differ where the parent holds text.
    let values = from.map { "+\($0) COLLATE BINARY, typeof(\($0))" as SQL }
      .joined(separator: ", ")
    let columns = from.joined(separator: ", ")
    return try connection.prepare(
      """
      SELECT \(columns), count(*), min(\(row)), max(\(row)) FROM \(source)
      WHERE \(conditions) GROUP BY \(values)
      """ as SQL)
  }

  /// The row identifiers of the orphans; NULL in a table without them.
  func rows(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    return try connection.prepare("SELECT \(row) FROM \(source) WHERE \(conditions)" as SQL)
  }

  /// The row identifiers of the orphans that refer to one key, whose values are bound: first those
  /// outside the range of the two identifiers that are bound after it, then those inside.
  func rowsOfOneKey(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    let count = from.count
    let matches = from.indices.map {
      let collation = parent.comparison(of: $0)
      return "+\(from[$0])\(collation) = ?\($0 + 1)" as SQL
    }.joined(separator: " AND ")
    return try connection.prepare(
      """
      SELECT \(row) FROM \(source) WHERE \(conditions) AND \(matches)
      ORDER BY \(row) IN (?\(count + 1), ?\(count + 2)),
        \(row) BETWEEN ?\(count + 1) AND ?\(count + 2), 1
      """ as SQL)
  }

  private var from: [SQL] { key.from.map { "c.\($0)" } }

  /// A `+` takes the child's affinity away, because the parent's counts, and its collation.
  ///
  /// A left join, because for `NOT EXISTS` SQLite would open the parent again for each row.
  private var source: SQL {
    let child: SQL = "main.\(table) c"
    guard parent.isThere else { return child }
    let matches = zip(parent.columns.indices, from).map { index, child in
      "p.\(parent.columns[index].name)\(parent.comparison(of: index)) = +\(child)" as SQL
    }
    return "\(child) LEFT JOIN main.\(key.parent) p ON \(matches.joined(separator: " AND "))"
  }

  private var conditions: SQL {
    var conditions = from.map { "\($0) IS NOT NULL" as SQL }
    if parent.isThere { conditions.append("p.\(parent.columns[0].name) IS NULL") }
    return conditions.joined(separator: " AND ")
  }

  /// A name of the row identifier that no column has taken.
  private func rowIdentifier(_ connection: borrowing Connection) throws(SQLiteError) -> SQL {
    let taken = Set(try TableColumns(table, connection).all.map(\.name))
    let free = [Name("_rowid_"), Name("rowid"), Name("oid")].first { !taken.contains($0) }
    guard let free else { return "NULL" }
    do {
      // With the table's name, because double quotes alone may make it a string.
      _ = try connection.prepare("SELECT c.\(free) FROM main.\(table) c" as SQL)
      return "c.\(free)"
    } catch  where error.code == .error {
      // A table WITHOUT ROWID.
      return "NULL"
    }
  }
}
