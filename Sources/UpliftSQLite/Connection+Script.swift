internal import CUpliftSQLite

/// The statements of a script, one after the other.
extension Connection {
  /// Prepares the statement that begins at `position`, and moves the position to the next one; nil
  /// if only blanks and comments are left.
  ///
  /// The text must end with a zero byte. If preparing fails, the position stays. SQLite itself says
  /// where the statement ends, by its tail pointer. No length is passed: with a length SQLite would
  /// copy the rest of the text, for each statement again.
  package borrowing func prepareNext(
    at position: inout UnsafePointer<CChar>
  ) throws(SQLiteError) -> Statement? {
    var statement: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    let code = sqlite3_prepare_v3(handle, position, -1, 0, &statement, &tail)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
    if let tail { position = tail }
    guard let statement else { return nil }
    return Statement(owning: statement)
  }

  /// Tells the guard the journal mode, if the guard has refused a mode that the database may have
  /// already.
  ///
  /// If the result is true, the statement must be prepared again.
  package borrowing func learnJournalMode() throws(SQLiteError) -> Bool {
    guard scriptGuard.wantsJournalMode else { return false }
    var mode: String?
    try scriptGuard.unwatched { () throws(SQLiteError) in
      mode = try text("PRAGMA journal_mode")
    }
    scriptGuard.learn(journalMode: mode ?? "")
    return true
  }
}
