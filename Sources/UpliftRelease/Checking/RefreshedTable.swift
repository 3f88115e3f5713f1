internal import Uplift
internal import UpliftSQLite

/// A table with a primary key that a script may refresh from the attached seed, which has that key,
/// too.
struct RefreshedTable {
  let name: Name
  let key: [KeyColumn]
  /// The columns that the seed's table has, too, without those that are generated.
  let shared: [Name]

  struct KeyColumn {
    let name: Name
    /// That of the key, which may differ from the column's.
    let collation: Name?

    /// A condition that is true if a value is equal to one of the key.
    func equals(_ value: SQL, in table: SQL) -> SQL {
      let collate: SQL = collation.map { " COLLATE \($0)" } ?? ""
      return "\(table).\(name)\(collate) IS \(value)"
    }
  }
}

extension RefreshedTable {
  /// The condition that a row `theirs` of the seed and a row `ours` have the same key.
  var hasSameKey: SQL { SQL.all(key) { $0.equals("ours.\($0.name)", in: "theirs") } }

  /// The condition that they have the same values: `a` is not `A`, and 1 is not 1.0.
  ///
  /// A chain of as many conditions as a table may have columns would be too deep for SQLite.
  var hasSameValues: SQL {
    let theirs = SQL.list(shared) { "theirs.\($0) COLLATE BINARY, typeof(theirs.\($0))" }
    let ours = SQL.list(shared) { "ours.\($0), typeof(ours.\($0))" }
    return "(\(theirs)) IS (\(ours))"
  }
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
      let key = try primaryKey(of: name).compactMap { column in
        column.name.map { RefreshedTable.KeyColumn(name: $0, collation: column.collation) }
      }
      let theirs = try namesOfColumns(ofSeedTable: name)
      guard !key.isEmpty, key.allSatisfy({ theirs.contains($0.name) }) else { continue }
      let shared = try columns(of: name).filter { !$0.isGenerated }.map(\.name)
        .filter(theirs.contains)
      tables.append(RefreshedTable(name: name, key: key, shared: shared))
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
  private borrowing func namesOfColumns(
    ofSeedTable table: Name
  ) throws(SQLiteError) -> Set<Name> {
    let rows = try prepare("PRAGMA seed.table_xinfo(\(table))" as SQL)
    var names: Set<Name> = []
    while try rows.step() { names.insert(rows.name(1) ?? Name("")) }
    return names
  }
}
