internal import CUpliftSQLite

/// Finds out whether a database is whole.
extension Connection {
  /// The first sentence of `quick_check` or `integrity_check` that shows damage; nil if there is
  /// none.
  ///
  /// Two kinds of sentences are passed over, because SQLite 3.40.1 says them of sound databases:
  /// - "NUMERIC value in t.a" and its like, about the type of a value. `ALTER TABLE t ADD COLUMN a
  ///   TEXT DEFAULT true` makes such values, and so does a generated column of a `STRICT` table.
  /// - "NULL value in t.a" of a table that is `WITHOUT ROWID`, as in
  ///   `t (a NOT NULL, b PRIMARY KEY) WITHOUT ROWID`.
  package borrowing func damage(foundBy pragma: String) throws(SQLiteError) -> String? {
    let first = try text("PRAGMA \(pragma)(1)") ?? "no answer"
    if first == "ok" { return nil }
    let types = ["TEXT", "NUMERIC", "non-INT", "non-INTEGER", "non-REAL", "non-TEXT", "non-BLOB"]
    let uncertain =
      try types.map { $0 + " value in " } + tablesWithoutRowID().map { "NULL value in \($0)." }
    if !uncertain.contains(where: first.hasPrefix) { return first }
    // SQLite reports a damaged tree before any value. So no tree is damaged, and the sentences come
    // one by one, and do not fill the memory.
    let sentences = try prepare("PRAGMA \(pragma)(2147483647)")
    while try sentences.step() {
      if let words = sentences.text(0), !uncertain.contains(where: words.hasPrefix) { return words }
    }
    return nil
  }

  /// What `quick_check` says of damaged pages, if a collation or a function is missing that a table
  /// needs; nil if nothing, or if a function is missing.
  ///
  /// The whole check needs the collations to begin, and this part of it does not call them. So each
  /// gets a stand-in, and what the check says of rows is passed over. After that, nothing may be
  /// sorted on this connection.
  package borrowing func damageOfPages() throws(SQLiteError) -> String? {
    sqlite3_collation_needed(handle, nil) { _, connection, encoding, name in
      _ = sqlite3_create_collation(connection, name, encoding, nil) { _, _, _, _, _ in 0 }
    }
    defer { sqlite3_collation_needed(handle, nil, nil) }
    do {
      let first = try text("PRAGMA main.quick_check(1)")
      return first.flatMap { $0.hasPrefix("*** in database ") ? $0 : nil }
    } catch {
      guard error.code.primary == .error else { throw error }
      return nil
    }
  }

  private borrowing func tablesWithoutRowID() throws(SQLiteError) -> [String] {
    let list = try prepare("PRAGMA main.table_list" as SQL)
    var names: [String] = []
    while try list.step() {
      if list.integer(4) == 1, let name = list.text(1) { names.append(name) }
    }
    return names
  }
}

/// Questions about the schema of the main database.
extension Connection {
  /// True if there is a table of this name; a view is not a table.
  package borrowing func hasTable(_ name: Name) throws(SQLiteError) -> Bool {
    let code = sqlite3_table_column_metadata(
      handle, "main", name.bytes.cString, nil, nil, nil, nil, nil, nil)
    switch code {
    case SQLITE_OK: return true
    case SQLITE_ERROR: return false
    default: throw SQLiteError(code, of: handle)
    }
  }

  /// The collation that a column was declared with; nil if there is no such column.
  package borrowing func collation(of column: Name, in table: Name) -> Name? {
    var collation: CString?
    let code = sqlite3_table_column_metadata(
      handle, "main", table.bytes.cString, column.bytes.cString, nil, &collation, nil, nil, nil)
    return code == SQLITE_OK ? collation.map { Name($0) } : nil
  }
}
