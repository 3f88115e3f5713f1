internal import UpliftSQLite

/// The text of a script that makes the rows of some tables equal to those of the seed.
///
/// It is written to be read and edited: a line for each column, and comments that say which line to
/// remove for which purpose.
struct RefreshScript {
  let tables: [SeedTable]

  var text: String {
    let sorted = SeedTable.parentsFirst(tables)
    let others =
      tables.contains(where: \.hasTriggers)
      ? "Triggers fire, and\n-- may change rows of other tables."
      : "Rows of other tables are not changed."
    let head = """
      -- uplift: reads-seed
      --
      -- Brings the rows of the seed into existing databases. \(others)
      --
      -- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep users'
      -- values, remove the UPDATE, or a column in two places: after SET and after AND.

      """
    // Rows are removed first, so that a new row may have the unique values of one that is gone.
    let statements = sorted.reversed().map { delete($0) } + sorted.map { bring($0) }
    return head + statements.map { "\n" + $0 + "\n" }.joined()
  }

  private func delete(_ table: SeedTable) -> String {
    let name = table.name.text
    if table.key.count == 1, let key = table.key.first, !key.mayBeNull, key.collation == nil {
      let key = key.name.text
      return "DELETE FROM \(name) WHERE \(key) NOT IN (SELECT \(key) FROM seed.\(name));"
    }
    // With a NULL among the keys of the seed, NOT IN would never be true. For a key of several columns
    // SQLite may take an index with other collations (seen in 3.40.1).
    let note =
      table.key.contains(where: \.mayBeNull)
      ? "-- A row with NULL in its key cannot be told from others: it is deleted and inserted again.\n"
      : ""
    let new = table.name == Name("new") ? "seeded" : "new"
    return """
      \(note)DELETE FROM \(name)
      WHERE NOT EXISTS (SELECT 1 FROM seed.\(name) AS \(new) WHERE \(sameKey(table, name, as: new)));
      """
  }

  /// An `UPDATE` and an `INSERT`.
  ///
  /// SQLite's upsert would do for many tables, but not for all. It fires a trigger without `AFTER` for
  /// rows that are there already. It passes over `OR IGNORE` in triggers. It may take
  /// another unique index for the key. It may change numbers in the columns after a virtual column
  /// (seen in 3.40.1).
  private func bring(_ table: SeedTable) -> String {
    let name = table.name.text
    let columns = list(table.columns.map(\.name))
    let note = table.isWrittenByTriggers ? Self.triggersWrite + "\n" : ""
    return """
      \(note)\(update(table))INSERT\(abort(table)) INTO \(name) (\(columns))
      SELECT \(columns) FROM seed.\(name) AS new
      WHERE NOT EXISTS (SELECT 1 FROM \(name) AS old WHERE \(sameKey(table, "old", as: "new")));
      """
  }

  private static let triggersWrite = """
    -- Triggers write into this table, too. If they keep a column, such as a counter, remove it in all
    -- four places: after SET, AND, INSERT INTO and SELECT.
    """

  /// Empty if the table has only a key.
  private func update(_ table: SeedTable) -> String {
    // The seed may spell a key in another way: in another case, if the collation ignores case, or
    // as 1.0 instead of 1.
    let key = table.key.map(\.name)
    let changing = table.columns.filter {
      $0.foldsValues || $0.distinguishesIntegerFromReal || !key.contains($0.name)
    }
    guard !changing.isEmpty else { return "" }
    let sets = changing.map { "  \($0.name.text) = new.\($0.name.text)" }.joined(separator: ",\n")
    let name = table.name.text
    return """
      UPDATE\(abort(table)) \(name) AS old SET
      \(sets)
      FROM seed.\(name) AS new
      WHERE \(sameKey(table, "old", as: "new"))
        AND \(differ(changing));


      """
  }

  /// The words of the table would delete a user's row that has the text of a new row, or would leave
  /// out the new row.
  private func abort(_ table: SeedTable) -> String { table.hasConflictClause ? " OR ABORT" : "" }

  /// The condition that a row `old` of the database has other values than the row `new` of the seed.
  private func differ(_ columns: [SeedTable.Column]) -> String {
    // The collation of the left side decides, and must not take `a` and `A` for the same.
    let olds = columns.flatMap { column in
      compared(column, "old.\(column.name.text)" + (column.foldsValues ? " COLLATE BINARY" : ""))
    }
    let news = columns.flatMap { compared($0, "new.\($0.name.text)") }
    return olds.count == 1
      ? "\(olds[0]) IS NOT \(news[0])"
      : "(\(olds.joined(separator: ", "))) IS NOT (\(news.joined(separator: ", ")))"
  }

  /// The condition that a row of the database has the key of a row of the seed.
  private func sameKey(_ table: SeedTable, _ old: String, as new: String) -> String {
    table.key.map { "\(old).\($0.text) = \(new).\($0.name.text)" }.joined(separator: " AND ")
  }

  /// The expressions by which two values of a column are compared.
  private func compared(_ column: SeedTable.Column, _ value: String) -> [String] {
    column.distinguishesIntegerFromReal ? [value, "typeof(\(value))"] : [value]
  }

  private func list(_ names: [Name]) -> String { names.map(\.text).joined(separator: ", ") }
}

extension SeedTable.KeyColumn {
  /// The column in SQL, with its collation if that has to be named.
  fileprivate var text: String {
    name.text + (collation.map { " COLLATE \($0.text)" } ?? "")
  }
}

extension Name {
  /// The name in SQL; the names of a `SeedTable` are UTF-8.
  fileprivate var text: String { String(decoding: written, as: UTF8.self) }
}
