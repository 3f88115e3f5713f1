internal import CUpliftSQLite

/// The statements of a script, one after the other.
extension Connection {
  /// Prepares the statement that begins at `position`, and moves the position to the next one; nil
  /// if only blanks and comments are left.
  ///
  /// The text must end with a zero byte. If preparing fails, the position stays. SQLite itself says
  /// where the statement ends, by its tail pointer. No length is passed: with a length SQLite would
  /// copy the rest of the text, for each statement again.
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
    let (hasObjects, hasSettings) = (scriptGuard.hasTemporaryObjects, scriptGuard.hasSettings)
    if hasObjects { try dropTemporaryObjects() }
    guard hasSettings else { return }
    for setting in [
      "recursive_triggers=OFF", "legacy_alter_table=OFF", "case_sensitive_like=OFF",
      "automatic_index=ON", "analysis_limit=0",
    ] {
      try run("PRAGMA \(setting)")
    }
  }

  /// Drops triggers and views first, and virtual tables before the tables that hold their data.
  private borrowing func dropTemporaryObjects() throws(SQLiteError) {
    // SQLite drops no table while a full-text table keeps a blob open.
    try closeBlobsOfVirtualTables()
    while let object = try firstTemporaryObject() {
      try run("DROP \(object.kind) temp.\(object.name)" as SQL)
    }
  }

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
