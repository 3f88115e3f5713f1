internal import UpliftSQLite

/// The text of a script that makes tables equal to those of the seed: for tables that are the
/// program's alone.
struct OverwriteScript {
  /// Each after those that it refers to.
  let tables: [ContentTable]

  /// Rows are removed first, so that a new row may have the unique values of one that is gone.
  ///
  /// SQLite's upsert would do for many tables, but not for all. It fires a trigger without `AFTER` for
  /// rows that are there already, and it may take another unique index for the key.
  var text: String {
    """
    -- uplift: reads-seed
    --
    -- Makes these tables equal to those of the seed. ROWS THAT USERS HAVE ADDED TO THEM ARE DELETED, AND
    -- EDITS ARE LOST. To keep rows that the seed does not have, remove the DELETE of the table.

    """ + tables.reversed().map(delete).joined() + tables.map { update($0) + insert($0) }.joined()
  }

  private func delete(_ table: ContentTable) -> String {
    """

    DELETE FROM \(table.text) AS mine
    WHERE NOT EXISTS (SELECT 1 FROM seed.\(table.text) AS new WHERE \(table.sameKey("new", "mine")));

    """
  }

  /// Empty if the table has only a key.
  private func update(_ table: ContentTable) -> String {
    let changing = table.changingColumns.map(\.sql)
    if changing.isEmpty { return "" }
    return """

      UPDATE \(table.text) AS mine SET
        \(changing.map { "\($0) = new.\($0)" }.joined(separator: ",\n  "))
      FROM seed.\(table.text) AS new
      WHERE \(table.sameKey("mine", "new"))
        AND NOT (\(table.sameValues("mine", "new", isTemporary: false)));

      """
  }

  private func insert(_ table: ContentTable) -> String {
    let columns = table.columns.map(\.name.sql)
    return """

      INSERT INTO \(table.text) (\(columns.joined(separator: ", ")))
      SELECT \(columns.map { "new.\($0)" }.joined(separator: ", ")) FROM seed.\(table.text) AS new
      WHERE NOT EXISTS (SELECT 1 FROM \(table.text) AS mine WHERE \(table.sameKey("mine", "new")));

      """
  }
}
