internal import CUpliftSQLite

/// The parameters of a statement and their values.
extension Statement {
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The first parameter that has a name, as it is written: `?1` or `:name`.
  ///
  /// It is `?` if there are only parameters without a name, and nil if there are none.
  package var firstParameter: String? {
    guard parameterCount > 0 else { return nil }
    for index in 1...parameterCount {
      if let name = sqlite3_bind_parameter_name(handle, Int32(index)) {
        return String(cString: name)
      }
    }
    return "?"
  }

  /// The name of a parameter without its first character (`:`, `@` or `$`).
  ///
  /// It is empty for a parameter without a name. The statement was a `String`, so this is UTF-8.
  package borrowing func name(ofParameter index: Int) -> String {
    sqlite3_bind_parameter_name(handle, Int32(index)).map { String(cString: $0 + 1) } ?? ""
  }

  package borrowing func bindNull(at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(index)))
  }

  package borrowing func bind(_ number: Int64, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(index), number))
  }

  package borrowing func bind(_ number: Double, at index: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(index), number))
  }

  package borrowing func bind(_ text: String, at index: Int) throws(SQLiteError) {
    var text = text
    try check(text.withUTF8 { bindText($0, at: index) })
  }

  /// Binds bytes as text.
  ///
  /// They need not be UTF-8.
  package borrowing func bind(text bytes: [UInt8], at index: Int) throws(SQLiteError) {
    try check(bytes.withUnsafeBufferPointer { bindText($0, at: index) })
  }

  package borrowing func bind(blob bytes: [UInt8], at index: Int) throws(SQLiteError) {
    if bytes.isEmpty { return try check(sqlite3_bind_zeroblob(handle, Int32(index), 0)) }
    let code = bytes.withUnsafeBytes { buffer in
      sqlite3_bind_blob64(
        handle, Int32(index), buffer.baseAddress, UInt64(buffer.count), Self.transient)
    }
    try check(code)
  }

  /// Binds the bytes of a name as text.
  package borrowing func bind(_ name: Name, at index: Int) throws(SQLiteError) {
    try bind(text: name.bytes, at: index)
  }

  /// Binds the value in a column of another statement's row, as it is stored.
  package borrowing func bind(
    _ column: Int, of row: borrowing Statement, at index: Int
  ) throws(SQLiteError) {
    let value = sqlite3_column_value(row.handle, Int32(column))
    try check(sqlite3_bind_value(handle, Int32(index), value))
  }

  private borrowing func bindText(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int32 {
    // SQLite binds NULL for a null pointer, and an empty array may have one.
    guard let start = bytes.baseAddress else {
      return sqlite3_bind_text64(
        handle, Int32(index), "", 0, Self.transient, UInt8(SQLITE_UTF8))
    }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(
        handle, Int32(index), $0, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
    }
  }

  /// `SQLITE_TRANSIENT`: SQLite makes a copy of the bytes before the call returns.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  private borrowing func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }
}
