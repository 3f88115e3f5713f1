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
