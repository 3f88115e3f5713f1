internal import CUpliftSQLite

/// One row of a question about the schema.
package struct Row {
  private let values: [Value]

  init(_ statement: borrowing Statement) {
    var values: [Value] = []
    for column in 0..<statement.columnCount { values.append(statement.value(column)) }
    self.values = values
  }

  /// Empty for what is no text; bytes that are not UTF-8 are replaced.
  package func text(_ column: Int) -> String {
    switch values[column] {
    case .text(let text): text
    case .rawText(let bytes): String(decoding: bytes, as: UTF8.self)
    default: ""
    }
  }

  /// 0 for what is no number.
  package func number(_ column: Int) -> Int64 {
    if case .integer(let number) = values[column] { number } else { 0 }
  }
}

extension Connection {
  /// All rows of a question about one name.
  package borrowing func rows(_ sql: String, _ name: String) throws(SQLiteError) -> [Row] {
    let statement = try prepare(sql)
    try statement.bind(.text(name), at: 1)
    var rows: [Row] = []
    while try statement.step() { rows.append(Row(statement)) }
    return rows
  }

  /// The foreign keys of one table of the main database: the parent, and the columns at both ends;
  /// `to` is empty where the parent's key is meant.
  ///
  /// The pragma itself, not the table of its name, which costs fifty times as much to prepare.
  package borrowing func foreignKeys(
    of table: String
  ) throws(SQLiteError) -> [(parent: String, from: [String], to: [String])] {
    let statement = try prepare("PRAGMA main.foreign_key_list(\(table.asName))")
    var keys: [(parent: String, from: [String], to: [String])] = []
    while try statement.step() {
      // One row for each column, and they are counted from 0.
      if statement.integer(1) == 0 { keys.append((statement.text(2) ?? "", [], [])) }
      keys[keys.count - 1].from.append(statement.text(3) ?? "")
      if let column = statement.text(4) { keys[keys.count - 1].to.append(column) }
    }
    return keys
  }

  /// By what a column of the main database is compared, where nothing else is said.
  package borrowing func collation(
    of column: String, in table: String
  ) throws(SQLiteError) -> String {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { throw SQLiteError(code, of: handle) }
    return String(cString: name)
  }
}
