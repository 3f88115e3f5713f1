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
  enum Scope {
    /// References to a key; to anything else, the reference itself is the orphan.
    case keys
    /// The rows of a reference to what is no key, as well.
    case allThatCanBeCompared
  }

  /// Calls `found` for each orphan, until it returns false.
  static func search(
    _ references: [Reference], among scope: Scope, _ connection: borrowing Connection,
    found: (Orphan) -> Bool
  ) throws(SQLiteError) {
    for reference in references {
      let parent = try ParentKey(of: reference, connection)
      if !parent.isKey {
        if !found(Orphan(reference: reference, row: nil, key: [])) { return }
        if scope == .keys || !parent.canBeCompared { continue }
      }
      let statement = try prepare(reference, parent, connection)
      while try statement.step() {
        let row: Int64? = if case .integer(let number) = statement.value(0) { number } else { nil }
        let key = reference.from.indices.map { statement.value($0 + 1) }
        if !found(Orphan(reference: reference, row: row, key: key)) { return }
      }
    }
  }

  /// A `+` takes the child's affinity away: what counts is the parent's, and its collation.
  ///
  /// A left join: for `NOT EXISTS`, SQLite would open the parent again for each row.
  private static func prepare(
    _ reference: Reference, _ parent: ParentKey, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Statement {
    let from = reference.from.map { "c.\($0.asName)" }
    var source = "main.\(reference.child.asName) c"
    var conditions = from.map { "\($0) IS NOT NULL" }
    if let first = parent.columns.first {
      let matches = zip(parent.columns, from).map { column, child in
        let collation = column.collation.map { " COLLATE \($0.asName)" } ?? ""
        return "p.\(column.name.asName)\(collation) = +\(child)"
      }
      source += " LEFT JOIN main.\(reference.parent.asName) p ON "
      source += matches.joined(separator: " AND ")
      conditions.append("p.\(first.name.asName) IS NULL")
    }
    let rest =
      "\(from.joined(separator: ", ")) FROM \(source)"
      + " WHERE \(conditions.joined(separator: " AND "))"
    do {
      return try connection.prepare("SELECT c._rowid_, \(rest)")
    } catch {
      // A table WITHOUT ROWID.
      return try connection.prepare("SELECT NULL, \(rest)")
    }
  }
}
