/// Finds out whether a database is whole.
extension Connection {
  /// The first sentence of `quick_check` or `integrity_check` that shows damage; nil if there is
  /// none.
  ///
  /// A sentence about a value in a table that is `WITHOUT ROWID` is passed over. SQLite 3.40.1 says
  /// "NULL value in t.a" of a sound table: `t (a NOT NULL, b PRIMARY KEY) WITHOUT ROWID`.
  package borrowing func damage(foundBy pragma: String) throws(SQLiteError) -> String? {
    let first = try text("PRAGMA \(pragma)(1)") ?? "no answer"
    if first == "ok" { return nil }
    let tables = try tablesWithoutRowID()
    func isUncertain(_ words: String) -> Bool {
      tables.contains { table in
        Self.wrongValues.contains { words.hasPrefix("\($0) value in \(table).") }
      }
    }
    if !isUncertain(first) { return first }
    // SQLite reports a damaged tree before any value. So no tree is damaged, and the sentences come
    // one by one, and do not fill the memory.
    let sentences = try prepare("PRAGMA \(pragma)(2147483647)" as SQL)
    while try sentences.step() {
      guard let words = sentences.text(0), !isUncertain(words) else { continue }
      return words
    }
    return nil
  }

  /// How SQLite's sentences about values begin.
  private static let wrongValues =
    ["NULL", "TEXT", "NUMERIC"] + ["INT", "INTEGER", "REAL", "TEXT", "BLOB"].map { "non-" + $0 }

  private borrowing func tablesWithoutRowID() throws(SQLiteError) -> [String] {
    let list = try prepare("PRAGMA main.table_list" as SQL)
    var names: [String] = []
    while try list.step() {
      if list.integer(4) == 1, let name = list.text(1) { names.append(name) }
    }
    return names
  }
}
