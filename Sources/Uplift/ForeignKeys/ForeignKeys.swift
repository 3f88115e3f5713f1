internal import UpliftSQLite

/// Finds the orphans that a step made; foreign keys are off while it runs, so nothing cascades.
///
/// SQLite checks at the end of each step: `PRAGMA foreign_key_check` of each child that was touched,
/// or whose parent was touched, or whose row in the schema changed, or its parent's. It nearly
/// always finds nothing. If it finds something, it may be older than the step. Then the step is
/// undone and runs once more, and the orphans of that child are counted before it (``Orphans``).
struct ForeignKeys {
  private let mode: Upgrader.ForeignKeyCheck
  private var schema = ReferenceSchema()
  /// The children that are known to have orphans, until the upgrade ends.
  private var known: Set<Name> = []
  /// Their orphans at the beginning of the step.
  private var before = Orphans()
  /// True if the step that was checked last has to run again.
  private(set) var mustCount = false

  init(_ mode: Upgrader.ForeignKeyCheck) {
    self.mode = mode
  }

  /// Begins a step.
  mutating func begin(_ connection: borrowing Connection) throws(SQLiteError) {
    mustCount = false
    guard mode != .none else { return }
    try schema.refresh(connection)
    before = Orphans()
    for child in known.sorted() { try before.count(of: child, connection) }
  }

  /// Must be called after a rollback: the next transaction may find another schema.
  mutating func forget() { schema = ReferenceSchema() }

  /// Checks a step at its end; returns its orphans, or nil if it made none.
  ///
  /// It also returns nil if `mustCount` is true afterwards.
  mutating func check(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> UpgradeError.ForeignKeyViolations? {
    let scriptGuard = connection.scriptGuard
    let isWhole = mode == .all || scriptGuard.isLent
    let touched = scriptGuard.touched
    guard mode != .none, isWhole || !touched.all.isEmpty else {
      try before.drop(connection)
      return nil
    }
    let changed = try schema.change(touched, isWhole: isWhole, connection)
    var found = NewOrphans(touched, changed)
    for child in isWhole ? schema.children : schema.children(of: changed) {
      let state = try connection.foreignKeys(of: child, areKeptIn: schema)
      if state == .kept { continue }
      if known.insert(child).inserted {
        mustCount = true
      } else {
        try before.compare(child, isMismatch: state == .mismatch, &found, connection)
      }
    }
    try before.drop(connection)
    return mustCount ? nil : found.violations
  }
}

extension Connection {
  fileprivate enum Keys { case kept, broken, mismatch }

  /// Asks SQLite; `mismatch` hides the other foreign keys of the table.
  fileprivate borrowing func foreignKeys(
    of child: Name, areKeptIn schema: ReferenceSchema
  ) throws(SQLiteError) -> Keys {
    do {
      // Without the schema's name, SQLite would look at a temporary table of the same name.
      return try prepare("PRAGMA main.foreign_key_check(\(child))" as SQL).step() ? .broken : .kept
    } catch  where error.code == .error && error.message.hasPrefix("foreign key mismatch") {
      return .mismatch
    }
  }
}

/// The tables and views of the main database, and which of them refer to which.
///
/// It is read once in a transaction, and then mended by what each step notes. To compare the whole
/// schema after each step would make a thousand scripts quadratic.
private struct ReferenceSchema {
  private struct Entry: Equatable {
    let root: Int64
    let sql: [UInt8]
  }

  /// The `schema_version` that was read; nil if nothing was read.
  private var version: Int64?
  private var entries: [Name: Entry] = [:]
  private var parents: [Name: Set<Name>] = [:]

  /// The tables with foreign keys.
  var children: [Name] { parents.keys.sorted() }

  /// The children that are among these tables, or that refer to one of them.
  func children(of tables: Set<Name>) -> [Name] {
    parents.filter { tables.contains($0.key) || !$0.value.isDisjoint(with: tables) }.keys.sorted()
  }

  /// Reads the schema, unless it still is the one that is known.
  mutating func refresh(_ connection: borrowing Connection) throws(SQLiteError) {
    let now = try connection.integer("PRAGMA main.schema_version")
    guard version != now else { return }
    try read(connection)
    version = now
  }

  private mutating func read(_ connection: borrowing Connection) throws(SQLiteError) {
    (entries, parents) = ([:], [:])
    let rows = try connection.prepare(
      "SELECT name, rootpage, sql FROM main.sqlite_master WHERE type IN ('table', 'view')")
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      entries[name] = Entry(root: rows.integer(1), sql: rows.name(2)?.bytes ?? [])
    }
    let keys = try connection.prepare(
      """
      SELECT t.name, k."table" FROM main.sqlite_master AS t,
        pragma_foreign_key_list(t.name, 'main') AS k WHERE t.type = 'table' AND t.rootpage > 0
      """)
    while try keys.step() {
      guard let child = keys.name(0), let parent = keys.name(1) else { continue }
      parents[child, default: []].insert(parent)
    }
  }

  /// Learns what a step did to the schema, and returns what it touched or changed.
  mutating func change(
    _ touched: TouchedTables, isWhole: Bool, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Set<Name> {
    var changed = touched.all
    if touched.hasAlteration || isWhole {
      let before = entries
      try read(connection)
      for name in Set(before.keys).union(entries.keys) where before[name] != entries[name] {
        changed.insert(name)
      }
    } else {
      for name in touched.made { try readAgain(name, connection) }
    }
    version = try connection.integer("PRAGMA main.schema_version")
    // A virtual table may have prepared its own statements long ago.
    for table in touched.all where entries[table]?.root == 0 {
      changed.formUnion(entries.keys.filter { $0.isShadow(of: table) })
    }
    return changed
  }

  private mutating func readAgain(
    _ name: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    (entries[name], parents[name]) = (nil, nil)
    let row = try connection.prepare(
      """
      SELECT rootpage, sql FROM main.sqlite_master
      WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE
      """)
    try row.bind(name, at: 1)
    guard try row.step() else { return }
    entries[name] = Entry(root: row.integer(0), sql: row.name(1)?.bytes ?? [])
    let keys = try connection.foreignKeys(of: name)
    if !keys.isEmpty { parents[name] = Set(keys.map(\.parent)) }
  }
}
