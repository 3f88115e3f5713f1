internal import UpliftSQLite

/// Finds the orphans of one foreign key: the rows of a table whose foreign key leads nowhere.
///
/// "The parent key must be the primary key, or subject to a UNIQUE constraint or index"
/// (sqlite.org/foreignkeys.html, section 3). For any other parent key SQLite says "foreign key
/// mismatch" and checks no row. This query always checks the rows. If the parent has the columns,
/// it compares them, even if they are not a key. If the parent or a column is missing, every row
/// with a value is an orphan.
struct OrphanQuery {
  let table: Name
  let key: ForeignKey
  let parent: ParentKey
  private let reader: ColumnReader

  init(
    _ key: ForeignKey, of table: Name, _ reader: ColumnReader, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.table = table
    self.key = key
    self.reader = reader
    parent = try ParentKey(of: key, reader, connection)
  }

  /// True if there is at least one orphan.
  func hasOrphans(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    try connection.prepare("SELECT 1 FROM \(source) WHERE \(conditions) LIMIT 1" as SQL).step()
  }

  /// The number of orphans.
  func count(_ connection: borrowing Connection) throws(SQLiteError) -> Int {
    let row = try connection.prepare(
      "SELECT count(*) FROM \(source) WHERE \(conditions)" as SQL)
    return try row.step() ? Int(row.integer(0)) : 0
  }

  /// The row identifiers of the orphans; NULL in a table without row identifiers.
  func rows(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    return try connection.prepare("SELECT \(row) FROM \(source) WHERE \(conditions)" as SQL)
  }

  /// One row for all orphans with the same values in the columns of the foreign key.
  ///
  /// The columns of the result are those of the foreign key, the number of orphans, and the
  /// smallest and the largest row identifier.
  func groups(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    // With the child's own collation, values that differ for the parent could be merged. Without
    // `typeof`, 1 and 1.0 could be merged too, and they differ if the parent's column holds text.
    let values = from.map { "+\($0) COLLATE BINARY, typeof(\($0))" as SQL }
      .joined(separator: ", ")
    let columns = from.joined(separator: ", ")
    return try connection.prepare(
      """
      SELECT \(columns), count(*), min(\(row)), max(\(row)) FROM \(source)
      WHERE \(conditions) GROUP BY \(values)
      """ as SQL)
  }

  /// The row identifiers of the orphans with given values in the columns of the foreign key.
  ///
  /// The parameters are these values, then the smallest and the largest row identifier of the
  /// orphans that were there before the script. Rows outside of this range come first, because they
  /// are new.
  func rowsWithValues(_ connection: borrowing Connection) throws(SQLiteError) -> Statement {
    let row = try rowIdentifier(connection)
    let count = from.count
    let matches = from.indices.map {
      "+\(from[$0])\(parent.collateClause(of: $0)) = ?\($0 + 1)" as SQL
    }.joined(separator: " AND ")
    return try connection.prepare(
      """
      SELECT \(row) FROM \(source) WHERE \(conditions) AND \(matches)
      ORDER BY \(row) IN (?\(count + 1), ?\(count + 2)),
        \(row) BETWEEN ?\(count + 1) AND ?\(count + 2), 1
      """ as SQL)
  }

  private var from: [SQL] { key.from.map { "c.\($0)" } }

  /// The child, joined with the parent if the parent has the columns.
  ///
  /// A `+` removes the affinity and the collation of the child's column, because the parent's
  /// column decides how values are compared. It is a left join, because SQLite would open the
  /// parent again for each row of a `NOT EXISTS`.
  private var source: SQL {
    let child: SQL = "main.\(table) c"
    guard parent.hasColumns else { return child }
    let matches = zip(parent.columns.indices, from).map { index, child in
      "p.\(parent.columns[index].name)\(parent.collateClause(of: index)) = +\(child)" as SQL
    }
    return "\(child) LEFT JOIN main.\(key.parent) p ON \(matches.joined(separator: " AND "))"
  }

  private var conditions: SQL {
    var conditions = from.map { "\($0) IS NOT NULL" as SQL }
    if parent.hasColumns { conditions.append("p.\(parent.columns[0].name) IS NULL") }
    return conditions.joined(separator: " AND ")
  }

  /// A name of the row identifier that no column of the child has; `NULL` if there is none.
  private func rowIdentifier(_ connection: borrowing Connection) throws(SQLiteError) -> SQL {
    let taken = Set(try reader.columns(of: table, connection).map(\.name))
    let free = [Name("_rowid_"), Name("rowid"), Name("oid")].first { !taken.contains($0) }
    guard let free else { return "NULL" }
    do {
      // With the table's name, because double quotes alone may make it a string.
      _ = try connection.prepare("SELECT c.\(free) FROM main.\(table) c" as SQL)
      return "c.\(free)"
    } catch  where error.code == .error {
      // The table is WITHOUT ROWID.
      return "NULL"
    }
  }
}
