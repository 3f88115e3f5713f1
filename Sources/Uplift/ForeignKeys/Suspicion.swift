internal import UpliftSQLite

/// Which references a script may have broken, by what it did.
///
/// A row put into a parent, a child's row deleted, a column updated that is no key, a column
/// added: none of these makes an orphan, and a script over a tiny table does not have to read
/// the large one that refers to it.
struct Suspicion {
  let touches: Touches
  let now: References
  let change: References.Change
  let script: Script

  func references(_ connection: borrowing Connection) throws(SQLiteError) -> [Reference] {
    var names = touches.tables
    var reshaped = touches.reshaped
    if let before = change.before {
      // A new name shows in where the tables begin, as long as they stay there.
      reshaped.formUnion(
        touches.altered.filter {
          before.rootsMove || before.tables[$0]?.root != now.tables[$0]?.root
        })
      reshaped.formUnion(now.tables.keys.filter { before.tables[$0] == nil })
      // Under a name that a table had only in between, anything may have been done to it.
      let lasting = Set(before.tables.keys).union(now.tables.keys)
      if !names.isSubset(of: lasting) { reshaped.formUnion(touches.altered) }
      names.formUnion(reshaped)
    }
    let added = Set(change.added)
    var suspects: [Reference] = []
    var replaces: Bool?
    let touched = now.touching(names)
    for reference in touched {
      if added.contains(reference) {
        suspects.append(reference)
      } else if try mayBreak(reference, reshaped, &replaces, connection) {
        suspects.append(reference)
      }
    }
    let listed = Set(touched)
    suspects += change.added.filter { !listed.contains($0) }
    return suspects
  }

  private func mayBreak(
    _ reference: Reference, _ reshaped: Set<String>, _ replaces: inout Bool?,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let child = reference.child.folded
    let parent = reference.parent.folded
    if reshaped.contains(child) || reshaped.contains(parent) { return true }
    if touches.inserted.contains(child) || touches.deleted.contains(parent) { return true }
    if let columns = touches.updated[child],
      try hits(reference.from, columns, of: child, connection)
    {
      return true
    }
    guard let columns = touches.updated[parent] ?? (touches.inserted.contains(parent) ? [] : nil)
    else { return false }
    if try hits(try key(of: reference, connection), columns, of: parent, connection) { return true }
    // A row that gives way to another is deleted, and the authorizer is not told.
    if replaces == nil { replaces = try mayReplace(connection) }
    return replaces == true
  }

  /// True when a column was updated that counts, or that a generated column may be made of.
  private func hits(
    _ wanted: [String], _ columns: Set<String>, of table: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    if columns.isEmpty { return false }
    if columns.contains("rowid") || wanted.contains(where: { columns.contains($0.folded) }) {
      return true
    }
    return try !connection.rows(
      "SELECT name FROM pragma_table_xinfo(?1, 'main') WHERE hidden > 1", table
    ).isEmpty
  }

  private func key(
    of reference: Reference, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [String] {
    guard reference.to.isEmpty else { return reference.to }
    return try connection.rows(
      "SELECT name FROM pragma_table_info(?1, 'main') WHERE pk > 0", reference.parent
    ).map { $0.text(0) }
  }

  /// A statement, a trigger or a constraint that replaces rows has the word in its text.
  private func mayReplace(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    if script.mayMention("replace") { return true }
    return try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE instr(lower(sql), 'replace'))") == 1
  }
}
