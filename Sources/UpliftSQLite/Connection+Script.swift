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
}
