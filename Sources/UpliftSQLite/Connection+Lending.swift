internal import CUpliftSQLite

/// What is needed around code of somebody else's on this connection.
extension Connection {
  /// The `sqlite3 *` itself.
  package var lent: OpaquePointer { handle }

  /// Turns every commit into a rollback: a statement that has ended the transaction must not let
  /// those behind it commit one by one.
  package borrowing func refuseCommits(_ isRefusing: Bool) {
    sqlite3_commit_hook(handle, isRefusing ? { _ in 1 } : nil, nil)
  }

  /// Resets the statements that somebody has left in the middle, and says how many there were.
  ///
  /// They would keep their lock. Those of full-text tables are at rest, and belong there.
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
