internal import UpliftSQLite

/// The foreign keys that a script may have broken, judged by its changes to the tables at their
/// ends.
///
/// A script makes no orphan by inserting rows into a parent, by deleting rows of a child, or by
/// updating columns that belong to no key. So after a script that changes a tiny table, the check
/// need not read the large table that refers to it.
struct BreakableKeys {
  let tables: FollowedTables
  private let checksAll: Bool
  private let replacement: RowReplacement
  private let reader: ColumnReader

  init(
    _ tables: FollowedTables, checksAll: Bool, _ replacement: RowReplacement, _ reader: ColumnReader
  ) {
    self.tables = tables
    self.checksAll = checksAll
    self.replacement = replacement
    self.reader = reader
  }

  /// The foreign keys that the script may have broken, in the order of their tables.
  func all(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [(table: Name, key: FollowedTable.Key)] {
    if checksAll {
      return tables.names.sorted().flatMap { name in tables[name].keys.map { (name, $0) } }
    }
    var breakable: [Name: Set<Int>] = [:]
    for name in tables.touched {
      for (index, key) in tables[name].keys.enumerated() {
        if try mayBreak(key, of: name, connection) { breakable[name, default: []].insert(index) }
      }
      for child in tables.children(of: name) {
        for (index, key) in tables[child].keys.enumerated() where key.now.parent == name {
          if try mayBreak(key, of: child, connection) {
            breakable[child, default: []].insert(index)
          }
        }
      }
    }
    // A virtual table `f` writes into its own tables, such as `f_content`. SQLite does not report
    // each of these changes, but a foreign key may lead to these tables.
    for parent in tables.parents {
      if try OwnTables.owner(of: parent, among: tables.touched, connection) == nil { continue }
      for child in tables.children(of: parent) {
        for (index, key) in tables[child].keys.enumerated() where key.now.parent == parent {
          breakable[child, default: []].insert(index)
        }
      }
    }
    return breakable.keys.sorted().flatMap { name in
      (breakable[name] ?? []).sorted().map { (name, tables[name].keys[$0]) }
    }
  }

  private func mayBreak(
    _ key: FollowedTable.Key, of name: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let child = tables[name]
    let parent = tables[key.now.parent]
    if key.isSuspect || child.reshaped != nil || parent.reshaped != nil { return true }
    if child.rows.inserted != nil || parent.rows.deleted != nil { return true }
    if try !updates(of: key.now.from, in: name, connection).isEmpty { return true }
    guard parent.rows.inserted != nil || !parent.rows.updated.isEmpty else { return false }
    // The new row may have replaced another one.
    if replacement.isPossible { return true }
    return try !updatesOfParent(key.now, connection).isEmpty
  }

  /// The statements that updated the columns of the parent that a foreign key leads to.
  private func updatesOfParent(
    _ key: ForeignKey, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TouchOrigin] {
    if tables[key.parent].rows.updated.isEmpty { return [] }
    let columns =
      key.to.isEmpty ? try reader.columns(of: key.parent, connection).primaryKey : key.to
    return try updates(of: columns, in: key.parent, connection)
  }

  /// The statements that updated these columns, or columns that they may be generated from.
  private func updates(
    of columns: [Name], in table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TouchOrigin] {
    let updated = tables[table].rows.updated
    if updated.isEmpty { return [] }
    let direct = updated.filter { $0.key == Name("rowid") || columns.contains($0.key) }
    if !direct.isEmpty { return Array(direct.values) }
    let hasGenerated = try reader.columns(of: table, connection).contains(where: \.isGenerated)
    return hasGenerated ? Array(updated.values) : []
  }

  /// The statement that made the orphans of a foreign key, or `several` if more than one may have.
  func origin(
    of key: ForeignKey, in table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> TouchOrigin {
    let child = tables[table]
    let parent = tables[key.parent]
    var origins = [child.rows.inserted, parent.rows.deleted, tables.lostNames[key.parent]]
    // A statement that makes a table makes no orphan, because the table is still empty.
    if child.nameBefore != nil { origins.append(child.reshaped) }
    if parent.nameBefore != nil { origins.append(parent.reshaped) }
    if parent.rows.inserted != nil, replacement.isPossible { origins.append(parent.rows.inserted) }
    origins += try updates(of: key.from, in: table, connection)
    origins += try updatesOfParent(key, connection)
    let known = origins.compactMap { $0 }
    guard let first = known.first else { return .several }
    return known.dropFirst().reduce(first) { $0.merged(with: $1) }
  }
}
