internal import UpliftSQLite

/// The foreign keys that a script may have broken, by what it did to the tables at their ends.
///
/// A row put into a parent, a child's row deleted, a column updated that is no key: none of these
/// makes an orphan, and a script over a tiny table does not have to read the large one that refers
/// to it.
struct BreakableKeys {
  private let tables: FollowedTables
  private let checksAll: Bool
  /// True if the script, or what was in the schema while it ran, may replace rows.
  private let mayReplace: () -> Bool

  init(tables: FollowedTables, checksAll: Bool, mayReplace: @escaping () -> Bool) {
    self.tables = tables
    self.checksAll = checksAll
    self.mayReplace = mayReplace
  }

  /// The foreign keys that the script may have broken, in the order of their tables.
  func all(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [(Name, FollowedTables.Key)] {
    if checksAll {
      return tables.names.sorted().flatMap { name in tables[name].keys.map { (name, $0) } }
    }
    var suspects: [Name: Set<Int>] = [:]
    for name in tables.touched {
      for (index, key) in tables[name].keys.enumerated() {
        if try mayBreak(key, in: name, connection) { suspects[name, default: []].insert(index) }
      }
      for child in tables.children(of: name) {
        for (index, key) in tables[child].keys.enumerated() where key.now.parent == name {
          if try mayBreak(key, in: child, connection) { suspects[child, default: []].insert(index) }
        }
      }
    }
    // A virtual table writes into its own tables, and SQLite reports that only once: `f_content` for
    // `f`. Something may refer to them all the same.
    for parent in tables.parents where tables.touched.contains(where: parent.isShadow(of:)) {
      for child in tables.children(of: parent) {
        for (index, key) in tables[child].keys.enumerated() where key.now.parent == parent {
          suspects[child, default: []].insert(index)
        }
      }
    }
    return suspects.keys.sorted().flatMap { name in
      (suspects[name] ?? []).sorted().map { (name, tables[name].keys[$0]) }
    }
  }

  private func mayBreak(
    _ key: FollowedTables.Key, in name: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let child = tables[name]
    let parent = tables[key.now.parent]
    if key.isSuspect || child.reshaped != nil || parent.reshaped != nil { return true }
    if child.rows.inserted != nil || parent.rows.deleted != nil { return true }
    if try !updates(child.rows.updated, of: key.now.from, in: name, connection).isEmpty {
      return true
    }
    guard parent.rows.inserted != nil || !parent.rows.updated.isEmpty else { return false }
    // A row that gives way to another is deleted, and the authorizer is not told.
    if mayReplace() { return true }
    return try !parentUpdates(key.now, connection).isEmpty
  }

  private func parentUpdates(
    _ key: ForeignKey, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TouchOrigin] {
    let updated = tables[key.parent].rows.updated
    if updated.isEmpty { return [] }
    let columns = try key.to.isEmpty ? primaryKey(of: key.parent, connection) : key.to
    return try updates(updated, of: columns, in: key.parent, connection)
  }

  /// The updates of a column that counts, or that a generated column may be made of.
  private func updates(
    _ updated: [Name: TouchOrigin], of wanted: [Name], in table: Name,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TouchOrigin] {
    if updated.isEmpty { return [] }
    let direct = updated.filter { $0.key == Name("rowid") || wanted.contains($0.key) }
    if !direct.isEmpty { return Array(direct.values) }
    let isGenerated = try TableColumns(table, connection).all.contains(where: \.isGenerated)
    return isGenerated ? Array(updated.values) : []
  }

  private func primaryKey(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Name] {
    try TableColumns(table, connection).primaryKey
  }

  /// The statement that made an orphan, if only one can have done it.
  func origin(
    of query: OrphanQuery, _ connection: borrowing Connection
  ) throws(SQLiteError) -> TouchOrigin {
    let key = query.key
    let child = tables[query.table]
    let parent = tables[key.parent]
    var origins = [child.rows.inserted, parent.rows.deleted, tables.lost[key.parent]]
    // To make a table makes no orphan yet.
    if child.old != nil { origins.append(child.reshaped) }
    if parent.old != nil { origins.append(parent.reshaped) }
    if parent.rows.inserted != nil, mayReplace() { origins.append(parent.rows.inserted) }
    origins += try updates(child.rows.updated, of: key.from, in: query.table, connection)
    origins += try parentUpdates(key, connection)
    let known = origins.compactMap { $0 }
    guard let first = known.first else { return .several }
    return known.dropFirst().reduce(first) { $0.merged(with: $1) }
  }
}
