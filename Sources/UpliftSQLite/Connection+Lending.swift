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
  /// `closeBlobsOfVirtualTables`.
  package var hasBusyStatement: Bool {
    var statement = sqlite3_next_stmt(handle, nil)
    while let one = statement {
      if sqlite3_stmt_busy(one) != 0 { return true }
      statement = sqlite3_next_stmt(handle, one)
    }
    return false
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
