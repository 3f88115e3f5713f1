internal import Uplift
internal import UpliftSQLite

/// The columns of the parent that a foreign key leads to.
struct ParentKey {
  private let key: ForeignKey
  /// The columns in the order of the foreign key; empty if the parent lacks one.
  private let columns: [SchemaColumn]
  /// What the schema lacks; nil if the parent has all the columns.
  private let missing: UpgradeError.Orphan.Fault?
  private let primaryKey: [Name]

  init(of key: ForeignKey, _ connection: borrowing Connection) throws(SQLiteError) {
    self.key = key
    guard try connection.hasTable(key.parent) else {
      (columns, missing, primaryKey) = ([], .noTable, [])
      return
    }
    let all = try connection.columns(of: key.parent)
    primaryKey = all.primaryKey
    let wanted = key.to.isEmpty ? primaryKey : key.to
    let found = wanted.compactMap { name in all.first { $0.name == name } }
    let fits = found.count == wanted.count && wanted.count == key.from.count
    columns = fits ? found : []
    missing = fits ? nil : .noColumns
  }

  /// The reason why SQLite could not enforce the foreign key; nil if it could.
  func fault(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> UpgradeError.Orphan.Fault? {
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
      let collations = try Self.collations(of: index, connection)
      // The index must compare as the columns were declared.
      let isAlike = collations.allSatisfy { column, collation in
        connection.collation(of: column, in: key.parent) == collation
      }
      if isAlike, Set(collations.keys) == wanted { return true }
    }
    return !hasPrimaryIndex && wanted == Set(primaryKey)
  }

  /// The columns by which an index is sorted, with their collations.
  private static func collations(
    of index: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Name: Name] {
    let columns = try connection.prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
    var collations: [Name: Name] = [:]
    while try columns.step() {
      let isKeyColumn = columns.integer(5) == 1
      guard isKeyColumn, let name = columns.name(2) else { continue }
      collations[name] = columns.name(4)
    }
    return collations
  }
}
