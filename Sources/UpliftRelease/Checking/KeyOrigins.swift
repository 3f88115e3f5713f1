internal import Uplift
internal import UpliftSQLite

/// The script that made each foreign key.
///
/// A foreign key of the starting point has no such script.
struct KeyOrigins {
  private struct TableKey: Hashable {
    let table: Name
    let key: ForeignKey
  }

  private var origins: [TableKey: Finding.Place] = [:]
  private var first: Set<TableKey> = []

  /// The script that made a foreign key; nil if it was there before the first script.
  func origin(of key: ForeignKey, in table: Name) -> Finding.Place? {
    origins[TableKey(table: table, key: key)]
  }

  /// Takes in the foreign keys that are there before the first script.
  mutating func begin(
    with tables: some Sequence<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for table in tables {
      for key in try connection.foreignKeys(of: table) {
        first.insert(TableKey(table: table, key: key))
      }
    }
  }

  /// Takes in the foreign keys of the tables that a script has made or changed.
  mutating func note(
    _ tables: [Name], _ script: Script, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for table in tables {
      for key in try connection.foreignKeys(of: table) {
        let key = TableKey(table: table, key: key)
        guard !first.contains(key), origins[key] == nil else { continue }
        origins[key] = Finding.Place(in: script, at: nil)
      }
    }
  }
}
