internal import CUpliftSQLite

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

  /// True if a statement has not run to its end.
  ///
  /// The blobs that virtual tables keep open count as such statements; see
  /// `writeVirtualTables`.
  package var hasBusyStatement: Bool {
    var statement = sqlite3_next_stmt(handle, nil)
    while let one = statement {
      if sqlite3_stmt_busy(one) != 0 { return true }
      statement = sqlite3_next_stmt(handle, one)
    }
    return false
  }

  /// Makes virtual tables write what they keep until the end of the transaction, and close their blobs.
  ///
  /// A full-text table does not write additions to its index at once. A full-text table and an
  /// R-tree keep a blob of their own tables open, which SQLite lists as a statement that has not
  /// run to its end. When a savepoint begins, they write the additions and close the blob, because
  /// SQLite could not undo the savepoint otherwise (sqlite.org/vtab.html, section 2.18). The script
  /// guard notes the changes.
  package borrowing func writeVirtualTables() throws(SQLiteError) {
    for sql in ["SAVEPOINT uplift", "RELEASE uplift"] {
      let statement = try scriptGuard.unwatched { () throws(SQLiteError) in try prepare(sql) }
      scriptGuard.isStepping = true
      defer { scriptGuard.isStepping = false }
      try statement.run()
    }
  }

  /// Resets the statements that the program has not run to their end, and returns their number.
  ///
  /// Such a statement would keep its lock. The statements that full-text tables keep are not
  /// running, and they are left alone.
  @discardableResult
  package borrowing func resetStatements() -> Int {
    var count = 0
    var statement = sqlite3_next_stmt(handle, nil)
    while let left = statement {
      if sqlite3_stmt_busy(left) != 0 {
        count += 1
        sqlite3_reset(left)
      }
      statement = sqlite3_next_stmt(handle, left)
    }
    return count
  }
}
