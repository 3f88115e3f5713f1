internal import Uplift
internal import UpliftSQLite

/// The schema of a database in use, and the tables in it that other programs need.
struct LiveSchema: Equatable {
  let schema: DatabaseSchema
  /// The tables of Litestream.
  let litestreamTables: [Name]

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    schema = try DatabaseSchema(connection)
    let rows = try connection.prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY rowid")
    var tables: [Name] = []
    while try rows.step() {
      if let name = rows.name(0), name.isOfLitestream { tables.append(name) }
    }
    litestreamTables = tables.sorted()
  }
}
