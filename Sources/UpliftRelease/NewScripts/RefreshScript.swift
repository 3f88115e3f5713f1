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
      -- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep a
      -- user's values of a column, remove the column after SET and after the last WHERE.

      """
    // Rows are removed first, so that a new row may have the unique values of one that is gone.
    let statements =
      sorted.reversed().map { delete($0) } + sorted.map { insert($0) }
    return head + statements.map { "\n" + $0 + "\n" }.joined()
  }

  private func delete(_ table: SeedTable) -> String {
    let name = table.name.text
    let key = list(table.key)
    let left = table.key.count == 1 ? key : "(\(key))"
    let kept = "SELECT \(key) FROM seed.\(name)"
    guard !table.nullable.isEmpty else {
      return "DELETE FROM \(name) WHERE \(left) NOT IN (\(kept));"
    }
    // With a NULL among the keys of the seed, NOT IN would never be true. A row with NULL in its key
    // conflicts with no other, so it is removed and inserted again.
    let isNull = table.nullable.map { "\($0.text) IS NULL" }
    let isNotNull = table.nullable.map { "\($0.text) IS NOT NULL" }
    return """
      DELETE FROM \(name)
      WHERE \(isNull.joined(separator: " OR "))
        OR \(left) NOT IN (\(kept) WHERE \(isNotNull.joined(separator: " AND ")));
      """
  }

  private func insert(_ table: SeedTable) -> String {
    let name = table.name.text
    let columns = list(table.columns.map(\.name))
    let key = list(table.key)
    // The seed may spell a key in another way: in another case, if the collation ignores case, or
    // as 1.0 instead of 1.
    let changing = table.columns.filter {
      $0.foldsValues || $0.distinguishesIntegerFromReal || !table.key.contains($0.name)
    }
    // In a table of this name, `excluded` would not be the new row.
    let alias = table.name == Name("excluded") ? " AS old" : ""
    let note = """
      -- A trigger of this table does not say AFTER. It fires for each row of the seed, because SQLite
      -- does not know yet that the row is there.

      """
    // The words of the table would delete a user's row that has the text of a new row, or would
    // leave out the new row.
    let abort = table.hasConflictClause ? " OR ABORT" : ""
    // If a column is called `true`, `WHERE true` would mean that column.
    let start = """
      \(table.firesBeforeInsert ? note : "")INSERT\(abort) INTO \(name)\(alias) (\(columns))
      SELECT \(columns) FROM seed.\(name) WHERE 1
      ON CONFLICT (\(key)) DO
      """
    guard !changing.isEmpty else { return start + " NOTHING;" }
    let sets = changing.map { "  \($0.name.text) = excluded.\($0.name.text)" }
    // The collation of the left side decides, and must not take `a` and `A` for the same.
    let old = changing.flatMap { column in
      compared(column, column.name.text + (column.foldsValues ? " COLLATE BINARY" : ""))
    }
    let new = changing.flatMap { compared($0, "excluded.\($0.name.text)") }
    let condition =
      old.count == 1
      ? "\(old[0]) IS NOT \(new[0])"
      : "(\(old.joined(separator: ", "))) IS NOT (\(new.joined(separator: ", ")))"
    return start + " UPDATE SET\n" + sets.joined(separator: ",\n") + "\nWHERE \(condition);"
  }

  /// The expressions by which two values of a column are compared.
  private func compared(_ column: SeedTable.Column, _ value: String) -> [String] {
    column.distinguishesIntegerFromReal ? [value, "typeof(\(value))"] : [value]
  }

  private func list(_ names: [Name]) -> String { names.map(\.text).joined(separator: ", ") }
}

extension Name {
  /// The name in SQL; the names of a `SeedTable` are UTF-8.
  fileprivate var text: String { String(decoding: written, as: UTF8.self) }
}
