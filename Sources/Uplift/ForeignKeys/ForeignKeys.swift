internal import UpliftSQLite

/// Finds the steps that make orphans.
///
/// Foreign keys are off while a step runs, as SQLite's own procedure for schema changes demands
/// (sqlite.org/lang_altertable.html, section 7). So nothing cascades and nothing is refused. At the
/// end of each step, SQLite checks each child table (`PRAGMA foreign_key_check`) that the step may
/// have changed, or that refers to a table that the step may have changed.
///
/// **As a rule there are no orphans, and nothing is counted.** If SQLite finds some, they may be
/// older than the step. So the caller rolls back and runs the step again. From then on, the orphans
/// of this child are counted before and after each step.
///
/// The value belongs to one upgrade. The order of the calls is `beginTransaction`, then `beginStep`
/// and `endStep` for each step of the transaction.
struct ForeignKeys {
  enum Outcome {
    /// The step made no orphan.
    case clean
    /// There are orphans that were not counted before the step: undo the step, and run it again.
    case countFirst
    /// The step made these orphans.
    case orphans(UpgradeError.ForeignKeyViolations)
  }

  /// The number of orphans that an error lists.
  private static let most = 10

  private let mode: Upgrader.ForeignKeyCheck
  /// The children in which SQLite has found orphans during this upgrade.
  private var counted: Set<Name> = []
  private var orphans = Orphans()
  /// The tables and views when they were last read, without those that were made or dropped since.
  private var schema: [Name: SchemaRow] = [:]
  /// The foreign keys of each table that has some.
  private var keys: [Name: [ForeignKey]] = [:]
  private var childrenOf: [Name: Set<Name>] = [:]

  init(_ mode: Upgrader.ForeignKeyCheck) {
    self.mode = mode
  }

  /// Reads the schema, inside the write transaction.
  mutating func beginTransaction(_ connection: borrowing Connection) throws(SQLiteError) {
    guard mode != .none else { return }
    orphans = Orphans()
    keys = [:]
    childrenOf = [:]
    schema = try connection.schemaRows()
    for (name, row) in schema where row.mayRefer { try readKeys(of: name, connection) }
  }

  /// Counts the orphans of the children that are known to have some.
  mutating func beginStep(_ connection: borrowing Connection) throws(SQLiteError) {
    for child in counted {
      for key in keys[child] ?? [] { try orphans.count(key, of: child, connection) }
    }
  }

  /// Checks what the step has changed, by what the script guard has noted.
  mutating func endStep(_ connection: borrowing Connection) throws(SQLiteError) -> Outcome {
    guard mode != .none else { return .clean }
    let noted = connection.scriptGuard.tables
    var changed = noted.names.union(noted.lasting)
    changed.formUnion(try readChanges(noted, connection))
    try addOwnTables(to: &changed, connection)
    let all = mode == .all || noted.mayBeAny
    let outcome = try check(all ? Array(keys.keys) : children(touchedBy: changed), connection)
    try orphans.forget(connection)
    return outcome
  }

  private mutating func check(
    _ children: [Name], _ connection: borrowing Connection
  ) throws(SQLiteError) -> Outcome {
    var mustCount = false
    var rows: [UpgradeError.Violation] = []
    var count = 0
    for child in children.sorted() {
      let (hasOrphans, mismatch) = try connection.checkForeignKeys(of: child)
      if !hasOrphans, mismatch == nil { continue }
      if counted.insert(child).inserted { mustCount = true }
      if mustCount { continue }
      for key in keys[child] ?? [] {
        let new = try orphans.new(
          key, of: child, mismatch: mismatch, listing: Self.most - rows.count, connection)
        rows += new.rows
        count += new.count
      }
    }
    if mustCount { return .countFirst }
    return count == 0
      ? .clean : .orphans(UpgradeError.ForeignKeyViolations(rows: rows, count: count))
  }

  /// The tables whose foreign keys lead from or to one of the names.
  private func children(touchedBy changed: Set<Name>) -> [Name] {
    var children: Set<Name> = []
    for name in changed {
      if keys[name] != nil { children.insert(name) }
      if let referring = childrenOf[name] { children.formUnion(referring) }
    }
    return Array(children)
  }

  /// Adds the tables in which a changed virtual table keeps its data, such as `f_data` of a
  /// full-text table `f`, if a foreign key leads to them.
  ///
  /// A virtual table writes them with statements that it may have prepared long ago. A full-text
  /// index writes what it has in memory when a savepoint begins.
  private func addOwnTables(
    to changed: inout Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let virtual = changed.filter { schema[$0]?.isVirtual == true }
    if virtual.isEmpty { return }
    let own = childrenOf.keys.filter { parent in virtual.contains { parent.isShadow(of: $0) } }
    if own.isEmpty { return }
    changed.formUnion(own)
    try connection.closeBlobsOfVirtualTables()
  }
}

/// The schema and its changes.
extension ForeignKeys {
  /// Reads the foreign keys of the tables that the step made or altered, and returns the names of
  /// the tables and views that are not what they were before the step.
  private mutating func readChanges(
    _ noted: NotedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Set<Name> {
    var changed = noted.made
    // The next comparison takes them for new ones.
    for name in noted.made { schema[name] = nil }
    if noted.isIncomplete {
      let now = try connection.schemaRows()
      for (name, row) in now where schema[name] != row { changed.insert(name) }
      for name in Array(schema.keys) + keys.keys where now[name] == nil { changed.insert(name) }
      schema = now
    }
    for name in changed { try readKeys(of: name, connection) }
    return changed
  }

  private mutating func readKeys(
    of child: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for key in keys[child] ?? [] { childrenOf[key.parent]?.remove(child) }
    var now: [ForeignKey] = []
    // A table may declare the same foreign key twice.
    for key in try connection.foreignKeys(of: child) where !now.contains(key) { now.append(key) }
    keys[child] = now.isEmpty ? nil : now
    for key in now { childrenOf[key.parent, default: []].insert(child) }
  }
}

/// A table or a view in SQLite's schema.
private struct SchemaRow: Equatable {
  let sql: SQL
  /// The page of the file at which the table begins; 0 for a view or a virtual table.
  let rootPage: Int64
  let isVirtual: Bool
  /// True if it may have foreign keys: every declaration of one contains the word REFERENCES.
  let mayRefer: Bool
}

extension Connection {
  fileprivate borrowing func schemaRows() throws(SQLiteError) -> [Name: SchemaRow] {
    let rows = try prepare(
      """
      SELECT name, sql, rootpage, type = 'table' AND rootpage = 0, instr(lower(sql), 'references')
      FROM main.sqlite_master WHERE type IN ('table', 'view')
      """)
    var schema: [Name: SchemaRow] = [:]
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      schema[name] = SchemaRow(
        sql: SQL(rows.withText(1) { Array($0) }), rootPage: rows.integer(2),
        isVirtual: rows.integer(3) == 1, mayRefer: rows.integer(4) > 0)
    }
    return schema
  }

  /// Lets SQLite check one child.
  ///
  /// "The parent key must be the primary key, or subject to a UNIQUE constraint or index"
  /// (sqlite.org/foreignkeys.html, section 3). If the parent of one foreign key is not, SQLite says
  /// "foreign key mismatch", and nothing about the child's other keys.
  fileprivate borrowing func checkForeignKeys(
    of child: Name
  ) throws(SQLiteError) -> (hasOrphans: Bool, mismatch: String?) {
    do {
      // With the schema, because a temporary table may have the name.
      return (try prepare("PRAGMA main.foreign_key_check(\(child))" as SQL).step(), nil)
    } catch {
      guard error.code == .error, error.message.hasPrefix("foreign key mismatch") else {
        throw error
      }
      return (false, error.message)
    }
  }
}
