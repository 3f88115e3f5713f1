internal import CUpliftSQLite

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

  /// False for a table that is `WITHOUT ROWID`.
  package borrowing func hasRowIdentifier(_ table: Name) throws(SQLiteError) -> Bool {
    let row = try prepare("PRAGMA main.table_list(\(table))" as SQL)
    return try row.step() && row.integer(4) == 0
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
