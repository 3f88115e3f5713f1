internal import CUpliftSQLite

/// The error that a call of SQLite reported.
package struct SQLiteError: Error, Hashable, Sendable {
  package let code: ResultCode
  /// SQLite's own words.
  package let message: String
  /// The first byte at fault, counted from the start of the statement; nil if SQLite does not know
  /// it.
  package let offset: Int?
  /// The error code of the operating system for the latest file operation that failed; 0 if there
  /// was none.
  package let systemCode: Int32

  package init(code: ResultCode, message: String, offset: Int? = nil, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.offset = offset
    self.systemCode = systemCode
  }

  /// The path no longer names the file that was opened.
  package static let moved = SQLiteError(
    code: .databaseMoved, message: "the database was replaced or removed")

  /// Some pages since a savepoint are in the log; see `Connection.canUndoOnlyAll`.
  package static let savepointInLog = SQLiteError(
    code: .error,
    message: "SQLite \(Engine.version) cannot undo a large savepoint alone in WAL mode, 3.50.2 can")

  /// The latest error of a connection; without a connection, the general words for the code.
  init(_ code: Int32, of handle: OpaquePointer?) {
    let offset = handle.map(uplift_sqlite3_error_offset) ?? -1
    let words = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      code: ResultCode(code),
      message: words.map { String(cString: $0) } ?? "unknown error",
      offset: offset >= 0 ? Int(offset) : nil,
      systemCode: handle.map(sqlite3_system_errno) ?? 0
    )
  }
}
