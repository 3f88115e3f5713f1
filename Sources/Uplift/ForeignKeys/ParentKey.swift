internal import UpliftSQLite

/// The columns that a foreign key leads to.
struct ParentKey {
  struct Column {
    let name: Name
    /// The declared type; empty for an `ANY` that keeps each value as it is.
    let type: Name
    /// The collation of the primary key's index, if the key means the primary key; nil for the
    /// column's own.
    let collation: Name?
  }

  /// Why no row can be referred to.
  enum Fault { case noTable, noColumns }

  /// In the order of the foreign key; empty if there is a fault.
  let columns: [Column]
  let fault: Fault?

  var isThere: Bool { fault == nil }

  init(of key: ForeignKey, _ connection: borrowing Connection) throws(SQLiteError) {
    guard try connection.hasTable(key.parent) else {
      columns = []
      fault = .noTable
      return
    }
    let table = try TableColumns(key.parent, connection)
    let wanted = key.to.isEmpty ? table.primaryKey : key.to
    let collations =
      key.to.isEmpty ? try Self.collations(ofPrimaryKeyOf: key.parent, connection) : [:]
    var columns: [Column] = []
    for name in wanted {
      guard let column = table.all.first(where: { $0.name == name }) else { break }
      let isAny = column.type == Name("any")
      let keepsAny = isAny ? try Self.isStrict(key.parent, connection) : false
      columns.append(
        Column(
          name: name, type: keepsAny ? Name("") : column.type, collation: collations[name]))
    }
    let fits = columns.count == wanted.count && wanted.count == key.from.count
    self.columns = fits ? columns : []
    fault = fits ? nil : .noColumns
  }

  /// What follows a column of the parent to compare it as its key does.
  func comparison(of index: Int) -> SQL {
    guard isThere, let collation = columns[index].collation else { return "" }
    return " COLLATE \(collation)"
  }

  /// The collation that the key is compared with; nil if there is nothing to compare.
  func collation(
    of index: Int, _ key: ForeignKey, _ connection: borrowing Connection
  ) -> Name? {
    guard isThere else { return nil }
    return columns[index].collation
      ?? connection.collation(of: columns[index].name, in: key.parent)
  }

  /// "In a STRICT table, a column of type ANY always preserves the data exactly as it is received";
  /// in any other table the type means the affinity NUMERIC (sqlite.org/stricttables.html).
  private static func isStrict(
    _ table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let row = try connection.prepare("PRAGMA main.table_list(\(table))" as SQL)
    return try row.step() && row.integer(5) == 1
  }

  /// An `INTEGER PRIMARY KEY` is the row's identifier and has no index.
  private static func collations(
    ofPrimaryKeyOf table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Name: Name] {
    let indexes = try connection.prepare("PRAGMA main.index_list(\(table))" as SQL)
    var collations: [Name: Name] = [:]
    while try indexes.step() {
      guard indexes.text(3) == "pk", let index = indexes.name(1) else { continue }
      let columns = try connection.prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
      while try columns.step() {
        guard columns.integer(5) == 1, let name = columns.name(2) else { continue }
        collations[name] = columns.name(4)
      }
    }
    return collations
  }

  /// True if SQLite would enforce the foreign key, and not say "foreign key mismatch".
  func isKey(
    _ key: ForeignKey, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    guard isThere else { return false }
    if key.to.isEmpty { return true }
    let wanted = Set(columns.map(\.name))
    let table = try TableColumns(key.parent, connection)
    let indexes = try connection.prepare("PRAGMA main.index_list(\(key.parent))" as SQL)
    var hasPrimaryIndex = false
    while try indexes.step() {
      if indexes.text(3) == "pk" { hasPrimaryIndex = true }
      guard indexes.integer(2) == 1, indexes.integer(4) == 0, let index = indexes.name(1) else {
        continue
      }
      var named: Set<Name> = []
      let columns = try connection.prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
      while try columns.step() {
        if columns.integer(5) == 1, let name = columns.name(2) { named.insert(name) }
      }
      if named == wanted { return true }
    }
    return !hasPrimaryIndex && wanted == Set(table.primaryKey)
  }
}
