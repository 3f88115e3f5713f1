internal import UpliftSQLite

/// The tables of a database and their foreign keys, followed from one statement to the next.
///
/// At the end of a script, names alone no longer say what was done: a column may have been renamed
/// and renamed back, a table dropped and made again. So each change of the schema is taken in right
/// after the statement that made it, while it is still clear which table a name means. A table keeps
/// the name that it had before the script, and a foreign key what it was then.
///
/// Only tables with foreign keys are read in the beginning. Others get an entry when a statement
/// touches them.
struct FollowedTables {
  struct Table {
    /// The name before the script; nil for a table that the script made.
    var old: Name?
    var keys: [Key]
    var rows = RowChanges()
    /// The statements that altered the table so that all of it has to be checked.
    var reshaped: TouchOrigin?
  }

  struct Key {
    var now: ForeignKey
    /// The key before the script; nil for one that the script made.
    var old: ForeignKey?
    /// True if a table at either end is not the one that it was.
    var isSuspect = false
  }

  /// Changes to the rows of one table, with the statements that made them.
  struct RowChanges {
    var inserted: TouchOrigin?
    var deleted: TouchOrigin?
    var updated: [Name: TouchOrigin] = [:]
  }

  /// A table that was dropped: its name before the script, and its last one.
  private struct Gone {
    let old: Name
    let last: Name
    let keys: [GoneKey]
  }

  private struct GoneKey {
    let old: ForeignKey
    let last: ForeignKey
  }

  private var tables: [Name: Table] = [:]
  private var childrenOf: [Name: Set<Name>] = [:]
  /// The tables that the script has touched, by the names that they have now.
  private(set) var touched: Set<Name> = []
  /// The names that a table had and lost during the script, and the statements that did it.
  private(set) var lost: [Name: TouchOrigin] = [:]
  /// The tables that the script dropped, as long as no other has taken their place.
  private var gone: [Gone] = []
  /// The foreign keys that went with a column, by the table's name before the script.
  private var goneKeys: [Name: [GoneKey]] = [:]

  /// True if a table or a trigger may replace rows: then the word is in the text that made it.
  let mayReplace: Bool

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    mayReplace =
      try connection.integer(
        """
        SELECT EXISTS (SELECT 1 FROM main.sqlite_master
          WHERE type IN ('table', 'trigger') AND instr(lower(sql), 'replace'))
        """) == 1
    // A foreign key cannot be declared without the word.
    let rows = try connection.prepare(
      """
      SELECT name FROM main.sqlite_master
      WHERE type = 'table' AND instr(lower(sql), 'references') ORDER BY rowid
      """)
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let keys = try connection.foreignKeys(of: name)
      set(name, Table(old: name, keys: keys.map { Key(now: $0, old: $0) }))
    }
  }

  /// Makes the present state the one before the next script.
  mutating func begin() {
    for name in touched {
      guard let table = tables[name] else { continue }
      tables[name] =
        table.keys.isEmpty
        ? nil : Table(old: name, keys: table.keys.map { Key(now: $0.now, old: $0.now) })
    }
    touched = []
    lost = [:]
    gone = []
    goneKeys = [:]
  }

  subscript(name: Name) -> Table { tables[name] ?? Table(old: name, keys: []) }

  /// All tables with foreign keys, and those that were touched.
  var names: Dictionary<Name, Table>.Keys { tables.keys }

  /// The tables whose foreign keys lead to this name.
  func children(of parent: Name) -> Set<Name> { childrenOf[parent] ?? [] }

  /// The names that foreign keys lead to, in no order.
  var parents: Dictionary<Name, Set<Name>>.Keys { childrenOf.keys }

  // What statements do to rows.

  mutating func note(_ change: Touch.Change, of name: Name, by origin: TouchOrigin) {
    func merged(_ known: TouchOrigin?) -> TouchOrigin { known?.merged(with: origin) ?? origin }
    modify(name) { table in
      switch change {
      case .insert: table.rows.inserted = merged(table.rows.inserted)
      case .delete: table.rows.deleted = merged(table.rows.deleted)
      case .update(let column): table.rows.updated[column] = merged(table.rows.updated[column])
      case .alter: table.reshaped = merged(table.reshaped)
      case .create, .drop: break
      }
    }
  }

  // What statements do to the schema.

  /// Takes in a table that was made just now.
  mutating func create(_ name: Name, _ keys: [ForeignKey], by origin: TouchOrigin) {
    set(name, Table(old: nil, keys: keys.map { Key(now: $0, old: nil) }, reshaped: origin))
    touched.insert(name)
    replaceGone(name)
    suspectKeys(to: name)
  }

  /// Takes in that a table was dropped.
  mutating func drop(_ name: Name, by origin: TouchOrigin) {
    let table = self[name]
    remove(name)
    if let old = table.old {
      gone.append(Gone(old: old, last: name, keys: Self.goneKeys(table.keys)))
      replaceGone(old)
      replaceGone(name)
    }
    lost[name] = lost[name]?.merged(with: origin) ?? origin
    suspectKeys(to: name)
  }

  private static func goneKeys(_ keys: [Key]) -> [GoneKey] {
    keys.compactMap { key in key.old.map { GoneKey(old: $0, last: key.now) } }
  }

  /// Takes a table that the script made for one of the same name that it dropped.
  ///
  /// Then the table was rebuilt, and its foreign keys are the old ones if they have the same columns
  /// and the same parent.
  private mutating func replaceGone(_ name: Name) {
    guard var table = tables[name], table.old == nil,
      let index = gone.lastIndex(where: { $0.last == name })
        ?? gone.lastIndex(where: { $0.old == name })
    else { return }
    let replaced = gone[index]
    var left = replaced.keys
    for index in table.keys.indices {
      table.keys[index].old = takeOldKey(of: table.keys[index].now, from: &left)
    }
    // Another table that only has the name.
    if left.count == replaced.keys.count { return }
    gone.remove(at: index)
    table.old = replaced.old
    tables[name] = table
    goneKeys[replaced.old, default: []] += left
  }

  /// The old foreign key that one with the same columns and the same parent stands for; the parent
  /// may have been renamed.
  private func takeOldKey(of key: ForeignKey, from left: inout [GoneKey]) -> ForeignKey? {
    let parentBefore = tables[key.parent]?.old
    let index = left.firstIndex { gone in
      [gone.old.from, gone.last.from].contains(key.from)
        && [gone.last.parent, gone.old.parent].contains { $0 == key.parent || $0 == parentBefore }
    }
    return index.map { left.remove(at: $0).old }
  }

  /// The foreign key before the script that a key is, or has taken the place of.
  func original(of key: Key, in name: Name, taken: inout Set<OldForeignKey>) -> OldForeignKey? {
    guard let table = self[name].old else { return nil }
    if let old = key.old { return OldForeignKey(table: table, key: old) }
    // A column that was dropped and made again.
    var left = (goneKeys[table] ?? []).filter {
      !taken.contains(OldForeignKey(table: table, key: $0.old))
    }
    guard let old = takeOldKey(of: key.now, from: &left) else { return nil }
    taken.insert(OldForeignKey(table: table, key: old))
    return OldForeignKey(table: table, key: old)
  }

  /// Takes in another name; `keysOf` reads the foreign keys of a table as they are now.
  ///
  /// SQLite writes the new name into the foreign keys that lead to the table, unless it was told
  /// otherwise. A key that led to the new name before, and found nothing, leads to the table now.
  mutating func rename(
    _ name: Name, to new: Name, by origin: TouchOrigin,
    keysOf: (Name) throws(SQLiteError) -> [ForeignKey]
  ) throws(SQLiteError) {
    let table = self[name]
    let children = children(of: name).subtracting([name])
    suspectKeys(to: name)
    remove(name)
    set(new, table)
    touched.insert(new)
    lost[name] = lost[name]?.merged(with: origin) ?? origin
    replaceGone(new)
    try reread(new, keysOf)
    for child in children { try reread(child, keysOf) }
    note(.alter, of: new, by: origin)
    suspectKeys(to: new)
  }

  /// Takes in what a statement did to the columns of a table that has kept its name.
  ///
  /// `isNewColumn` is true for a column more, which changes nothing that was there: only a foreign
  /// key that came with it is suspect.
  mutating func alter(
    _ name: Name, isNewColumn: Bool, by origin: TouchOrigin,
    keysOf: (Name) throws(SQLiteError) -> [ForeignKey]
  ) throws(SQLiteError) {
    try reread(name, keysOf)
    if isNewColumn { return }
    for child in children(of: name).subtracting([name]) { try reread(child, keysOf) }
    note(.alter, of: name, by: origin)
    suspectKeys(to: name)
  }

  /// Reads the foreign keys of a table again, after one statement.
  ///
  /// As many as before are the same ones, in the same order. If there are more or less of them, a
  /// column came or went, and the others have not changed.
  private mutating func reread(
    _ name: Name, _ keysOf: (Name) throws(SQLiteError) -> [ForeignKey]
  ) throws(SQLiteError) {
    var table = self[name]
    let before = table.keys
    let now = try keysOf(name)
    if now.count == before.count {
      if now.elementsEqual(before, by: { $0 == $1.now }) { return }
      table.keys = zip(now, before).map { now, before in
        Key(now: now, old: before.old, isSuspect: before.isSuspect || now != before.now)
      }
    } else {
      var left = before
      table.keys = now.map { key in
        guard let index = left.firstIndex(where: { $0.now == key }) else {
          return Key(now: key, old: nil, isSuspect: true)
        }
        return left.remove(at: index)
      }
      if let old = table.old { goneKeys[old, default: []] += Self.goneKeys(left) }
    }
    remove(name)
    set(name, table)
    touched.insert(name)
  }

  /// True if the foreign keys are those that were followed.
  func areStill(_ now: FollowedTables) -> Bool {
    Set(tables.keys).union(now.tables.keys).allSatisfy { name in
      self[name].keys.map(\.now) == now[name].keys.map(\.now)
    }
  }

  /// Takes the tables as they are now, after changes that were not followed.
  ///
  /// A table is the one that it was if it has its name. Everything has to be checked.
  mutating func reread(_ connection: borrowing Connection) throws(SQLiteError) {
    var before = self
    self = try FollowedTables(connection)
    lost = before.lost
    for name in Array(before.tables.keys) where tables[name] == nil {
      before.drop(name, by: .several)
    }
    gone = before.gone
    goneKeys = before.goneKeys
    for name in Array(tables.keys) {
      var left = before[name].keys
      let old = before[name].old
      modify(name) { table in
        table.old = old
        table.reshaped = .several
        for index in table.keys.indices {
          let match = left.firstIndex { $0.now == table.keys[index].now }
          table.keys[index].old = match.flatMap { left.remove(at: $0).old }
          table.keys[index].isSuspect = true
        }
      }
      if let old { goneKeys[old, default: []] += Self.goneKeys(left) }
    }
  }

  // The two ends of a key.

  private mutating func set(_ name: Name, _ table: Table) {
    tables[name] = table
    for key in table.keys { childrenOf[key.now.parent, default: []].insert(name) }
  }

  private mutating func remove(_ name: Name) {
    guard let table = tables.removeValue(forKey: name) else { return }
    touched.remove(name)
    for key in table.keys { childrenOf[key.now.parent]?.remove(name) }
  }

  private mutating func modify(_ name: Name, _ body: (inout Table) -> Void) {
    body(&tables[name, default: Table(old: name, keys: [])])
    touched.insert(name)
  }

  private mutating func suspectKeys(to parent: Name) {
    for child in children(of: parent) {
      modify(child) { table in
        for index in table.keys.indices where table.keys[index].now.parent == parent {
          table.keys[index].isSuspect = true
        }
      }
    }
  }
}
