internal import UpliftSQLite

/// Counts the orphans of each foreign key once, before a script touches them.
struct OrphanCounter {
  private let deadline: Deadline
  private var counting = OrphanCheck.Counting.none
  /// The counts; nil before the first foreign key is counted.
  private var counts: OldOrphans?
  /// The foreign keys that are not counted any more: SQLite's own statements have changed their
  /// tables, so a count would take new orphans for old ones.
  private var excluded: Set<OldForeignKey> = []

  init(_ deadline: Deadline) {
    self.deadline = deadline
  }

  /// Begins a script, and forgets the counts of the script before.
  mutating func begin(_ counting: OrphanCheck.Counting) {
    self.counting = counting
    counts = nil
    excluded = []
  }

  /// True if old orphans are counted for at least some foreign keys.
  var isCounting: Bool { if case .none = counting { false } else { true } }

  /// True if the old orphans of all foreign keys are counted before the script touches them.
  var countsAll: Bool { if case .all = counting { true } else { false } }

  /// The counts that include a foreign key; nil if it was not counted.
  func counts(of key: OldForeignKey) -> OldOrphans? {
    guard let counts, counts.isCounted(key) else { return nil }
    return counts
  }

  /// Counts the orphans of foreign keys that have not changed since the script began.
  mutating func count(
    _ keys: Set<OldForeignKey>, in tables: FollowedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let reader = ColumnReader()
    for key in keys where tables[key.table].keys.contains(where: { $0.before == key.key }) {
      try count(key, now: key.key, in: key.table, reader, connection)
    }
  }

  /// Counts the orphans of the foreign keys that lead from or to a table that is about to change.
  ///
  /// After a rename, foreign keys that named a missing table may lead to the renamed table. The new
  /// name is not known yet, so all foreign keys without a parent are counted.
  ///
  /// A virtual table `f` also changes its own tables, such as `f_content`. SQLite only reports
  /// these changes while the statement runs, which is too late for a count.
  mutating func count(
    before touches: [Touch], in tables: FollowedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    if touches.isEmpty { return }
    var names = Set(touches.map(\.table))
    if touches.contains(where: { $0.change == .alter }) {
      for parent in tables.parents where try !connection.hasTable(parent) { names.insert(parent) }
    }
    let touched = names
    for parent in tables.parents
    where try OwnTables.owner(of: parent, among: touched, connection) != nil {
      names.insert(parent)
    }
    let reader = ColumnReader()
    for name in names.sorted() {
      try countKeys(of: name, leadingTo: nil, in: tables, reader, connection)
      for child in tables.children(of: name).sorted() {
        try countKeys(of: child, leadingTo: name, in: tables, reader, connection)
      }
    }
  }

  /// Stops counting orphans of the foreign keys that lead from or to these tables.
  ///
  /// SQLite's own statements have changed the tables while a statement of the script ran. If there
  /// are orphans of these keys at the end, a script that can be undone runs again, and the keys are
  /// then counted before it begins. For any other script, all their orphans are reported.
  mutating func exclude(_ tablesChanged: Set<Name>, in tables: FollowedTables) {
    for name in tablesChanged {
      excluded.formUnion(oldKeys(of: name, leadingTo: nil, in: tables).map(\.old))
      for child in tables.children(of: name) {
        excluded.formUnion(oldKeys(of: child, leadingTo: name, in: tables).map(\.old))
      }
    }
  }

  /// Counts the orphans of all foreign keys.
  mutating func countAll(
    in tables: FollowedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard isCounting else { return }
    let reader = ColumnReader()
    for name in tables.names.sorted() {
      try countKeys(of: name, leadingTo: nil, in: tables, reader, connection)
    }
  }

  /// Counts the orphans of a table's foreign keys: all of them, or those that lead to one parent.
  private mutating func countKeys(
    of name: Name, leadingTo parent: Name?, in tables: FollowedTables, _ reader: ColumnReader,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for (now, old) in oldKeys(of: name, leadingTo: parent, in: tables) {
      try count(old, now: now, in: name, reader, connection)
    }
  }

  /// A table's foreign keys that were there before the script: all of them, or those that lead to
  /// one parent.
  private func oldKeys(
    of name: Name, leadingTo parent: Name?, in tables: FollowedTables
  ) -> [(now: ForeignKey, old: OldForeignKey)] {
    let table = tables[name]
    guard let nameBefore = table.nameBefore else { return [] }
    return table.keys.compactMap { key in
      guard let before = key.before, parent == nil || key.now.parent == parent else { return nil }
      return (key.now, OldForeignKey(table: nameBefore, key: before))
    }
  }

  private mutating func count(
    _ key: OldForeignKey, now: ForeignKey, in table: Name, _ reader: ColumnReader,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard includes(key), !excluded.contains(key), counts(of: key) == nil else { return }
    if counts == nil { counts = try OldOrphans(deadline) }
    let query = try OrphanQuery(now, of: table, reader, connection)
    try counts?.count(key, by: query, connection)
  }

  private func includes(_ key: OldForeignKey) -> Bool {
    switch counting {
    case .none: false
    case .some(let keys): keys.contains(key)
    case .all: true
    }
  }
}
