internal import CUpliftSQLite

/// What SQLite said when a call failed: its code, its words, and where in the statement.
package struct SQLiteError: Error, Hashable, Sendable {
  package let code: ResultCode
  package let message: String
  /// Bytes into the statement at fault, where SQLite knows.
  package let offset: Int?
  /// What the operating system said, 0 where it was not asked: the latest for a file that failed.
  package let systemCode: Int32

  package init(code: ResultCode, message: String, offset: Int? = nil, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.offset = offset
    self.systemCode = systemCode
  }

  /// The latest error of a connection, or the code's general words where there is none yet.
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
