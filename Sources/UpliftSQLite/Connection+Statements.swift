internal import CUpliftSQLite

/// Statements of Uplift's own: a text of ours, run whole.
extension Connection {
  /// Prepares one statement; parameters are bound by the caller.
  package borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
    guard let statement, code == SQLITE_OK else {
      throw SQLiteError(code == SQLITE_OK ? SQLITE_MISUSE : code, of: handle)
    }
    return Statement(owning: statement)
  }

  /// Runs one statement to its end.
  package borrowing func run(_ sql: String) throws(SQLiteError) {
    try prepare(sql).run()
  }

  /// The first column of the first row, as a number; 0 where there is none.
  package borrowing func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row, as text; nil where there is none.
  package borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// True while a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// True when the file may not be written, whatever a `BEGIN IMMEDIATE` says.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// True when the file under the connection's name is no longer the one it opened: a commit
  /// would be reported and lost.
  package var hasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// Forgets which row was inserted last, so that no script can see another's.
  package borrowing func forgetLastInsert() {
    sqlite3_set_last_insert_rowid(handle, 0)
  }
}
