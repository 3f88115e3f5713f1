internal import UpliftSQLite

/// SQLite's procedure for changing a table, item by item.
///
/// The quotations are from sqlite.org/lang_altertable.html, section 7. Uplift does items 1 and 2
/// before a step in Swift runs:
///
/// > 1. If foreign key constraints are enabled, disable them using PRAGMA foreign_keys=OFF.
/// >
/// > 2. Start a transaction.
///
/// The rebuild follows items 3 to 9, which are quoted where the code does them. Uplift does the
/// rest after the step:
///
/// > 10. If foreign key constraints were originally enabled then run PRAGMA foreign_key_check to
/// > verify that the schema change did not break any foreign key constraints.
/// >
/// > 11. Commit the transaction started in step 2.
/// >
/// > 12. If foreign keys constraints were originally enabled, reenable them now.
///
/// Uplift checks only references that the step can have broken, and does not enable foreign keys on
/// its own connection.
struct Rebuild {
  private let table: TableToRebuild
  private let definition: TableDefinition
  private let filling: [String: String]
  private let location: SourceLocation

  init(
    _ table: TableToRebuild, _ definition: TableDefinition, _ filling: [String: String],
    at location: SourceLocation
  ) {
    self.table = table
    self.definition = definition
    self.filling = filling
    self.location = location
  }

  /// Runs a rebuild; if it fails, the whole step fails, even if the step catches the error.
  ///
  /// A rebuild that stopped halfway must not be committed.
  static func endingStepOnFailure(
    in database: borrowing Database, _ work: () throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    do {
      try work()
    } catch {
      database.run.endingError = database.run.endingError ?? error
      throw error
    }
  }

  /// Rebuilds the table.
  func run(in database: borrowing Database) throws(UpgradeError) {
    // > 3. Remember the format of all indexes, triggers, and views associated with table X.
    //
    // `table` has the indexes and triggers. Views stay, but they must still compile afterwards.
    let before = try WorkingSchema(database, at: location)

    // > 4. Use CREATE TABLE to construct a new table "new_X" that is in the desired revised format
    // > of table X. Make sure that the name "new_X" does not collide with any existing table name,
    // > of course.
    let new = try freeName(database)
    try database.execute("CREATE TABLE main.\(new) \(definition.sql)", at: location)

    // > 5. Transfer content from X into new_X using a statement like: INSERT INTO new_X SELECT ...
    // > FROM X.
    try transfer(to: new, database)

    // > 6. Drop the old table X: DROP TABLE X.
    try database.execute("DROP TABLE main.\(table.name)", at: location)

    // > 7. Change the name of new_X to X using: ALTER TABLE new_X RENAME TO X.
    //
    // Since SQLite 3.25 this also changes the name in triggers, views and references. They name X
    // already, so the old behaviour is wanted.
    try database.execute("PRAGMA legacy_alter_table=ON", at: location)
    try database.execute("ALTER TABLE main.\(new) RENAME TO \(table.name)", at: location)
    try database.execute("PRAGMA legacy_alter_table=OFF", at: location)
    try keepSequence(database)

    // > 8. Use CREATE INDEX, CREATE TRIGGER, and CREATE VIEW to reconstruct indexes, triggers, and
    // > views associated with table X.
    for dependent in table.dependents { try database.execute(dependent, at: location) }

    // > 9. If any views refer to table X in a way that is affected by the schema change, then drop
    // > those views using DROP VIEW and recreate them with whatever changes are necessary to
    // > accommodate the schema change using CREATE VIEW.
    //
    // Only the author of the step can know the changes, so such a view is an error.
    let after = try WorkingSchema(database, at: location)
    if let (name, words) = after.brokenSince(before) {
      throw database.run.error(.broken(name, words: words), at: StepCall(location))
    }
  }

  /// A name for the new table that no object of the database has.
  private func freeName(_ database: borrowing Database) throws(UpgradeError) -> Name {
    var name = Name("uplift_new_".utf8 + table.name.bytes)
    while try !database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE", [Database.Value(name)],
      at: location
    ).isEmpty { name = Name(name.bytes + "_".utf8) }
    return name
  }

  /// Copies the rows into the new table, and counts them before and after.
  private func transfer(to new: Name, _ database: borrowing Database) throws(UpgradeError) {
    let columns = try TableColumn.all(of: new, database, at: location)
    let isNewWithoutRowID = try !database.rows(
      "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ? AND wr",
      [Database.Value(new)], at: location
    ).isEmpty
    var transfers = try transfers(into: columns, database)
    // The row identifier is copied too, unless a column that is its other name is copied already.
    let hasKey = columns.contains { column in
      column.isRowID && transfers.contains { $0.column == column.name }
    }
    if !hasKey, !isNewWithoutRowID, !table.isWithoutRowID,
      let from = TableColumn.rowID(beside: table.columns),
      let to = TableColumn.rowID(beside: columns)
    {
      transfers.append(Transfer(column: to, value: "\(from)"))
    }
    guard !transfers.isEmpty else {
      throw database.run.error(.nothingKept(table.name.shown), at: StepCall(location))
    }
    let names = transfers.map { "\($0.column)" as SQL }.joined(separator: ", ")
    let values = transfers.map(\.value).joined(separator: ", ")
    try database.execute(
      "INSERT INTO main.\(new) (\(names)) SELECT \(values) FROM main.\(table.name)", at: location)
    let was = try count(table.name, database)
    let now = try count(new, database)
    guard was == now else {
      throw database.run.error(.rowCount(was, now: now), at: StepCall(location))
    }
  }

  /// A column of the new table, and the expression over the old table that gives its value.
  private struct Transfer {
    let column: Name
    let value: SQL
  }

  /// The columns of the new table that are written, and their expressions.
  private func transfers(
    into columns: [TableColumn], _ database: borrowing Database
  ) throws(UpgradeError) -> [Transfer] {
    var left = filling.map { (name: $0.key, expression: $0.value) }
    var transfers: [Transfer] = []
    for column in columns where !column.isGenerated {
      if let index = left.firstIndex(where: { Name($0.name) == column.name }) {
        let expression = left.remove(at: index).expression
        transfers.append(Transfer(column: column.name, value: "(\(expression))"))
      } else if let old = table.columns.first(where: { $0.name == column.name }) {
        transfers.append(Transfer(column: column.name, value: "\(old.name)"))
      }
    }
    if let name = left.map(\.name).min() {
      throw database.run.error(.noFillableColumn(name), at: StepCall(location))
    }
    return transfers
  }

  private func count(
    _ name: Name, _ database: borrowing Database
  ) throws(UpgradeError) -> Int64 {
    let rows = try database.rows("SELECT count(*) FROM main.\(name)", at: location)
    return rows.first.flatMap { Int64(upliftValue: $0.values[0]) } ?? 0
  }

  /// Keeps the latest number of `AUTOINCREMENT`, which never gives a number twice, even if the row
  /// that had it was deleted.
  ///
  /// If the new table has `AUTOINCREMENT` too, SQLite has added its row to `sqlite_sequence` while
  /// the rows were copied.
  private func keepSequence(_ database: borrowing Database) throws(UpgradeError) {
    guard let sequence = table.sequence else { return }
    try database.execute(
      "UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?",
      [sequence, Database.Value(table.name)], at: location)
  }
}
