internal import UpliftSQLite

/// A row whose reference leads nowhere.
struct Orphan: Hashable {
  let reference: Reference
  /// Nil in a table without row identifiers, and where the reference itself cannot be checked.
  let row: Int64?
  /// What the row refers to.
  let key: [Value]
}

/// Finds orphans, reference by reference, as `PRAGMA foreign_key_check` would, with what they
/// refer to: row identifiers may change when a table is rebuilt, what a row means does not.
struct OrphanSearch: ~Copyable {
  /// Calls `found` for each orphan, until it returns false.
  static func search(
    _ references: [Reference], _ connection: borrowing Connection,
    found: (Orphan) -> Bool
  ) throws(SQLiteError) {
    for reference in references {
      guard let columns = try parentColumns(of: reference, connection) else {
        if !found(Orphan(reference: reference, row: nil, key: [])) { return }
        continue
      }
      let statement = try prepare(reference, parentColumns: columns, connection)
      while try statement.step() {
        let row: Int64? = if case .integer(let number) = statement.value(0) { number } else { nil }
        let key = reference.from.indices.map { statement.value($0 + 1) }
        if !found(Orphan(reference: reference, row: row, key: key)) { return }
      }
    }
  }

  /// The parent's columns, empty where the parent is not there, nil where they are no key:
  /// "foreign key mismatch", SQLite would say (sqlite.org/foreignkeys.html, section 3).
  private static func parentColumns(
    of reference: Reference, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [String]? {
    let columns = try names(
      "SELECT name FROM pragma_table_info(?1) ORDER BY pk", reference.parent, connection)
    if columns.isEmpty { return [] }
    let key = try names(
      "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk", reference.parent,
      connection)
    let wanted = reference.to.isEmpty ? key : reference.to
    guard wanted.count == reference.from.count else { return nil }
    if Set(wanted.map { $0.lowercased() }) == Set(key.map { $0.lowercased() }) { return wanted }
    let indexes = try names(
      "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" AND NOT partial",
      reference.parent, connection)
    for index in indexes {
      let unique = try names("SELECT name FROM pragma_index_info(?1)", index, connection)
      if Set(wanted.map { $0.lowercased() }) == Set(unique.map { $0.lowercased() }) {
        return wanted
      }
    }
    return nil
  }

  private static func names(
    _ sql: String, _ argument: String, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [String] {
    let statement = try connection.prepare(sql)
    try statement.bind(.text(argument), at: 1)
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0) ?? "") }
    return names
  }

  /// A `+` takes the child's affinity away: what counts is the parent's, and its collation.
  private static func prepare(
    _ reference: Reference, parentColumns: [String], _ connection: borrowing Connection
  ) throws(SQLiteError) -> Statement {
    let from = reference.from.map { "c.\(quoted($0))" }
    var conditions = from.map { "\($0) IS NOT NULL" }
    if !parentColumns.isEmpty {
      let matches = zip(parentColumns, from).map { "p.\(quoted($0)) = +\($1)" }
      conditions.append(
        "NOT EXISTS (SELECT 1 FROM main.\(quoted(reference.parent)) p"
          + " WHERE \(matches.joined(separator: " AND ")))")
    }
    let rest =
      "\(from.joined(separator: ", ")) FROM main.\(quoted(reference.child)) c"
      + " WHERE \(conditions.joined(separator: " AND "))"
    do {
      return try connection.prepare("SELECT c.rowid, \(rest)")
    } catch {
      // A table WITHOUT ROWID.
      return try connection.prepare("SELECT NULL, \(rest)")
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
