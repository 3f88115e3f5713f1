internal import UpliftSQLite

/// Finds the steps that make orphans.
///
/// Foreign keys are off while a step runs, as SQLite's own procedure for schema changes demands
/// (sqlite.org/lang_altertable.html, section 7). At the end of each step,
/// `PRAGMA foreign_key_check` checks each child table that the step may have changed, or whose
/// parent it may have changed.
///
/// **As a rule there are no orphans, and nothing is counted.** If SQLite finds some, they may be
/// older than the step. So the caller rolls back and runs the step again. From then on, the orphans
/// of this child are counted before and after each step.
final class ForeignKeys {
  enum Outcome {
    case clean
    /// There are orphans that were not counted before the step: undo the step, and run it again.
    case countFirst
    /// The step made these orphans.
    case orphans(UpgradeError.Orphans)
  }

  private let mode: Upgrader.ForeignKeyCheck
  /// The children in which SQLite has found orphans during this upgrade.
  private var counted: Set<Name> = []
  private var orphans = Orphans()
  /// The SQL of the tables that may have foreign keys, when it was last read; without the tables
  /// that were made or dropped since.
  private var schema: [Name: SQL] = [:]
  /// The foreign keys of each table that has some.
  private var keys: [Name: [ForeignKey]] = [:]
  /// The tables whose foreign keys lead to a table.
  private var childrenOf: [Name: Set<Name>] = [:]

  init(_ mode: Upgrader.ForeignKeyCheck) { self.mode = mode }

  /// Reads the schema, inside the write transaction.
  func beginTransaction(_ connection: borrowing Connection) throws(SQLiteError) {
    guard mode != .none else { return }
    orphans = Orphans()
    schema = [:]
    keys = [:]
    childrenOf = [:]
    for name in try readSchema(connection) { try readKeys(of: name, connection) }
  }

  /// Counts the orphans of the children that are known to have some.
  func beginStep(_ connection: borrowing Connection) throws(SQLiteError) {
    for child in counted {
      for key in keys[child] ?? [] { try orphans.count(key, of: child, connection) }
    }
  }

  /// Checks what the step has changed, by what the script guard has noted.
  func endStep(_ connection: borrowing Connection) throws(SQLiteError) -> Outcome {
    guard mode != .none else { return .clean }
    let noted = connection.scriptGuard.tables
    var altered = noted.made
    // The next comparison takes them for new ones.
    for name in noted.made { schema[name] = nil }
    if noted.isIncomplete { altered.formUnion(try readSchema(connection)) }
    for name in altered { try readKeys(of: name, connection) }

    let changed = noted.names.union(noted.lasting).union(altered)

    var touched = changed.filter { keys[$0] != nil }
    for parent in changed { touched.formUnion(childrenOf[parent] ?? []) }
    if mode == .all || noted.mayBeAny { touched = Set(keys.keys) }
    let outcome = try check(touched.sorted(), connection)
    try orphans.forget(connection)
    return outcome
  }

  private func check(
    _ children: [Name], _ connection: borrowing Connection
  ) throws(SQLiteError) -> Outcome {
    var mustCount = false
    var rows: [UpgradeError.Orphan] = []
    var count = 0
    for child in children {
      let (hasOrphans, mismatch) = try connection.checkForeignKeys(of: child)
      if !hasOrphans { continue }
      if counted.insert(child).inserted { mustCount = true }
      if mustCount { continue }
      let keys = keys[child] ?? []
      for key in keys {
        let new = try orphans.new(
          key, among: keys, of: child, mismatch: mismatch, listing: 10 - rows.count,
          connection)
        rows += new.rows
        count += new.count
      }
    }
    if mustCount { return .countFirst }
    return count == 0 ? .clean : .orphans(UpgradeError.Orphans(rows: rows, count: count))
  }

  /// Reads the schema, and returns the tables whose foreign keys may not be what they were.
  ///
  /// Parents need no comparison. The guard notes each table that a statement changes, by the name
  /// that it had then, and a parent that gets a name that was free makes no orphan.
  private func readSchema(_ connection: borrowing Connection) throws(SQLiteError) -> Set<Name> {
    let before = schema
    schema = try connection.tablesWithReferences()
    var changed = Set(keys.keys.filter { schema[$0] == nil })
    for (name, sql) in schema where before[name] != sql { changed.insert(name) }
    return changed
  }

  private func readKeys(of child: Name, _ connection: borrowing Connection) throws(SQLiteError) {
    for key in keys.removeValue(forKey: child) ?? [] { childrenOf[key.parent]?.remove(child) }
    for key in try connection.foreignKeys(of: child) {
      // A table may declare the same foreign key twice.
      if keys[child]?.contains(key) != true { keys[child, default: []].append(key) }
      childrenOf[key.parent, default: []].insert(child)
    }
  }
}

extension Connection {
  /// The tables that may have foreign keys: every declaration of one has the word REFERENCES.
  fileprivate borrowing func tablesWithReferences() throws(SQLiteError) -> [Name: SQL] {
    let rows = try prepare(
      """
      SELECT name, sql FROM main.sqlite_master
      WHERE type = 'table' AND instr(lower(sql), 'references')
      """)
    var tables: [Name: SQL] = [:]
    while try rows.step() {
      if let name = rows.name(0) { tables[name] = SQL(rows.withText(1) { Array($0) }) }
    }
    return tables
  }

  /// Lets SQLite check one child; `mismatch` are its words if it cannot.
  ///
  /// If the columns of one parent are neither its primary key nor unique, SQLite says "foreign key
  /// mismatch" (sqlite.org/foreignkeys.html, section 3), and nothing about the child's other keys.
  fileprivate borrowing func checkForeignKeys(
    of child: Name
  ) throws(SQLiteError) -> (hasOrphans: Bool, mismatch: String?) {
    do {
      // With the schema, because a temporary table may have the name.
      return (try prepare("PRAGMA main.foreign_key_check(\(child))" as SQL).step(), nil)
    } catch  where error.code == .error && error.message.hasPrefix("foreign key mismatch") {
      return (true, error.message)
    }
  }
}
