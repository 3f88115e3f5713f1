internal import UpliftSQLite

/// SQLite's procedure for "other kinds of table schema changes", with its numbers
/// (sqlite.org/lang_altertable.html, section 7).
///
/// Foreign keys are off (1) and a transaction is open (2) while a step runs; the references are
/// checked (10) and it is committed (11) behind the step, and foreign keys stay off (12).
struct Rebuild {
  private let table: RebuiltTable
  private let definition: TableDefinition
  private let filling: [String: String]
  private let place: SourcePlace

  init(
    _ table: RebuiltTable, _ definition: TableDefinition, _ filling: [String: String],
    at place: SourcePlace
  ) {
    self.table = table
    self.definition = definition
    self.filling = filling
    self.place = place
  }

  /// A rebuild that was left halfway must not be committed.
  static func failing(
    in database: borrowing Database, _ work: () throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    do {
      try work()
    } catch {
      database.run.end = database.run.end ?? error
      throw error
    }
  }

  func run(in database: borrowing Database) throws(UpgradeError) {
    // 3. "Remember the format of all indexes, triggers, and views": the table knows them.
    let before = try WorkingSchema(of: table.name, database, at: place)
    // 4. "Use CREATE TABLE to construct a new table new_X". An empty temporary name is free.
    let new = try freeName(database)
    try database.execute("CREATE TABLE main.\(new.asName) \(definition.sql)", at: place)
    // 5. "Transfer content from X into new_X".
    try transfer(to: new, database)
    // 6. "Drop the old table X".
    try database.execute("DROP TABLE main.\(table.name.asName)", at: place)
    // 7. "Change the name of new_X to X". As it was done before SQLite 3.25: names of tables in
    // triggers and views, and in references, are those of the table that was there.
    try database.execute("PRAGMA legacy_alter_table=ON", at: place)
    try database.execute(
      "ALTER TABLE main.\(new.asName) RENAME TO \(table.name.asName)", at: place)
    try database.execute("PRAGMA legacy_alter_table=OFF", at: place)
    try keepSequence(database)
    // 8. "Use CREATE INDEX, CREATE TRIGGER, and CREATE VIEW to reconstruct" what went with it.
    for dependent in table.dependents { try database.execute(dependent, at: place) }
    // 9. "If any views refer to table X in a way that is affected by the schema change": say so.
    let after = try WorkingSchema(of: table.name, database, at: place)
    if let (name, words) = after.brokenSince(before) {
      throw database.run.error(.broken(name, words: words), at: Call(place))
    }
  }

  private func freeName(_ database: borrowing Database) throws(UpgradeError) -> String {
    var name = "uplift_new_\(table.name)"
    while try !database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE", [name], at: place
    ).isEmpty { name += "_" }
    return name
  }

  private func transfer(to new: String, _ database: borrowing Database) throws(UpgradeError) {
    let columns = try TableColumn.all(of: new, database, at: place)
    let isNewWithoutRowID = try !database.rows(
      "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ? AND wr", [new],
      at: place
    ).isEmpty
    var pairs = try self.pairs(for: columns, database)
    // The row identifier goes along, unless the key that stands for it is given already.
    let hasKey = columns.contains { $0.isRowID && pairs[$0.name.lowercased()] != nil }
    if !hasKey, !isNewWithoutRowID, !table.isWithoutRowID,
      let from = TableColumn.rowID(beside: table.columns),
      let to = TableColumn.rowID(beside: columns)
    {
      pairs[to] = (to, from)
    }
    guard !pairs.isEmpty else {
      throw database.run.error(.nothingKept(table.name), at: Call(place))
    }
    let sorted = pairs.sorted { $0.key < $1.key }.map(\.value)
    try database.execute(
      "INSERT INTO main.\(new.asName) (\(sorted.map(\.to).joined(separator: ", ")))"
        + " SELECT \(sorted.map(\.from).joined(separator: ", "))"
        + " FROM main.\(table.name.asName)", at: place)
    let was = try count(table.name, database)
    let now = try count(new, database)
    guard was == now else {
      throw database.run.error(.rowCount(was, now: now), at: Call(place))
    }
  }

  /// For each column of the new table that is written, its name and where its value comes from.
  private func pairs(
    for columns: [TableColumn], _ database: borrowing Database
  ) throws(UpgradeError) -> [String: (to: String, from: String)] {
    var left = filling
    var pairs: [String: (to: String, from: String)] = [:]
    for column in columns where !column.isGenerated {
      let key = column.name.lowercased()
      if let name = left.keys.first(where: { $0.lowercased() == key }),
        let expression = left.removeValue(forKey: name)
      {
        pairs[key] = (column.name.asName, "(\(expression))")
      } else if let old = table.columns.first(where: { $0.name.lowercased() == key }) {
        pairs[key] = (column.name.asName, old.name.asName)
      }
    }
    if let name = left.keys.min() {
      throw database.run.error(.noFillableColumn(name), at: Call(place))
    }
    return pairs
  }

  private func count(
    _ name: String, _ database: borrowing Database
  ) throws(UpgradeError) -> Int64 {
    let rows = try database.rows("SELECT count(*) FROM main.\(name.asName)", at: place)
    return rows.first.flatMap { Int64(databaseValue: $0.values[0]) } ?? 0
  }

  /// `AUTOINCREMENT` never gives a number twice, though the row that had it is gone.
  ///
  /// The copying has made an entry where the new table has one.
  private func keepSequence(_ database: borrowing Database) throws(UpgradeError) {
    guard let sequence = table.sequence else { return }
    try database.execute(
      "UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [sequence, table.name],
      at: place)
  }
}
