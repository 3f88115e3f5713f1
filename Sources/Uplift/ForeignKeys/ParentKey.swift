internal import UpliftSQLite

/// What a reference refers to: "the parent key must be the primary key, or subject to a UNIQUE
/// constraint or index that uses the collations of the parent table"; to anything else SQLite
/// says "foreign key mismatch" (sqlite.org/foreignkeys.html, section 3).
struct ParentKey {
  struct Column {
    let name: String
    /// Nil where the table's own is meant.
    let collation: String?
  }

  /// In the order of the reference; empty where there is no parent.
  let columns: [Column]
  /// True where there is no parent as well: then every row of the child is an orphan.
  let isKey: Bool
  /// True when the columns are there, whether they are a key or not.
  let canBeCompared: Bool

  init(of reference: Reference, _ connection: borrowing Connection) throws(SQLiteError) {
    let parent = reference.parent
    let table = try connection.rows(
      "SELECT name, pk FROM pragma_table_xinfo(?1, 'main') ORDER BY pk", parent)
    let primary = table.filter { $0.number(1) > 0 }.map { $0.text(0) }
    let wanted = reference.to.isEmpty ? primary : reference.to
    let names = Set(table.map { $0.text(0).folded })
    let fits = wanted.count == reference.from.count && names.isSuperset(of: wanted.map(\.folded))
    let key =
      if fits {
        try Self.key(wanted, primary: primary, isImplicit: reference.to.isEmpty, parent, connection)
      } else {
        nil as [Column]?
      }
    canBeCompared = fits
    isKey = table.isEmpty || key != nil
    columns = table.isEmpty ? [] : key ?? wanted.map { Column(name: $0, collation: nil) }
  }

  private static func key(
    _ wanted: [String], primary: [String], isImplicit: Bool, _ parent: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Column]? {
    let indexes = try connection.rows(
      #"SELECT name, origin FROM pragma_index_list(?1, 'main') WHERE "unique" AND NOT partial"#,
      parent)
    // An INTEGER PRIMARY KEY is the row's identifier and has no index.
    let isRowid = primary.count == 1 && !indexes.contains { $0.text(1) == "pk" }
    if isRowid, wanted.map(\.folded) == primary.map(\.folded) {
      return [Column(name: wanted[0], collation: nil)]
    }
    for index in indexes where !isImplicit || index.text(1) == "pk" {
      let columns = try connection.rows(
        "SELECT name, coll, cid FROM pragma_index_xinfo(?1, 'main') WHERE key", index.text(0))
      guard columns.count == wanted.count, columns.allSatisfy({ $0.number(2) >= 0 }) else {
        continue
      }
      var collations: [String: String] = [:]
      for column in columns { collations[column.text(0).folded] = column.text(1) }
      var key: [Column] = []
      for name in wanted {
        guard let collation = collations.removeValue(forKey: name.folded) else { break }
        let own = try isImplicit ? collation : connection.collation(of: name, in: parent)
        guard own.folded == collation.folded else { break }
        key.append(Column(name: name, collation: collation))
      }
      if key.count == wanted.count { return key }
    }
    return nil
  }
}
