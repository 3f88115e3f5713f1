internal import UpliftSQLite

extension Connection {
  /// `.seed` or `.database`, if only this one has the table or column that SQLite did not find.
  ///
  /// Nil if both or neither have it. `words` are SQLite's message.
  borrowing func onlySide(named words: String) -> UpgradeError.Side? {
    guard let missing = MissingObject(words) else { return nil }
    do throws(SQLiteError) {
      return try scriptGuard.unwatched { () throws(SQLiteError) in
        let isInDatabase = try has(missing, "main")
        let isInSeed = try has(missing, "seed")
        if isInDatabase == isInSeed { return nil }
        return isInSeed ? .seed : .database
      }
    } catch {
      return nil
    }
  }

  private borrowing func has(_ object: MissingObject, _ schema: String) throws(SQLiteError) -> Bool
  {
    let sql =
      switch object.kind {
      case .table:
        "SELECT 1 FROM \(schema).sqlite_master WHERE type IN ('table', 'view') AND name = ?1"
          + " COLLATE NOCASE"
      case .column:
        "SELECT 1 FROM \(schema).sqlite_master AS t, pragma_table_xinfo(t.name, '\(schema)') AS c"
          + " WHERE t.type IN ('table', 'view') AND c.name = ?1 COLLATE NOCASE"
      }
    let rows = try prepare(sql)
    try rows.bind(object.name, at: 1)
    return try rows.step()
  }
}

/// The name that SQLite did not find, from its message.
private struct MissingObject {
  enum Kind { case table, column }

  let kind: Kind
  let name: String

  /// SQLite's messages are `no such table: seed.words`, `no such column: w.gloss` and
  /// `table words has no column named gloss`.
  init?(_ words: String) {
    if words.hasPrefix("no such table: ") {
      self.init(.table, words.dropFirst(15))
    } else if words.hasPrefix("no such column: ") {
      self.init(.column, words.dropFirst(16))
    } else if let range = words.firstRange(of: " has no column named ") {
      self.init(.column, words[range.upperBound...])
    } else {
      return nil
    }
  }

  /// Only the last part of the name is looked for.
  private init(_ kind: Kind, _ name: Substring) {
    self.kind = kind
    self.name = String(name.split(separator: ".").last ?? name)
  }
}
