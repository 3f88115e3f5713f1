internal import UpliftSQLite

/// The tables of a database and their foreign keys, kept up to date after each statement of a
/// script.
///
/// At the end of a script, the names do not tell what the script did: it may have renamed a column
/// and renamed it back, or dropped a table and made it again. So each change of the schema is
/// recorded right after its statement, when it is still clear which table a name means. Each table
/// keeps the name that it had before the script, and each foreign key keeps its definition from
/// before the script.
///
/// At first, only the tables with foreign keys are read. Other tables are added when a statement
/// changes them.
struct FollowedTables {
  private var tables: [Name: FollowedTable] = [:]
  /// The tables with a foreign key that leads to a name.
  private var childrenOf: [Name: Set<Name>] = [:]
  /// The tables that the script has changed, by the names that they have now.
  private(set) var touched: Set<Name> = []
  /// The names that belonged to a table that the script dropped or renamed, with the statements
  /// that did so.
  private(set) var lostNames: [Name: TouchOrigin] = [:]
  private var removed = RemovedKeys()

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    // Every declaration of a foreign key contains the word REFERENCES.
    let rows = try connection.prepare(
      """
      SELECT name FROM main.sqlite_master
      WHERE type = 'table' AND instr(lower(sql), 'references') ORDER BY rowid
      """)
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let keys = try connection.foreignKeys(of: name)
      let followed = keys.map { FollowedTable.Key(now: $0, before: $0) }
      set(name, FollowedTable(nameBefore: name, keys: followed))
    }
  }

  /// Begins a script: the present tables become the tables from before the script.
  mutating func begin() {
    for name in touched {
      guard let table = tables[name] else { continue }
      let keys = table.keys.map { FollowedTable.Key(now: $0.now, before: $0.now) }
      tables[name] = keys.isEmpty ? nil : FollowedTable(nameBefore: name, keys: keys)
    }
    touched = []
    lostNames = [:]
    removed = RemovedKeys()
  }

  // The tables now.

  subscript(name: Name) -> FollowedTable {
    tables[name] ?? FollowedTable(nameBefore: name, keys: [])
  }

  /// The tables with foreign keys, and those that the script has changed.
  var names: Dictionary<Name, FollowedTable>.Keys { tables.keys }

  /// The tables with a foreign key that leads to this name.
  func children(of parent: Name) -> Set<Name> { childrenOf[parent] ?? [] }

  /// The names that foreign keys lead to, in no order, whether or not such a table exists.
  var parents: Dictionary<Name, Set<Name>>.Keys { childrenOf.keys }

  /// The foreign key from before the script that this one continues or replaces; nil if this one is
  /// new.
  ///
  /// No two foreign keys replace the same one: the caller passes the same `matched` for all of
  /// them.
  func original(
    of key: FollowedTable.Key, in name: Name, matched: inout Set<OldForeignKey>
  ) -> OldForeignKey? {
    guard let table = self[name].nameBefore else { return nil }
    if let before = key.before { return OldForeignKey(table: table, key: before) }
    let original = removed.key(
      replacedBy: key.now, parentBefore: tables[key.now.parent]?.nameBefore, of: table,
      matched: matched)
    if let original { matched.insert(original) }
    return original
  }

  /// True if the foreign keys are the same as in tables that were read just now.
  func haveSameKeys(as other: FollowedTables) -> Bool {
    Set(tables.keys).union(other.tables.keys).allSatisfy { name in
      self[name].keys.map(\.now) == other[name].keys.map(\.now)
    }
  }

  // Changes by a statement.

  /// Records a change to the rows of a table.
  mutating func addChange(_ change: Touch.Change, of name: Name, by origin: TouchOrigin) {
    modify(name) { $0.addChange(change, by: origin) }
  }

  /// Records that a table was made.
  mutating func create(
    _ name: Name, by origin: TouchOrigin, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let keys = try connection.foreignKeys(of: name)
    let followed = keys.map { FollowedTable.Key(now: $0, before: nil) }
    set(name, FollowedTable(nameBefore: nil, keys: followed, reshaped: origin))
    touched.insert(name)
    replaceRemovedTable(name)
    suspectKeys(to: name)
  }

  /// Records that a table was dropped.
  mutating func drop(_ name: Name, by origin: TouchOrigin) {
    let table = self[name]
    remove(name)
    if let nameBefore = table.nameBefore {
      removed.addTable(nameBefore, finalName: name, table.keys)
      replaceRemovedTable(nameBefore)
      replaceRemovedTable(name)
    }
    lostNames[name].add(origin)
    suspectKeys(to: name)
  }

  /// Records that a table was renamed.
  ///
  /// SQLite writes the new name into the foreign keys that lead to the table, except with `PRAGMA
  /// legacy_alter_table=ON`. A foreign key that led to the new name before, when no table had it,
  /// now leads to this table.
  mutating func rename(
    _ name: Name, to new: Name, by origin: TouchOrigin, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let table = self[name]
    let children = children(of: name).subtracting([name])
    suspectKeys(to: name)
    remove(name)
    set(new, table)
    touched.insert(new)
    lostNames[name].add(origin)
    try rereadKeys(of: new, connection)
    replaceRemovedTable(new)
    for child in children { try rereadKeys(of: child, connection) }
    modify(new) { $0.reshaped.add(origin) }
    suspectKeys(to: new)
  }

  /// Records that the columns of a table were changed.
  ///
  /// If the only change is a new column (`isNewColumn`), rows and keys stay as they were, and only
  /// a foreign key of the new column is suspect.
  mutating func alter(
    _ name: Name, isNewColumn: Bool, by origin: TouchOrigin, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    try rereadKeys(of: name, connection)
    if isNewColumn { return }
    for child in children(of: name).subtracting([name]) { try rereadKeys(of: child, connection) }
    modify(name) { $0.reshaped.add(origin) }
    suspectKeys(to: name)
  }

  /// Reads all tables again, after changes that were not followed.
  ///
  /// A table with the name of an earlier table is taken for the same table. Every foreign key is
  /// suspect.
  mutating func reread(_ connection: borrowing Connection) throws(SQLiteError) {
    var before = self
    self = try FollowedTables(connection)
    lostNames = before.lostNames
    for name in Array(before.tables.keys) where tables[name] == nil {
      before.drop(name, by: .several)
    }
    removed = before.removed
    for name in Array(tables.keys) {
      var left = before[name].keys
      let nameBefore = before[name].nameBefore
      modify(name) { table in
        table.nameBefore = nameBefore
        table.reshaped = .several
        for index in table.keys.indices {
          let match = left.firstIndex { $0.now == table.keys[index].now }
          table.keys[index].before = match.flatMap { left.remove(at: $0).before }
          table.keys[index].isSuspect = true
        }
      }
      if let nameBefore { removed.addKeys(left, of: nameBefore) }
    }
  }

  // Foreign keys after a change.

  /// Reads the foreign keys of a table again, after one statement.
  ///
  /// If their number is the same, they are the same foreign keys in the same order. If not, the
  /// statement added or dropped a column, and the other foreign keys have not changed.
  private mutating func rereadKeys(
    of name: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    var table = self[name]
    let before = table.keys
    let now = try connection.foreignKeys(of: name)
    if now.count == before.count {
      if now.elementsEqual(before, by: { $0 == $1.now }) { return }
      table.keys = zip(now, before).map { now, key in
        FollowedTable.Key(
          now: now, before: key.before, isSuspect: key.isSuspect || now != key.now)
      }
    } else {
      var left = before
      table.keys = now.map { key in
        guard let index = left.firstIndex(where: { $0.now == key }) else {
          return FollowedTable.Key(now: key, before: nil, isSuspect: true)
        }
        return left.remove(at: index)
      }
      if let nameBefore = table.nameBefore { removed.addKeys(left, of: nameBefore) }
    }
    remove(name)
    set(name, table)
    touched.insert(name)
  }

  /// If a new table replaces a dropped one, gives it the dropped table's history.
  private mutating func replaceRemovedTable(_ name: Name) {
    guard var table = tables[name], table.nameBefore == nil else { return }
    let keys = table.keys.map(\.now)
    var parentsBefore: [Name: Name] = [:]
    for key in keys { parentsBefore[key.parent] = tables[key.parent]?.nameBefore }
    let replaced = removed.takeTable(replacedBy: name, keys, parentsBefore: parentsBefore)
    guard let replaced else { return }
    // Another table may have been taken for the replacement until now.
    for (other, _) in tables.filter({ $0.value.nameBefore == replaced.name }) {
      modify(other) { $0.forgetHistory() }
    }
    table.nameBefore = replaced.name
    for index in table.keys.indices { table.keys[index].before = replaced.keys[index] }
    tables[name] = table
  }

  private mutating func suspectKeys(to parent: Name) {
    for child in children(of: parent) { modify(child) { $0.suspectKeys(to: parent) } }
  }

  // Tables by name.

  private mutating func set(_ name: Name, _ table: FollowedTable) {
    tables[name] = table
    for key in table.keys { childrenOf[key.now.parent, default: []].insert(name) }
  }

  private mutating func remove(_ name: Name) {
    guard let table = tables.removeValue(forKey: name) else { return }
    touched.remove(name)
    for key in table.keys { childrenOf[key.now.parent]?.remove(name) }
  }

  private mutating func modify(_ name: Name, _ change: (inout FollowedTable) -> Void) {
    change(&tables[name, default: FollowedTable(nameBefore: name, keys: [])])
    touched.insert(name)
  }
}
