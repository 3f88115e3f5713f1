internal import CUpliftSQLite

/// A program's own additions to a connection.
extension Connection {
  /// Lets a program add collations, functions and modules to the connection.
  ///
  /// `work` gets the `sqlite3 *`. It can read the database, but what it writes is refused. So are
  /// transactions, attached databases, temporary objects and most pragmas. Afterwards the handlers
  /// of the connection are again those of Uplift, nothing can be loaded into it, and it has no
  /// threads for sorting. This must be called before `pinSettings` and `installGuard`.
  ///
  /// Throws what `work` throws, or a ``SQLiteError``.
  package borrowing func prepare(_ work: (OpaquePointer) throws -> Void) throws {
    try refuseWrites(true)
    sqlite3_set_authorizer(
      handle, { _, action, first, second, _, _ in answer(action, first, second) }, nil)
    let result = Result { try work(handle) }
    sqlite3_set_authorizer(handle, nil, nil)
    resetStatements()
    try result.get()
    try takeBack()
  }

  /// Undoes what the code may have set by functions of SQLite, which no authorizer sees.
  private borrowing func takeBack() throws(SQLiteError) {
    guard !isInTransaction else {
      throw SQLiteError(code: .error, message: "a transaction was left open")
    }
    try refuseWrites(false)
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
    try Engine.configure(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, on: false)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    sqlite3_update_hook(handle, nil, nil)
    installHandlers()
  }

  private borrowing func refuseWrites(_ isRefusing: Bool) throws(SQLiteError) {
    try run("PRAGMA query_only=\(isRefusing ? "ON" : "OFF")")
    guard try integer("PRAGMA query_only") == (isRefusing ? 1 : 0) else {
      throw SQLiteError(code: .error, message: "this SQLite does not take query_only")
    }
  }
}

/// What the code that prepares a connection may ask for in SQL.
///
/// `PRAGMA query_only` refuses what writes. This refuses what would change the connection.
private func answer(_ action: Int32, _ first: CString?, _ second: CString?) -> Int32 {
  switch action {
  case SQLITE_ATTACH, SQLITE_DETACH, SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ANALYZE,
    SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER,
    SQLITE_CREATE_TEMP_VIEW:
    return SQLITE_DENY
  case SQLITE_PRAGMA:
    switch PragmaRule(String(folding: first) ?? "") {
    case .harmless: return SQLITE_OK
    case .onlyAlone: return SQLITE_DENY
    default: return second == nil ? SQLITE_OK : SQLITE_DENY
    }
  default: return SQLITE_OK
  }
}

/// Lending a connection to code of the program.
extension Connection {
  /// The `sqlite3 *`.
  package var lent: OpaquePointer { handle }

  /// Turns every commit into a rollback, or stops doing so.
  ///
  /// If a statement ends the transaction, the statements after it must not be committed one by one.
  package borrowing func refuseCommits(_ isRefusing: Bool) {
    sqlite3_commit_hook(handle, isRefusing ? { _ in 1 } : nil, nil)
  }

  /// True if a statement has not run to its end, or if a virtual table keeps a blob open; see
  /// `closeBlobsOfVirtualTables`.
  package var hasBusyStatement: Bool { busyStatement != nil }

  private var busyStatement: OpaquePointer? {
    var statement = sqlite3_next_stmt(handle, nil)
    while let one = statement, sqlite3_stmt_busy(one) == 0 {
      statement = sqlite3_next_stmt(handle, one)
    }
    return statement
  }

  /// Makes virtual tables close the blobs that they keep open until the end of the transaction.
  ///
  /// After a deletion, a full-text table keeps a blob of its own tables open. After a write, so
  /// does an R-tree. SQLite lists such a blob as a statement that has not run to its end. The table
  /// closes the blob, and writes what it has not written yet, when a savepoint begins, because
  /// SQLite could not undo the savepoint otherwise (sqlite.org/vtab.html, section 2.18).
  package borrowing func closeBlobsOfVirtualTables() throws(SQLiteError) {
    try run("SAVEPOINT uplift")
    try run("RELEASE uplift")
  }

  /// Resets the statements that the program has not run to their end, and returns their number.
  ///
  /// Such a statement would keep its lock.
  @discardableResult
  package borrowing func resetStatements() -> Int {
    var count = 0
    // Resetting one statement may finalize others, those of a virtual table.
    while let busy = busyStatement {
      sqlite3_reset(busy)
      count += 1
    }
    return count
  }
}
