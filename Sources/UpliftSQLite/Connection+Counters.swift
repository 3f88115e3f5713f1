internal import CUpliftSQLite

/// The counters of a connection, which include the changes of earlier scripts.
extension Connection {
  /// Replaces `changes()` and `total_changes()` by functions that ask the guard.
  ///
  /// The first script of a connection gets SQLite's own answer. In any other script the functions
  /// fail, and the script runs again on a fresh connection. The authorizer cannot do this: SQLite
  /// does not ask it about a function in the `DEFAULT` or `CHECK` of a column.
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

  /// How much a connection has written so far.
  ///
  /// `total_changes()` would not do: it lacks what a trigger has changed before it ends with `FAIL`.
  package struct Writes {
    /// The pages, also those of statements that were undone.
    fileprivate let pages: Int32
    /// Differs after each commit, also after one without a change, and after one of another connection.
    fileprivate let commits: UInt32

    /// True if this connection has surely changed nothing since then, which was before one statement.
    ///
    /// Between several statements, one may have committed nothing, and another one have been undone.
    package func isNothing(since then: Writes) -> Bool {
      pages == then.pages || commits == then.commits
    }
  }

  package var writes: Writes {
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
    return Writes(pages: pages, commits: dataVersion)
  }

  /// Forgets the latest inserted row, so that `last_insert_rowid()` says nothing about another
  /// script.
  package borrowing func forgetLastInsert() {
    sqlite3_set_last_insert_rowid(handle, 0)
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
