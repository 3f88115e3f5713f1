internal import CUpliftSQLite

/// Uplift's own statements: one statement in each text.
extension Connection {
  /// Prepares one statement, whose parameters the caller binds.
  package borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, 0, &statement, nil)
    return try prepared(statement, code)
  }

  /// Prepares one statement that has names from the schema in it.
  package borrowing func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = (sql.bytes + [0]).withUnsafeBytes { buffer in
      sqlite3_prepare_v3(
        handle, buffer.assumingMemoryBound(to: CChar.self).baseAddress, -1, 0, &statement, nil)
    }
    return try prepared(statement, code)
  }

  private borrowing func prepared(
    _ statement: OpaquePointer?, _ code: Int32
  ) throws(SQLiteError) -> Statement {
    guard let statement, code == SQLITE_OK else {
      throw SQLiteError(code == SQLITE_OK ? SQLITE_MISUSE : code, of: handle)
    }
    return Statement(owning: statement)
  }

  /// Runs one statement to its end.
  package borrowing func run(_ sql: String) throws(SQLiteError) {
    try prepare(sql).run()
  }

  /// Runs one statement that has names from the schema in it to its end.
  package borrowing func run(_ sql: SQL) throws(SQLiteError) {
    try prepare(sql).run()
  }

  /// The first column of the first row as a number; 0 if there is no row.
  package borrowing func integer(_ sql: String) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// As ``integer(_:)``, for a statement that has names from the schema in it.
  package borrowing func integer(_ sql: SQL) throws(SQLiteError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row as text; nil if there is no row.
  package borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }
}
