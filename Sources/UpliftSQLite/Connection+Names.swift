internal import CUpliftSQLite

/// Questions about the schema, whose names are bytes.
extension Connection {
  /// Prepares one statement of our own; parameters are bound by the caller.
  package borrowing func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
    let text = sql.bytes + [0]
    var statement: OpaquePointer?
    let code = text.withUnsafeBytes { buffer in
      sqlite3_prepare_v3(
        handle, buffer.assumingMemoryBound(to: CChar.self).baseAddress, -1, 0, &statement, nil)
    }
    guard let statement, code == SQLITE_OK else {
      throw SQLiteError(code == SQLITE_OK ? SQLITE_MISUSE : code, of: handle)
    }
    return Statement(owning: statement)
  }

  /// Runs one statement of our own to its end.
  package borrowing func run(_ sql: SQL) throws(SQLiteError) {
    try prepare(sql).run()
  }

  /// True if the main database has a table of this name; a view is no table.
  package borrowing func hasTable(_ name: Name) throws(SQLiteError) -> Bool {
    let text = name.bytes + [0]
    let code = text.withUnsafeBytes { buffer in
      sqlite3_table_column_metadata(
        handle, "main", buffer.assumingMemoryBound(to: CChar.self).baseAddress, nil, nil, nil, nil,
        nil, nil)
    }
    switch code {
    case SQLITE_OK: return true
    case SQLITE_ERROR: return false
    default: throw SQLiteError(code, of: handle)
    }
  }

  /// The collation that a column of the main database was declared with; nil if there is no such
  /// column.
  package borrowing func collation(of column: Name, in table: Name) -> Name? {
    let names = (table.bytes + [0], column.bytes + [0])
    return names.0.withUnsafeBytes { table in
      names.1.withUnsafeBytes { column in
        var collation: UnsafePointer<CChar>?
        let code = sqlite3_table_column_metadata(
          handle, "main", table.assumingMemoryBound(to: CChar.self).baseAddress,
          column.assumingMemoryBound(to: CChar.self).baseAddress, nil, &collation, nil, nil, nil)
        return code == SQLITE_OK ? collation.map { Name($0) } : nil
      }
    }
  }
}

extension Statement {
  /// Binds the bytes of a name as text.
  package borrowing func bind(_ name: Name, at index: Int) throws(SQLiteError) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // An empty array has no address, and SQLite would bind NULL.
    let code = (name.bytes + [0]).withUnsafeBytes { buffer in
      sqlite3_bind_text64(
        handle, Int32(index), buffer.assumingMemoryBound(to: CChar.self).baseAddress,
        UInt64(name.bytes.count), transient, UInt8(SQLITE_UTF8))
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }

  /// The name in a column of the row; nil for NULL.
  package borrowing func name(_ column: Int) -> Name? {
    guard let text = sqlite3_column_text(handle, Int32(column)) else { return nil }
    return Name(
      UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// Binds the value in a column of another statement's row, as it is stored.
  package borrowing func bind(
    _ column: Int, of row: borrowing Statement, at index: Int
  ) throws(SQLiteError) {
    let value = sqlite3_column_value(row.handle, Int32(column))
    let code = sqlite3_bind_value(handle, Int32(index), value)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: sqlite3_db_handle(handle)) }
  }

  package borrowing func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// Makes the statement ready to run again, with the values that are bound.
  package borrowing func reset() {
    sqlite3_reset(handle)
  }
}
