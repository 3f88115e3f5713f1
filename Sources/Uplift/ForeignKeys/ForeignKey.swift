package import UpliftSQLite

/// One foreign key, as `PRAGMA foreign_key_list` describes it.
package struct ForeignKey: Hashable {
  /// The columns of the child.
  package var from: [Name]
  package var parent: Name
  /// The columns of the parent; empty if the foreign key leads to the parent's primary key.
  package var to: [Name]
}

/// One column of a table, as `PRAGMA table_xinfo` describes it.
package struct SchemaColumn {
  package let name: Name
  package let type: Name
  /// The column's position in the primary key, from 1; 0 if it is not part of the key.
  package let positionInPrimaryKey: Int64
  package let isGenerated: Bool
}

extension [SchemaColumn] {
  /// The columns of the primary key, in the order of the key.
  package var primaryKey: [Name] {
    filter { $0.positionInPrimaryKey > 0 }
      .sorted { $0.positionInPrimaryKey < $1.positionInPrimaryKey }
      .map(\.name)
  }
}

extension Connection {
  /// The foreign keys of a table, in SQLite's order: the one that was declared last comes first.
  ///
  /// The table-valued function `pragma_foreign_key_list` takes fifty times as long to prepare.
  package borrowing func foreignKeys(of table: Name) throws(SQLiteError) -> [ForeignKey] {
    let rows = try prepare("PRAGMA main.foreign_key_list(\(table))" as SQL)
    var keys: [ForeignKey] = []
    while try rows.step() {
      // The pragma returns a row for each column of a foreign key, with its position, from 0.
      if rows.integer(1) == 0 {
        keys.append(ForeignKey(from: [], parent: rows.name(2) ?? Name(""), to: []))
      }
      keys[keys.count - 1].from.append(rows.name(3) ?? Name(""))
      if let column = rows.name(4) { keys[keys.count - 1].to.append(column) }
    }
    return keys
  }

  /// The columns of a table; none if there is no such table.
  package borrowing func columns(of table: Name) throws(SQLiteError) -> [SchemaColumn] {
    let rows = try prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [SchemaColumn] = []
    while try rows.step() {
      columns.append(
        SchemaColumn(
          name: rows.name(1) ?? Name(""), type: rows.name(2) ?? Name(""),
          positionInPrimaryKey: rows.integer(5), isGenerated: rows.integer(6) > 1))
    }
    return columns
  }

  /// A name of the row identifier that no column of the table has; nil if there is none.
  borrowing func rowIdentifier(of table: Name) throws(SQLiteError) -> Name? {
    let taken = try columns(of: table).map(\.name)
    let names = [Name("_rowid_"), Name("rowid"), Name("oid")]
    guard let free = names.first(where: { !taken.contains($0) }) else { return nil }
    do {
      // With the table's name, because double quotes alone may make it a string.
      _ = try prepare("SELECT c.\(free) FROM main.\(table) c" as SQL)
      return free
    } catch  where error.code == .error {
      // The table is WITHOUT ROWID.
      return nil
    }
  }
}
