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
    let uncertain = try uncertainStarts()
    if !uncertain.contains(where: { first.hasPrefix($0) }) { return first }
    // SQLite reports a damaged tree before any value. So no tree is damaged, and the sentences come
    // one by one, and do not fill the memory.
    return try firstSentence(of: "PRAGMA \(pragma)(2147483647)", notBeginningWith: uncertain)
  }

  private borrowing func firstSentence(
    of check: SQL, notBeginningWith starts: [String]
  ) throws(SQLiteError) -> String? {
    let sentences = try prepare(check)
    while try sentences.step() {
      if let words = sentences.text(0), !starts.contains(where: { words.hasPrefix($0) }) {
        return words
      }
    }
    return nil
  }

  /// The first sentence of `quick_check` that shows damage, if a collation or a function is missing
  /// that a table needs; nil if there is none.
  ///
  /// A single such table keeps `quick_check` of the whole database from starting. So the tables are
  /// checked one by one. Of such a table, only the rows are read: that needs no index. Then the pages
  /// are counted. After that, nothing may be sorted on this connection.
  package borrowing func damageInTables() throws(SQLiteError) -> String? {
    let starts = try ["ok"] + uncertainStarts()
    let tables = try prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    while try tables.step() {
      guard let name = tables.name(0) else { continue }
      do {
        let words = try firstSentence(
          of: "PRAGMA main.quick_check(\(name))", notBeginningWith: starts)
        if let words { return words }
      } catch {
        guard error.code.primary == .error else { throw error }
        try readRows(of: name)
      }
    }
    return try damageOfPages()
  }

  /// What `quick_check` says of pages that several tables use, that are free as well, or that nothing
  /// uses; nil if nothing, or if a function is missing.
  ///
  /// `quick_check` of a single table does not count the pages. The whole check needs the collations to
  /// begin, and this part of it does not call them. So each gets a stand-in, and what the check says
  /// of rows is passed over.
  private borrowing func damageOfPages() throws(SQLiteError) -> String? {
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

  /// Reads the rows of a table, if that needs nothing that is missing, and fails at a damaged page.
  ///
  /// The primary key of a table that is `WITHOUT ROWID` may need the collation, and a generated column
  /// the function.
  private borrowing func readRows(of table: Name) throws(SQLiteError) {
    do {
      let rows = try prepare("SELECT * FROM main.\(table) NOT INDEXED" as SQL)
      while try rows.step() {}
    } catch {
      guard error.code.primary == .error else { throw error }
    }
  }

  /// How the sentences begin that are passed over.
  private borrowing func uncertainStarts() throws(SQLiteError) -> [String] {
    let types = ["TEXT", "NUMERIC", "non-INT", "non-INTEGER", "non-REAL", "non-TEXT", "non-BLOB"]
    return try types.map { $0 + " value in " }
      + tablesWithoutRowID().map { "NULL value in \($0)." }
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

  /// True if there is a virtual table of this name.
  package borrowing func isVirtual(_ name: Name) throws(SQLiteError) -> Bool {
    let row = try prepare(
      "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0"
        + " AND name = ?1 COLLATE NOCASE")
    try row.bind(name, at: 1)
    return try row.step()
  }

  /// The collation that a column was declared with; nil if there is no such column.
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
