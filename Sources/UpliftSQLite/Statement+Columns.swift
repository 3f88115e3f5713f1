internal import CUpliftSQLite

/// The columns of the current row.
extension Statement {
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column in the result, as the statement spells it.
  package borrowing func name(ofColumn index: Int) -> Name {
    sqlite3_column_name(handle, Int32(index)).map { Name($0) } ?? Name("")
  }

  package borrowing func storageClass(_ column: Int) -> StorageClass {
    StorageClass(sqlite3_column_type(handle, Int32(column)))
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
  /// Bytes that are not UTF-8 are replaced, so this is not for text from the schema or from a
  /// table.
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
