internal import CUpliftSQLite

/// One prepared statement; it is finalized when the value goes out of scope.
///
/// Parameters count from 1 and columns from 0, as they do for SQLite.
package struct Statement: ~Copyable {
  let handle: OpaquePointer

  /// Takes over a statement that `sqlite3_prepare_v3` made.
  init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Runs to the next row; false if there is none.
  package borrowing func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, of: sqlite3_db_handle(handle))
    }
  }

  /// Runs to the end and ignores the rows.
  package borrowing func run() throws(SQLiteError) {
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }

  /// Makes the statement ready to run again, with the same values of its parameters.
  package borrowing func reset() {
    sqlite3_reset(handle)
  }
}
