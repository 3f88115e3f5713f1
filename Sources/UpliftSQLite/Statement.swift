internal import CUpliftSQLite

/// One prepared statement; it is finalized when the value goes out of scope.
///
/// Parameters count from 1 and columns from 0, as they do for SQLite.
package struct Statement: ~Copyable {
  let handle: OpaquePointer

  init(owning handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Runs to the next row; false if there is none.
  package borrowing func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(code, of: sqlite3_db_handle(handle))
    }
  }

  /// Runs to the end and ignores the rows.
  package borrowing func run() throws(SQLiteError) {
    var code = sqlite3_step(handle)
    while code == SQLITE_ROW { code = sqlite3_step(handle) }
    guard code == SQLITE_DONE else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }
}

/// The columns of the current row.
extension Statement {
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column in the result, as the statement spells it.
  package borrowing func name(ofColumn index: Int) -> Name {
    sqlite3_column_name(handle, Int32(index)).map { Name($0) } ?? Name("")
  }

  package borrowing func storageClass(_ column: Int) -> StorageClass {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package borrowing func isNull(_ column: Int) -> Bool {
    storageClass(column) == .null
  }

  package borrowing func integer(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  package borrowing func real(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// Passes the bytes of text to `body`; they are valid during the call only.
  package borrowing func withText<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    body(textBytes(column) ?? UnsafeBufferPointer(start: nil, count: 0))
  }

  package borrowing func blob(_ column: Int) -> [UInt8] {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Text that SQLite says about itself, for example a mode; nil for NULL.
  ///
  /// Bytes that are not UTF-8 are replaced, so this is not for text from a schema or a table.
  package borrowing func text(_ column: Int) -> String? {
    sqlite3_column_text(handle, Int32(column)).map { String(cString: $0) }
  }

  /// A column of the row, read as the name of a table or column; nil for NULL.
  package borrowing func name(_ column: Int) -> Name? {
    textBytes(column).map { Name($0) }
  }

  /// The bytes of text, which are valid until the next call for this column; nil for NULL.
  private borrowing func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return UnsafeBufferPointer(start: start, count: count)
  }
}

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

  /// Binds bytes as text; they need not be UTF-8.
  package borrowing func bind(text bytes: [UInt8], at index: Int) throws(SQLiteError) {
    try check(bytes.withUnsafeBufferPointer { bindText($0, at: index) })
  }

  package borrowing func bind(blob bytes: [UInt8], at index: Int) throws(SQLiteError) {
    if bytes.isEmpty { return try check(sqlite3_bind_zeroblob(handle, Int32(index), 0)) }
    try check(
      sqlite3_bind_blob64(handle, Int32(index), bytes, UInt64(bytes.count), Self.transient))
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
    guard !bytes.isEmpty else {
      return sqlite3_bind_text64(handle, Int32(index), "", 0, Self.transient, UInt8(SQLITE_UTF8))
    }
    return bytes.withMemoryRebound(to: CChar.self) {
      sqlite3_bind_text64(
        handle, Int32(index), $0.baseAddress, UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
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

/// The class of a stored value (sqlite.org/datatype3.html, section 2).
package enum StorageClass {
  case null, integer, real, text, blob
}
