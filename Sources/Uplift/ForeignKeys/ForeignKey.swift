internal import UpliftSQLite

/// One foreign key, as `PRAGMA foreign_key_list` describes it.
struct ForeignKey: Hashable {
  /// The child's columns.
  var from: [Name]
  var parent: Name
  /// The parent's columns; empty if the parent's primary key is meant.
  var to: [Name]
}

/// A foreign key as it was before a script, with the name that its table had then.
struct OldForeignKey: Hashable {
  let table: Name
  let key: ForeignKey
}

extension Connection {
  /// The foreign keys of a table, in SQLite's order: the one that was declared last comes first.
  ///
  /// The pragma itself, because the table-valued function costs fifty times as much to prepare.
  borrowing func foreignKeys(of table: Name) throws(SQLiteError) -> [ForeignKey] {
    let rows = try prepare("PRAGMA main.foreign_key_list(\(table))" as SQL)
    var keys: [ForeignKey] = []
    while try rows.step() {
      // A row for each column, with its place in the key, from 0.
      if rows.integer(1) == 0 {
        keys.append(ForeignKey(from: [], parent: rows.name(2) ?? Name(""), to: []))
      }
      keys[keys.count - 1].from.append(rows.name(3) ?? Name(""))
      if let column = rows.name(4) { keys[keys.count - 1].to.append(column) }
    }
    return keys
  }

}

/// The columns of one table, with what the check of a foreign key needs to know of them.
struct TableColumns {
  struct Column {
    let name: Name
    let type: Name
    /// Its place in the primary key, from 1; 0 if it is not in it.
    let keyPlace: Int64
    let isGenerated: Bool
  }

  let all: [Column]

  init(_ table: Name, _ connection: borrowing Connection) throws(SQLiteError) {
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var all: [Column] = []
    while try rows.step() {
      all.append(
        Column(
          name: rows.name(1) ?? Name(""), type: rows.name(2) ?? Name(""),
          keyPlace: rows.integer(5), isGenerated: rows.integer(6) > 1))
    }
    self.all = all
  }

  /// The primary key's columns, in their order in the key.
  var primaryKey: [Name] {
    all.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
  }
}
