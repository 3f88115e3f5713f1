internal import UpliftSQLite

/// The objects of a database, and the number of rows in each table.
struct DatabaseContents {
  /// Nil if the rows of a table cannot be counted, for example without its module.
  private var rows: [Name: Int64?] = [:]
  private var objects: Set<String> = []

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    let all = try connection.prepare(
      "SELECT type, name FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    while try all.step() {
      if let type = all.text(0), let name = all.name(1) { objects.insert("\(type) \(name.shown)") }
    }
    // The tables that a virtual table keeps its rows in are no tables of the user.
    let tables = try connection.prepare(
      """
      SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'virtual')
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """)
    while try tables.step() {
      guard let name = tables.name(0) else { continue }
      do {
        rows[name] = .some(try connection.integer("SELECT count(*) FROM main.\(name)" as SQL))
      } catch {
        guard error.code.primary == .error else { throw error }
        rows[name] = .some(nil)
      }
    }
  }

  /// All tables of both, sorted by name.
  func tables(_ after: DatabaseContents) -> [Rehearsal.Table] {
    Set(rows.keys).union(after.rows.keys).sorted().map { name in
      Rehearsal.Table(
        name: name.shown, rowsBefore: rows[name] ?? nil, rowsAfter: after.rows[name] ?? nil)
    }
  }

  /// The objects that `after` does not have, as `index guests_by_name`.
  func objects(goneIn after: DatabaseContents) -> [String] {
    objects.subtracting(after.objects).sorted()
  }
}
