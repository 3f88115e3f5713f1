internal import CUpliftSQLite

/// What the guard has seen a script do.
///
/// SQLite's authorizer reports each action while SQLite prepares a statement. ``ScriptGuard``
/// decides which actions are allowed. This type only records them.
struct ScriptNotes {
  typealias CString = UnsafePointer<CChar>

  var transactionWords = TransactionWords()
  var touches: TouchLog
  /// True if no other script may follow in the transaction: the script made or dropped a virtual
  /// table.
  private(set) var isLastInTransaction = false
  /// True if this script or an earlier one left something on the connection: a temporary object, a
  /// setting or statistics.
  ///
  /// It is also true after each script without a transaction.
  var hasLeftState: Bool
  /// True if this connection may plan with other statistics than a new connection would, because a
  /// script changed the schema.
  ///
  /// After an `ALTER TABLE` this connection may have forgotten the statistics; after a `DROP INDEX`
  /// it still has those of the index. It has not read those of a table or an index that was made
  /// since, which are there if an earlier one with the name was renamed.
  private(set) var hasOtherStatistics: Bool

  /// The offset of the first byte of the current statement in the script.
  private(set) var offset = 0
  /// True if the current statement undoes others: `ROLLBACK`.
  var undoesWork = false
  /// True if the current statement undoes those since a savepoint: `ROLLBACK TO`.
  var returnsToSavepoint = false
  /// True if the current statement changes the journal mode.
  var changesJournalMode = false
  /// True if the current statement drops a table or an index.
  private var isDropping = false

  init(hasLeftState: Bool, hasOtherStatistics: Bool = false, touchesBySQLite: Set<Touch> = []) {
    self.hasLeftState = hasLeftState
    self.hasOtherStatistics = hasOtherStatistics
    touches = TouchLog(touchesBySQLite: touchesBySQLite)
  }

  mutating func beginStatement(at offset: Int) {
    self.offset = offset
    touches.statement = offset
    undoesWork = false
    returnsToSavepoint = false
    changesJournalMode = false
    isDropping = false
  }

  /// Notes a change to a table of the main database, or to its schema.
  ///
  /// `isBySQLite` is true if a statement runs: then SQLite prepares another one inside it.
  mutating func noteTouch(
    _ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?, isBySQLite: Bool
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
      if Self.isMain(database) {
        touches.add(action, first, column: second, isBySQLite: isBySQLite)
      }
    case SQLITE_ALTER_TABLE:
      // For this action the first name is the database, and the second is the table.
      if Self.isMain(first) { touches.add(action, second, column: nil, isBySQLite: isBySQLite) }
    default:
      break
    }
  }

  /// Notes an action of the script's own that changes the connection, or that later scripts in the
  /// transaction could see.
  mutating func note(_ action: Int32, _ first: CString?, _ database: CString?) {
    // For each temporary object, SQLite writes to the schema `temp`. `SQLITE_CREATE_TEMP_TABLE` and
    // its like are not enough: `CREATE TABLE temp.t` is `SQLITE_CREATE_TABLE`.
    if Self.isTemporary(database) { hasLeftState = true }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      // A connection reads the statistics when it opens the database and after `ANALYZE`, so it has
      // not seen this change. SQLite itself deletes the statistics of a table that is dropped.
      if !isDropping, Self.isStatistics(first) { hasLeftState = true }
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
      isDropping = action == SQLITE_DROP_TABLE
      hasOtherStatistics = hasOtherStatistics || !isDropping
      if isDropping, Self.isStatistics(first) { hasLeftState = true }
    case SQLITE_CREATE_INDEX, SQLITE_DROP_INDEX, SQLITE_ALTER_TABLE:
      isDropping = action == SQLITE_DROP_INDEX
      hasOtherStatistics = true
    case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      isLastInTransaction = true
    default:
      break
    }
  }

  private static func isMain(_ database: CString?) -> Bool {
    guard let database else { return false }
    return sqlite3_stricmp(database, "main") == 0
  }

  private static func isTemporary(_ database: CString?) -> Bool {
    guard let database, database.pointee | 0x20 == CChar(UInt8(ascii: "t")) else { return false }
    return sqlite3_stricmp(database, "temp") == 0
  }

  private static func isStatistics(_ table: CString?) -> Bool {
    guard let table else { return false }
    return sqlite3_strnicmp(table, "sqlite_stat", 11) == 0
  }
}
