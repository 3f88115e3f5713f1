package import UpliftSQLite

/// The columns of the parent that a foreign key leads to.
package struct ParentKey {
  /// The columns in the order of the foreign key; empty if `hasColumns` is false.
  package let columns: [SchemaColumn]

  private let key: ForeignKey
  /// What the schema lacks; nil if the parent has all the columns.
  private let missing: UpgradeError.Violation.Fault?
  private let primaryKey: [Name]
  /// The collations of the primary key's index, if the foreign key leads to the primary key.
  ///
  /// For other columns the collation of their declaration counts.
  private let indexCollations: [Name: Name]

  /// True if the parent has the columns, whether or not they are a key.
  var hasColumns: Bool { missing == nil }

  package init(
    of key: ForeignKey, _ reader: ColumnReader, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.key = key
    guard try connection.hasTable(key.parent) else {
      columns = []
      missing = .noTable
      primaryKey = []
      indexCollations = [:]
      return
    }
    let all = try reader.columns(of: key.parent, connection)
    primaryKey = all.primaryKey
    let wanted = key.to.isEmpty ? primaryKey : key.to
    let found = wanted.compactMap { name in all.first { $0.name == name } }
    let fits = found.count == wanted.count && wanted.count == key.from.count
    columns = fits ? try Self.withoutStrictAny(found, of: key.parent, connection) : []
    missing = fits ? nil : .noColumns
    indexCollations =
      key.to.isEmpty ? try connection.collations(ofPrimaryKeyOf: key.parent) : [:]
  }

  /// The columns, with an empty type for an `ANY` that keeps each value as it is.
  ///
  /// "In a STRICT table, a column of type ANY always preserves the data exactly as it is received."
  /// In any other table the type means the affinity NUMERIC (sqlite.org/stricttables.html).
  private static func withoutStrictAny(
    _ columns: [SchemaColumn], of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [SchemaColumn] {
    guard columns.contains(where: { $0.type == Name("any") }) else { return columns }
    let row = try connection.prepare("PRAGMA main.table_list(\(table))" as SQL)
    let isStrict = try row.step() && row.integer(5) == 1
    return isStrict ? columns.map { $0.type == Name("any") ? $0.withoutType : $0 } : columns
  }

  /// A `COLLATE` clause, so that SQLite compares the column as the parent's key does.
  func collateClause(of index: Int) -> SQL {
    guard hasColumns, let collation = indexCollations[columns[index].name] else { return "" }
    return " COLLATE \(collation)"
  }

  /// The collation that a column of the parent is compared with; nil if `hasColumns` is false.
  func collation(of index: Int, _ connection: borrowing Connection) -> Name? {
    guard hasColumns else { return nil }
    let column = columns[index].name
    return indexCollations[column] ?? connection.collation(of: column, in: key.parent)
  }

  /// A parameter for each column, which SQLite compares with the columns of a child as it compares
  /// the parent's own value.
  ///
  /// The value has the affinity and the declared collation of the parent's column
  /// (sqlite.org/foreignkeys.html); a row identifier has no collation. So an index of the child may
  /// not serve the reference, because it has another collation, or its column has no type.
  package func parameters(_ connection: borrowing Connection) throws(SQLiteError) -> [SQL] {
    let hasIndex = try !connection.collations(ofPrimaryKeyOf: key.parent).isEmpty
    return columns.map { column in
      let value: SQL = column.type.bytes.isEmpty ? "?" : "CAST(? AS \(column.type))"
      let isRowIdentifier =
        primaryKey == [column.name] && column.type == Name("integer") && !hasIndex
      guard !isRowIdentifier, let collation = connection.collation(of: column.name, in: key.parent)
      else { return value }
      return "\(value) COLLATE \(collation)"
    }
  }

  /// The reason why SQLite could not enforce the foreign key; nil if it could.
  package func fault(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> UpgradeError.Violation.Fault? {
    if let missing { return missing }
    return try isUnique(connection) ? nil : .noKey
  }

  /// True if the columns are the primary key, or the columns of a unique index on all rows.
  private func isUnique(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    if key.to.isEmpty { return true }
    let wanted = Set(columns.map(\.name))
    let indexes = try connection.prepare("PRAGMA main.index_list(\(key.parent))" as SQL)
    var hasPrimaryIndex = false
    while try indexes.step() {
      if indexes.text(3) == "pk" { hasPrimaryIndex = true }
      let (isUnique, isPartial) = (indexes.integer(2) == 1, indexes.integer(4) == 1)
      guard isUnique, !isPartial, let index = indexes.name(1) else { continue }
      let collations = try connection.collations(of: index)
      // The index must compare as the columns were declared.
      let isAlike = collations.allSatisfy { column, collation in
        connection.collation(of: column, in: key.parent) == collation
      }
      if isAlike, Set(collations.keys) == wanted { return true }
    }
    return !hasPrimaryIndex && wanted == Set(primaryKey)
  }
}
