internal import CUpliftSQLite

/// Uplift's own statements: one statement in each text.
extension Connection {
  /// Prepares one statement, whose parameters the caller binds.
  package borrowing func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try prepare(SQL(sql))
  }

  /// Prepares one statement that has names from the schema in it.
  package borrowing func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql.bytes.cString, -1, 0, &statement, nil)
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
    try integer(SQL(sql))
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

/// The statements of a script, one after the other.
extension Connection {
  /// Prepares the statement that begins at `position`, and moves the position to the next one; nil
  /// if only blanks and comments are left.
  ///
  /// The text must end with a zero byte. If preparing fails, the position stays. No length is
  /// passed: with a length SQLite would copy the rest of the text, for each statement again.
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

  /// Takes away what a step left on the connection: temporary objects and settings.
  ///
  /// It must be called after each step, in its transaction, so that the next step finds the same
  /// connection whether or not it has a transaction of its own.
  package borrowing func takeAwayLeftovers() throws(SQLiteError) {
    // A full-text table writes what it has in memory, as it would at a commit.
    if hasBusyStatement || !scriptGuard.tables.lasting.isEmpty { try closeBlobsOfVirtualTables() }
    guard scriptGuard.hasLeftovers else { return }
    while let object = try firstTemporaryObject() {
      try run("DROP \(object.kind) temp.\(object.name)" as SQL)
    }
    for setting in [
      "recursive_triggers=OFF", "legacy_alter_table=OFF", "case_sensitive_like=OFF",
      "automatic_index=ON", "analysis_limit=0",
    ] {
      try run("PRAGMA \(setting)")
    }
  }

  /// Triggers and views come first, and virtual tables before the tables that hold their data.
  private borrowing func firstTemporaryObject() throws(SQLiteError) -> (kind: String, name: Name)? {
    let row = try prepare(
      """
      SELECT type, name FROM temp.sqlite_master
      WHERE type IN ('trigger', 'view', 'table') AND name NOT GLOB 'sqlite_*'
        AND name NOT GLOB 'uplift''s *'
      ORDER BY type <> 'trigger', type <> 'view', rootpage <> 0 LIMIT 1
      """)
    guard try row.step(), let kind = row.text(0), let name = row.name(1) else { return nil }
    return (kind, name)
  }
}
