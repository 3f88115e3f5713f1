internal import CUpliftSQLite

/// What the guard has seen a step do.
///
/// SQLite's authorizer reports each action while SQLite prepares a statement. ``ScriptGuard``
/// decides which actions are allowed. This type only records them.
struct ScriptNotes {
  typealias CString = UnsafePointer<CChar>

  var transactionWords = TransactionWords()
  var tables: NotedTables
  /// True if the step made a temporary object.
  private(set) var hasTemporaryObjects = false
  /// True if the step changed a setting of the connection.
  var hasSettings = false
  /// Why the latest statement was refused.
  var refusal: Refusal?
  /// The journal mode that the current statement asks for.
  var wantedJournalMode: String?

  /// The offset of the first byte of the current statement in the script.
  private(set) var offset = 0

  init(after before: ScriptNotes? = nil) {
    tables = NotedTables(lasting: before?.tables.lasting ?? [])
  }

  mutating func beginStatement(at offset: Int) {
    self.offset = offset
    refusal = nil
    wantedJournalMode = nil
  }

  /// Notes a change to a table or a view of the main database.
  ///
  /// `lasts` is true if the SQL is not the script's.
  mutating func noteTable(
    _ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?, lasts: Bool
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE,
      SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      if Self.isMain(database) { tables.note(action, first, lasts: lasts) }
    case SQLITE_ALTER_TABLE:
      // For this action the first name is the database, and the second is the table.
      if Self.isMain(first) { tables.note(action, second, lasts: lasts) }
    default:
      break
    }
  }

  private static func isMain(_ database: CString?) -> Bool {
    guard let database else { return false }
    return sqlite3_stricmp(database, "main") == 0
  }

  /// Notes an action on a temporary object.
  ///
  /// For each of them, SQLite writes to the schema `temp`. `SQLITE_CREATE_TEMP_TABLE` and its like
  /// are not enough: `CREATE TABLE temp.t` is `SQLITE_CREATE_TABLE`.
  mutating func noteTemporary(_ database: CString?) {
    guard let database, database.pointee | 0x20 == CChar(UInt8(ascii: "t")) else { return }
    if sqlite3_stricmp(database, "temp") == 0 { hasTemporaryObjects = true }
  }
}
