internal import CUpliftSQLite

/// One prepared statement; finalized when it goes out of scope.
package struct Statement: ~Copyable {
  let handle: OpaquePointer

  /// Takes over a statement that `sqlite3_prepare_v3` made.
  init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Runs to the next row, or to the end: false.
  package borrowing func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, of: sqlite3_db_handle(handle))
    }
  }

  /// Runs to the end and drops the rows on the way.
  package borrowing func run() throws(SQLiteError) {
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }

  package borrowing func bind(_ value: Value, at index: Int) throws(SQLiteError) {
    let index = Int32(index)
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code =
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .integer(let number): sqlite3_bind_int64(handle, index, number)
      case .real(let number): sqlite3_bind_double(handle, index, number)
      case .text(var text): text.withUTF8 { bind(text: $0, at: index) }
      case .rawText(let bytes): bytes.withUnsafeBufferPointer { bind(text: $0, at: index) }
      case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
      case .blob(let bytes):
        bytes.withUnsafeBytes { buffer in
          sqlite3_bind_blob64(handle, index, buffer.baseAddress, UInt64(buffer.count), transient)
        }
      }
    guard code == SQLITE_OK else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }

  private borrowing func bind(text bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // SQLite binds NULL for a null pointer, and an empty array may have one.
    guard let start = bytes.baseAddress else {
      return sqlite3_bind_text64(handle, index, "", 0, transient, UInt8(SQLITE_UTF8))
    }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        handle, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
    }
  }

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  package borrowing func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  package borrowing func value(_ column: Int) -> Value {
    let column = Int32(column)
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT:
      let start = sqlite3_column_text(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      return Value(text: UnsafeBufferPointer(start: start, count: count))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(handle, column)
      let count = Int(sqlite3_column_bytes(handle, column))
      return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }

  /// For what Uplift asks about itself, a mode or a number: bytes that are not UTF-8 are replaced.
  ///
  /// ``value(_:)`` is for what comes from the schema or from a table.
  package borrowing func text(_ column: Int) -> String? {
    sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) }
  }
}
