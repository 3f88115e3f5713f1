internal import UpliftSQLite

/// Which views and triggers of a database compile.
///
/// A rebuilt table must not break any of them. Views and triggers that were broken before are
/// common in old databases. SQLite's own `ALTER TABLE` fails if there are some. A rebuild leaves
/// them as they are.
struct WorkingSchema {
  /// A view, or those triggers of a table that fire for one kind of statement.
  private struct Part: Hashable {
    let kind: String
    let name: Name

    var shown: String { "\(kind) \"\(name.shown)\"" }

    func precedes(_ other: Part) -> Bool { (kind, name) < (other.kind, other.name) }
  }

  /// The parts that do not compile, with SQLite's words.
  private var broken: [Part: String] = [:]
  /// All parts.
  private var known: Set<Part> = []

  init(_ database: borrowing Database, at location: SourceLocation) throws(UpgradeError) {
    let views = try database.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'view'", at: location)
    for view in views.compactMap(\.values[0].name) {
      look(at: Part(kind: "view", name: view), "SELECT * FROM main.\(view)", database)
    }
    let triggers = try database.rows(
      "SELECT DISTINCT tbl_name FROM main.sqlite_schema WHERE type = 'trigger'", at: location)
    for owner in triggers.compactMap(\.values[0].name) {
      // If a view does not compile, no statement that writes to it compiles either.
      if broken[Part(kind: "view", name: owner)] != nil { continue }
      look(
        at: Part(kind: "a trigger on INSERT into", name: owner),
        "INSERT INTO main.\(owner) DEFAULT VALUES", database)
      look(
        at: Part(kind: "a trigger on DELETE from", name: owner), "DELETE FROM main.\(owner)",
        database)
      let columns = try TableColumn.all(of: owner, database, at: location).filter {
        !$0.isGenerated
      }
      let sets = columns.map { "\($0.name) = NULL" as SQL }.joined(separator: ", ")
      look(
        at: Part(kind: "a trigger on UPDATE of", name: owner), "UPDATE main.\(owner) SET \(sets)",
        database)
    }
  }

  /// Compiles a statement that needs the part.
  private mutating func look(at part: Part, _ sql: SQL, _ database: borrowing Database) {
    known.insert(part)
    broken[part] = database.complaint(about: sql)
  }

  /// The first part, by kind and name, that compiled before and does not compile now.
  func brokenSince(_ before: WorkingSchema) -> (name: String, words: String)? {
    broken.filter { before.known.contains($0.key) && before.broken[$0.key] == nil }
      .min { $0.key.precedes($1.key) }
      .map { ($0.key.shown, $0.value) }
  }
}

/// The definition of a table: all that follows the name in `CREATE TABLE`.
struct TableDefinition {
  let sql: String

  init(sql: String) {
    self.sql = sql
  }

  init(_ columns: [Upgrader.Column], _ constraints: [String], isStrict: Bool, isWithoutRowID: Bool)
  {
    let lines = (columns.map(\.definition) + constraints).joined(separator: ",\n  ")
    let options = (isStrict ? ["STRICT"] : []) + (isWithoutRowID ? ["WITHOUT ROWID"] : [])
    sql = "(\n  \(lines)\n)" + (options.isEmpty ? "" : " " + options.joined(separator: ", "))
  }
}

/// A column of an existing table, from `PRAGMA table_xinfo`.
struct TableColumn {
  let name: Name
  /// True if the value is computed and cannot be written.
  let isGenerated: Bool
  /// True if the column is another name of the row identifier.
  let isRowID: Bool

  /// All columns of a table.
  static func all(
    of table: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> [TableColumn] {
    let rows = try database.rows(
      "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?, 'main')",
      [Database.Value(table)], at: location)
    // The row identifier has another name if one column of the type INTEGER is the whole key, and
    // if SQLite made no index for this key. SQLite makes one for INTEGER PRIMARY KEY DESC.
    let keys = rows.filter { $0.values[2] != .integer(0) }
    let indexes = try database.rows(
      "SELECT 1 FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", [Database.Value(table)],
      at: location)
    return rows.map { row in
      let isInteger = row.values[3].name == Name("integer")
      return TableColumn(
        name: row.values[0].name ?? Name(""),
        isGenerated: row.values[1] == .integer(2) || row.values[1] == .integer(3),
        isRowID: keys.count == 1 && row.values[2] == .integer(1) && isInteger && indexes.isEmpty)
    }
  }

  /// A name for the row identifier that no column has; nil if the columns have all three.
  static func rowID(beside columns: [TableColumn]) -> Name? {
    let taken = Set(columns.map(\.name))
    return ["_rowid_", "rowid", "oid"].map { Name($0) }.first { !taken.contains($0) }
  }
}

/// A table that is to be rebuilt, as it is before the rebuild.
struct TableToRebuild {
  /// The name as the schema spells it.
  let name: Name
  let isStrict: Bool
  let isWithoutRowID: Bool
  let columns: [TableColumn]
  /// The statements that made the indexes and triggers, in their order.
  let dependents: [SQL]
  /// The latest number that `AUTOINCREMENT` gave; nil if the table has no `AUTOINCREMENT`.
  let sequence: Int64?

  init(
    _ name: String, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) {
    let found = try database.rows(
      "SELECT name, type, strict, wr FROM pragma_table_list WHERE schema = 'main'"
        + " AND name = ? COLLATE NOCASE", [name], at: location)
    guard let row = found.first else {
      throw database.run.error(.noTable(name), at: StepCall(location))
    }
    guard row.values[1] == .text("table"), let spelled = row.values[0].name, !spelled.isInternal
    else { throw database.run.error(.notRebuildable(name), at: StepCall(location)) }
    // The schema keeps CREATE INDEX without a database name, so the index would be made on a
    // temporary table of the same name. A temporary trigger would be dropped with the old table.
    guard
      try database.rows(
        "SELECT 1 FROM temp.sqlite_schema WHERE tbl_name = ? COLLATE NOCASE",
        [Database.Value(spelled)], at: location
      ).isEmpty
    else { throw database.run.error(.temporary(name), at: StepCall(location)) }
    self.name = spelled
    isStrict = row.values[2] == .integer(1)
    isWithoutRowID = row.values[3] == .integer(1)
    columns = try TableColumn.all(of: spelled, database, at: location)
    dependents = try database.rows(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? COLLATE NOCASE"
        + " AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid",
      [Database.Value(spelled)], at: location
    ).compactMap(\.values[0].sql)
    sequence = try Self.sequence(of: spelled, database, at: location)
  }

  /// The latest number in `sqlite_sequence`; nil without `AUTOINCREMENT`, or before the first row.
  ///
  /// A program may have set it to a real number or a text. SQLite reads any value as an integer.
  private static func sequence(
    of name: Name, _ database: borrowing Database, at location: SourceLocation
  ) throws(UpgradeError) -> Int64? {
    let hasSequences = try database.rows(
      "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'", at: location)
    if hasSequences.isEmpty { return nil }
    let rows = try database.rows(
      "SELECT CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = ?",
      [Database.Value(name)], at: location)
    return rows.first.flatMap { Int64(upliftValue: $0.values[0]) }
  }
}
