internal import CUpliftSQLite

/// What the guard has seen a step do.
///
/// SQLite's authorizer reports each action while SQLite prepares a statement. ``ScriptGuard``
/// decides which actions are allowed. This type only records them.
struct ScriptNotes {
  typealias CString = UnsafePointer<CChar>

  var transactionWords = TransactionWords()
  var touched: TouchedTables
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
    touched = TouchedTables(lasting: before?.touched.lasting ?? [])
  }

  mutating func beginStatement(at offset: Int) {
    self.offset = offset
    refusal = nil
    wantedJournalMode = nil
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
