internal import UpliftSQLite

/// Follows what the statements of a script do to the tables and their foreign keys.
///
/// The script guard reports the changes of a statement as touches. Changes of rows can be recorded
/// at any time. A change of the schema is recorded before its statement, to learn which tables
/// exist, and after it, to learn what the statement did to them.
struct StatementFollower {
  private(set) var tables: FollowedTables
  /// True if the script did something that could not be followed, so that every foreign key must be
  /// checked.
  private(set) var hasLostTrack = false
  /// True between the beginning and the end of a statement that changes the schema.
  var isInSchemaChange: Bool { change != nil }

  /// The tables before the script, or when its latest transaction began; nil for a script that can
  /// be undone.
  private var tablesBefore: FollowedTables?
  /// True if a script that cannot be undone has an open transaction after a statement.
  private var isTransactionOpen = false
  /// The change of the schema by the statement that runs now.
  private var change: SchemaChange?
  /// True if there may be changes that the script guard did not see.
  private var mustReread = false

  /// A statement that changes the schema, and the tables as they were before it.
  private struct SchemaChange {
    var touches: [Touch: TouchOrigin] = [:]
    /// The tables that the statement alters.
    var altered: [Name: AlteredTable] = [:]
    /// The tables that the statement would make, but that exist already.
    var existing: Set<Name> = []
  }

  private struct AlteredTable {
    /// The page of the file at which the table begins; 0 for a virtual table.
    let rootPage: Int64
    let columnCount: Int
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    tables = try FollowedTables(connection)
  }

  /// Begins a script.
  mutating func begin(canBeUndone: Bool, isTransactionOpen: Bool) {
    tables.begin()
    tablesBefore = canBeUndone ? nil : tables
    self.isTransactionOpen = isTransactionOpen
    hasLostTrack = false
    change = nil
    mustReread = false
  }

  /// Remembers the tables as they are when a statement opens a transaction: a `ROLLBACK` goes back
  /// to them.
  mutating func noteTransaction(isOpen: Bool) {
    guard tablesBefore != nil, isOpen != isTransactionOpen else { return }
    isTransactionOpen = isOpen
    if isOpen { tablesBefore = tables }
  }

  /// Records the changes of rows among the touches.
  mutating func addRowChanges(_ touches: [Touch: TouchOrigin]) {
    for (touch, origin) in touches where !touch.isOfSchema {
      tables.addChange(touch.change, of: touch.table, by: origin)
    }
  }

  /// Takes the touches of a statement that is about to change the schema.
  mutating func willChangeSchema(
    _ touches: [Touch: TouchOrigin], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    addRowChanges(touches)
    var change = SchemaChange(touches: touches)
    for touch in touches.keys {
      switch touch.change {
      case .alter: change.altered[touch.table] = try alteredTable(touch.table, connection)
      case .create:
        if try connection.hasTable(touch.table) { change.existing.insert(touch.table) }
      case .insert, .delete, .update, .drop: break
      }
    }
    self.change = change
  }

  /// True if the statement alters a virtual table.
  ///
  /// It also renames the tables that the virtual table keeps for itself, and these changes cannot
  /// be followed.
  var altersVirtualTable: Bool {
    change?.altered.values.contains { $0.rootPage == 0 } ?? false
  }

  /// Takes the touches that SQLite's own statements added while a statement changed the schema,
  /// such as those for the tables of a full-text index.
  mutating func didChangeSchema(
    _ touches: [Touch: TouchOrigin], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let change = change ?? SchemaChange()
    self.change = nil
    addRowChanges(touches)
    let isFollowed = touches.keys.allSatisfy {
      $0.change != .alter || change.altered[$0.table] != nil
    }
    guard isFollowed else { return try reread(connection) }
    let all = change.touches.merging(touches) { $0.merged(with: $1) }
    for (touch, origin) in all where touch.change == .drop {
      if try !connection.hasTable(touch.table) { tables.drop(touch.table, by: origin) }
    }
    for (touch, origin) in all where touch.change == .create {
      if change.existing.contains(touch.table) { continue }
      guard try connection.hasTable(touch.table) else { continue }
      try tables.create(touch.table, by: origin, connection)
    }
    for (touch, origin) in all where touch.change == .alter {
      let isFollowed = try alter(
        touch.table, change.altered[touch.table], by: origin, connection)
      guard isFollowed else { return try reread(connection) }
    }
  }

  /// Notes that changes may be missed from now on, so the tables are read again at the end.
  mutating func loseTrack() { mustReread = true }

  /// Begins again, because a `ROLLBACK` in the script has undone what was recorded.
  mutating func startOver(_ connection: borrowing Connection) throws(SQLiteError) {
    change = nil
    if let tablesBefore { tables = tablesBefore }
    try reread(connection)
  }

  /// Ends the script, and reads the tables again if it may have missed changes.
  mutating func end(_ connection: borrowing Connection) throws(SQLiteError) {
    if mustReread { try reread(connection) }
    guard tablesBefore != nil, !hasLostTrack else { return }
    // Another process may have changed the schema between two statements.
    if try !tables.haveSameKeys(as: FollowedTables(connection)) { try reread(connection) }
  }

  /// Records what `ALTER TABLE` did to a table; false if the table is not found again.
  private mutating func alter(
    _ name: Name, _ before: AlteredTable?, by origin: TouchOrigin,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    if try connection.hasTable(name) {
      let count = try connection.columns(of: name).count
      let isNewColumn = before.map { $0.columnCount + 1 == count } ?? false
      try tables.alter(name, isNewColumn: isNewColumn, by: origin, connection)
      return true
    }
    guard let new = try table(atRootPage: before?.rootPage ?? 0, connection) else { return false }
    try tables.rename(name, to: new, by: origin, connection)
    return true
  }

  private mutating func reread(_ connection: borrowing Connection) throws(SQLiteError) {
    hasLostTrack = true
    try tables.reread(connection)
  }

  private func alteredTable(
    _ name: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> AlteredTable {
    let row = try connection.prepare(
      "SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?1 COLLATE NOCASE"
        as SQL)
    try row.bind(name, at: 1)
    let rootPage = try row.step() ? row.integer(0) : 0
    return AlteredTable(
      rootPage: rootPage, columnCount: try connection.columns(of: name).count)
  }

  /// The name of the table that begins at a page of the file.
  ///
  /// A statement that renames a table does not move it in the file.
  private func table(
    atRootPage rootPage: Int64, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Name? {
    guard rootPage > 0 else { return nil }
    let row = try connection.prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = \(Int(rootPage))"
        as SQL)
    return try row.step() ? row.name(0) : nil
  }
}
