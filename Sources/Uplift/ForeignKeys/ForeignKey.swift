package import UpliftSQLite

/// One foreign key, as `PRAGMA foreign_key_list` describes it.
package struct ForeignKey: Hashable {
  /// The columns of the child.
  package var from: [Name]
  package var parent: Name
  /// The columns of the parent; empty if the foreign key leads to the parent's primary key.
  package var to: [Name]
}

/// A foreign key as it was before a script, with the name that its table had then.
struct OldForeignKey: Hashable {
  let table: Name
  let key: ForeignKey
}

extension Connection {
  /// The foreign keys of a table, in SQLite's order: the one that was declared last comes first.
  ///
  /// It runs the pragma itself, because the table-valued function `pragma_foreign_key_list` takes
  /// fifty times as long to prepare.
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
}
