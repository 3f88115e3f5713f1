internal import CUpliftSQLite

extension Connection {
  /// Prepares the statement that begins at `position`, in text that ends with a zero byte, and
  /// moves on to where the next begins; nil where only blanks and comments were left.
  ///
  /// SQLite's own tail pointer says where a statement ends; no length is passed, for SQLite
  /// would copy all the text that is left, for each statement again. Where it throws, the
  /// position stays.
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

  /// Asks for the journal mode if the guard has refused one that may be the database's already;
  /// true if the statement is to be prepared again.
  package borrowing func learnJournalMode() throws(SQLiteError) -> Bool {
    guard scriptGuard.wantsJournalMode else { return false }
    var mode: String?
    try scriptGuard.unwatched { () throws(SQLiteError) in
      mode = try text("PRAGMA journal_mode")
    }
    scriptGuard.learn(journalMode: mode ?? "")
    return true
  }

  /// Puts functions of our own in the place of `changes()` and `total_changes()`, which count what
  /// the connection did for other scripts too.
  ///
  /// The first script of a connection gets SQLite's own answer. Any other script fails there and
  /// runs again on a fresh connection. The authorizer would not do: SQLite does not ask it about a
  /// function in a column's `DEFAULT` or `CHECK`.
  package borrowing func replaceCounters() throws(SQLiteError) {
    let context = Unmanaged.passUnretained(scriptGuard).toOpaque()
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
    var code = sqlite3_create_function_v2(
      handle, "changes", 0, flags, context,
      { context, _, _ in answer(context, uplift_sqlite3_changes) }, nil, nil, nil)
    if code == SQLITE_OK {
      code = sqlite3_create_function_v2(
        handle, "total_changes", 0, flags, context,
        { context, _, _ in answer(context, uplift_sqlite3_total_changes) }, nil, nil, nil)
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }
}

private func answer(_ context: OpaquePointer?, _ count: (OpaquePointer?) -> Int64) {
  guard let pointer = sqlite3_user_data(context) else { return }
  if Unmanaged<ScriptGuard>.fromOpaque(pointer).takeUnretainedValue().mayCount() {
    sqlite3_result_int64(context, count(sqlite3_context_db_handle(context)))
  } else {
    sqlite3_result_error(context, "the connection has counted another script's changes", -1)
  }
}
