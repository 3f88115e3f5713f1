internal import Uplift
internal import UpliftSQLite

/// A table with a primary key that a script may refresh from the attached seed.
struct RefreshedTable {
  let name: Name
  let key: [Name]
}

extension Connection {
  /// The tables that a script both writes and reads from the seed, or all that it writes if it reads
  /// a view of the seed.
  borrowing func refreshedTables(
    _ script: Script
  ) throws(SQLiteError) -> [RefreshedTable] {
    guard script.readsSeed else { return [] }
    let rows = try prepare(
      """
      SELECT name FROM seed.sqlite_master AS theirs WHERE type = 'table' AND rootpage > 0
        AND EXISTS (SELECT 1 FROM main.sqlite_master AS ours
          WHERE ours.type = 'table' AND ours.name = theirs.name COLLATE NOCASE)
      ORDER BY name
      """)
    let (written, read) = (script.tablesOfStatements, script.tablesOfSeed)
    let readsView = try viewsOfSeed().contains(where: read.contains)
    var tables: [RefreshedTable] = []
    while try rows.step() {
      guard let name = rows.name(0), !name.isInternal, written.contains(name),
        readsView || read.contains(name)
      else { continue }
      let key = try columns(of: name).primaryKey
      if !key.isEmpty { tables.append(RefreshedTable(name: name, key: key)) }
    }
    return tables
  }

  private borrowing func viewsOfSeed() throws(SQLiteError) -> [Name] {
    let rows = try prepare("SELECT name FROM seed.sqlite_master WHERE type = 'view'")
    var names: [Name] = []
    while try rows.step() {
      if let name = rows.name(0) { names.append(name) }
    }
    return names
  }

  /// The columns that a table has in the attached seed.
  borrowing func namesOfColumns(
    ofSeedTable table: Name
  ) throws(SQLiteError) -> Set<Name> {
    let rows = try prepare("PRAGMA seed.table_xinfo(\(table))" as SQL)
    var names: Set<Name> = []
    while try rows.step() { names.insert(rows.name(1) ?? Name("")) }
    return names
  }
}
