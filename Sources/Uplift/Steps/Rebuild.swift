internal import UpliftSQLite

/// SQLite's procedure for changing a table (sqlite.org/lang_altertable.html, section 7).
///
/// Items 3 to 9 are quoted where the code does them. Before each step Uplift does items 1 and 2:
/// foreign keys off, `BEGIN`; after it, items 10 and 11: the check of foreign keys, `COMMIT`.
extension Upgrader.Database {
  /// If it fails, the step fails even if it catches the error: half a rebuild must not be committed.
  borrowing func rebuild(
    _ name: String, filling: [String: String], dropping: [String], at location: SourceLocation,
    _ definition: (OldTable) -> String
  ) throws(UpgradeError) {
    var table: OldTable?
    do {
      let old = try oldTable(name, step.place(location))
      table = old
      try rebuild(old, definition(old), filling, dropping, at: location)
    } catch {
      throw step.ending(table.map { shown(error, of: $0, at: location) } ?? error)
    }
  }

  /// The error without the name that the new table has until it takes the place of the old one.
  private borrowing func shown(
    _ error: UpgradeError, of table: OldTable, at location: SourceLocation
  ) -> UpgradeError {
    let name = table.freeName.shown
    guard error.message.contains(name) || error.place?.excerpt?.text.contains(name) == true else {
      return error
    }
    return step.wrong(
      error.message.replacing(name, with: table.name.shown),
      fix: error.sqlite?.name == "SQLITE_CONSTRAINT_NOTNULL"
        ? "give the column a value in the argument filling, or a default" : error.remedy,
      at: step.place(location))
  }

  private borrowing func rebuild(
    _ table: OldTable, _ definition: String, _ filling: [String: String], _ dropping: [String],
    at location: SourceLocation
  ) throws(UpgradeError) {
    // > 3. Remember the format of all indexes, triggers, and views associated with table X.
    //
    // `table` has the indexes and triggers. Views stay, but they must still compile afterwards.
    let wasSound = try brokenObject(table, at: location) == nil

    // > 4. Use CREATE TABLE to construct a new table "new_X" that is in the desired revised format
    // > of table X. Make sure that the name "new_X" does not collide with any existing table name.
    let new = table.freeName
    try execute("CREATE TABLE main.\(new) \(definition)", at: location)

    // > 5. Transfer content from X into new_X using a statement like: INSERT INTO new_X SELECT …
    try transfer(table, to: new, filling, dropping, at: location)

    // > 6. Drop the old table X: DROP TABLE X.
    try execute("DROP TABLE main.\(table.name)", at: location)

    // > 7. Change the name of new_X to X using: ALTER TABLE new_X RENAME TO X.
    //
    // Since SQLite 3.25 this also changes the name in triggers, views and references. They name X
    // already, so the old behaviour is wanted.
    try execute("PRAGMA legacy_alter_table=ON", at: location)
    try execute("ALTER TABLE main.\(new) RENAME TO \(table.name)", at: location)
    try execute("PRAGMA legacy_alter_table=OFF", at: location)
    // AUTOINCREMENT never gives a number twice, even if the row that had it was deleted. If the new
    // table has it too, SQLite has added its row here while the rows were copied.
    if let sequence = table.sequence {
      try execute(
        "UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?",
        [sequence, Value.rawText(table.name.bytes)], at: location)
    }

    // > 8. Use CREATE INDEX, CREATE TRIGGER, and CREATE VIEW to reconstruct indexes, triggers, and
    // > views associated with table X.
    for dependent in table.dependents { try execute(dependent, at: location) }

    // > 9. If any views refer to table X in a way that is affected by the schema change, then drop
    // > those views using DROP VIEW and recreate them […].
    //
    // Only the author of the step can know the changes, so such a view is an error.
    if wasSound, let words = try brokenObject(table, at: location) {
      throw step.wrong(
        "after the rebuild: \(words)",
        fix: "drop it before the table is rebuilt, and create it anew after",
        at: step.place(location))
    }
  }

  /// SQLite's words about a view or a trigger that it cannot read; nil if there is none.
  ///
  /// `ALTER TABLE` reads all of them, so another table is made and renamed.
  private borrowing func brokenObject(
    _ table: OldTable, at location: SourceLocation
  ) throws(UpgradeError) -> String? {
    let other = Name(table.freeName.bytes + "_".utf8)
    try execute("CREATE TABLE main.\(table.freeName) (a)", at: location)
    var words: String?
    do throws(UpgradeError) {
      try execute("ALTER TABLE main.\(table.freeName) RENAME TO \(other)", at: location)
    } catch {
      words = error.message
    }
    try execute("DROP TABLE main.\(words == nil ? other : table.freeName)", at: location)
    return words
  }

  private borrowing func oldTable(
    _ name: String, _ call: UpgradeError.Place
  ) throws(UpgradeError) -> OldTable {
    let found = try attempt(at: call) { connection throws(SQLiteError) in
      try OldTable(Name(name), connection)
    }
    guard let table = found else {
      throw step.wrong("there is no table \(name.quoted)", fix: "correct the name", at: call)
    }
    guard table.isOrdinary else {
      throw step.wrong(
        "\(name.quoted) is not an ordinary table", fix: "drop it and create it anew", at: call)
    }
    guard !table.isNameTemporary else {
      throw step.wrong(
        "a temporary table or trigger uses the name of the table \(name.quoted)",
        fix: "drop the temporary table or trigger before the table is rebuilt", at: call)
    }
    return table
  }

  /// Copies the rows into the new table, and checks that it has as many.
  private borrowing func transfer(
    _ table: OldTable, to new: Name, _ filling: [String: String], _ dropping: [String],
    at location: SourceLocation
  ) throws(UpgradeError) {
    let call = step.place(location)
    let (columns, rowIdentifier, hasKeyIndex) = try attempt(at: call) { db throws(SQLiteError) in
      (
        try db.columns(of: new), try db.rowIdentifier(of: new),
        try db.prepare("SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'", new)
          .step()
      )
    }
    let kept = Set(columns.map(\.name)).union(dropping.map { Name($0) })
    if let lost = table.columns.first(where: { !kept.contains($0) }) {
      throw step.wrong(
        "the new table has no column \(lost.shown.quoted), and the old one has it",
        fix: "add the column, or name it in the argument dropping", at: call)
    }
    var names: [Name] = []
    var values: [SQL] = []
    var left = filling
    for column in columns where !column.isGenerated {
      if let (name, expression) = left.first(where: { Name($0.key) == column.name }) {
        left[name] = nil
        names.append(column.name)
        values.append("(\(expression))")
      } else if table.columns.contains(column.name) {
        names.append(column.name)
        values.append("\(column.name)")
      }
    }
    if let name = left.keys.min() {
      throw step.wrong(
        "the new table has no column \(name.quoted) to fill", fix: "correct the name", at: call)
    }
    // The row identifier is copied too, unless a column that is its other name is copied already:
    // a primary key for which SQLite makes no index.
    let isCopied = !hasKeyIndex && columns.primaryKey.contains(where: names.contains)
    if !isCopied, let old = table.rowIdentifier, let rowIdentifier {
      names.append(rowIdentifier)
      values.append("\(old)")
    }
    guard !names.isEmpty else {
      throw step.wrong(
        "no column of \(table.name.shown.quoted) gives a value to the new table",
        fix: "give the argument filling a value for at least one column of the new table", at: call)
    }
    let list = SQL.list(names) { "\($0)" }
    let expressions = values.joined(separator: ", ")
    try execute(
      "INSERT INTO main.\(new) (\(list)) SELECT \(expressions) FROM main.\(table.name)",
      at: location)
    let (was, now) = try attempt(at: call) { connection throws(SQLiteError) in
      (
        try connection.integer("SELECT count(*) FROM main.\(table.name)" as SQL),
        try connection.integer("SELECT count(*) FROM main.\(new)" as SQL)
      )
    }
    guard was == now else {
      throw step.wrong(
        "the table had \(was) rows and has \(now)",
        fix: "find the ON CONFLICT clause that dropped rows, or delete those rows before the "
          + "rebuild", at: call)
    }
  }
}

/// A table before its rebuild.
struct OldTable {
  /// The name as the schema spells it.
  let name: Name
  let isStrict: Bool
  let isWithoutRowID: Bool
  fileprivate let columns: [Name]
  fileprivate let rowIdentifier: Name?
  /// False for a view, a virtual table, and SQLite's own tables.
  fileprivate let isOrdinary: Bool
  /// True if there is a temporary table of the name, on which the indexes would be made (the schema
  /// keeps `CREATE INDEX` without a database name), or a temporary trigger on the table, which would
  /// be dropped with it.
  fileprivate let isNameTemporary: Bool
  /// The statements that made the indexes and triggers, in their order.
  fileprivate let dependents: [SQL]
  /// The latest number that AUTOINCREMENT gave; nil without it, or before the first row.
  fileprivate let sequence: Int64?
  /// A name that no object of the database has, also with one more underscore.
  fileprivate let freeName: Name

  fileprivate init?(_ name: Name, _ connection: borrowing Connection) throws(SQLiteError) {
    let row = try connection.prepare(
      "SELECT name, type, strict, wr FROM pragma_table_list"
        + " WHERE schema = 'main' AND name = ?1 COLLATE NOCASE", name)
    guard try row.step(), let name = row.name(0) else { return nil }
    self.name = name
    isOrdinary = row.text(1) == "table" && !name.isInternal
    isStrict = row.integer(2) == 1
    isWithoutRowID = row.integer(3) == 1
    // A view that does not compile has no columns.
    columns = isOrdinary ? try connection.columns(of: name).map(\.name) : []
    rowIdentifier = isOrdinary ? try connection.rowIdentifier(of: name) : nil
    isNameTemporary = try connection.prepare(
      "SELECT 1 FROM temp.sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE", name
    ).step()
    let objects = try connection.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ?1 COLLATE NOCASE"
        + " AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid", name)
    var dependents: [SQL] = []
    while try objects.step() { dependents.append(SQL(objects.withText(0) { Array($0) })) }
    self.dependents = dependents
    var free = Name("uplift_new_".utf8 + name.bytes)
    while try connection.prepare(
      "SELECT 1 FROM main.sqlite_schema WHERE name COLLATE NOCASE IN (?1, ?1 || '_')", free
    ).step() {
      free = Name(free.bytes + "_".utf8)
    }
    freeName = free
    guard try connection.hasTable(Name("sqlite_sequence")) else {
      sequence = nil
      return
    }
    // A program may have set the number to a real number or a text.
    let number = try connection.prepare(
      "SELECT CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = ?1 AND seq IS NOT NULL",
      name)
    sequence = try number.step() ? number.integer(0) : nil
  }
}

extension Connection {
  /// Prepares a query whose parameter is a name.
  fileprivate borrowing func prepare(_ sql: String, _ name: Name) throws(SQLiteError) -> Statement {
    let statement = try prepare(sql)
    try statement.bind(name, at: 1)
    return statement
  }
}
