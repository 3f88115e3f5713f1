/// Finds out whether a database is whole.
extension Connection {
  /// The first sentence of `quick_check` or `integrity_check` that shows damage; nil if there is
  /// none.
  ///
  /// A sentence about a value that does not fit its column is passed over. SQLite 3.40.1 says
  /// "NULL value in t.a" of a sound table: `t (a NOT NULL, b PRIMARY KEY) WITHOUT ROWID`.
  package borrowing func damage(foundBy pragma: String) throws(SQLiteError) -> String? {
    let first = try text("PRAGMA \(pragma)(1)") ?? "no answer"
    if first == "ok" { return nil }
    if !Self.isAboutValue(first) { return first }
    // SQLite reports a damaged tree before any value. So no tree is damaged, and the sentences come
    // one by one, and do not fill the memory.
    let sentences = try prepare("PRAGMA \(pragma)(2147483647)" as SQL)
    while try sentences.step() {
      guard let words = sentences.text(0), !Self.isAboutValue(words) else { continue }
      return words
    }
    return nil
  }

  private static func isAboutValue(_ words: String) -> Bool {
    let types =
      ["NULL", "TEXT", "NUMERIC"]
      + ["INT", "INTEGER", "REAL", "TEXT", "BLOB"].map { "non-" + $0 }
    return types.contains { words.hasPrefix($0 + " value in ") }
  }
}
