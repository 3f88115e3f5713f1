internal import UpliftSQLite

/// Tells which rows lost their parents because of a script.
///
/// A runner calls `begin` before a script, `willStep` and `didStep` around each of its statements,
/// and `findings` at its end. Foreign keys are off while a script runs, as
/// SQLite's own procedure for schema changes wants it, so nothing cascades and nothing is refused.
///
/// A violation is a child table, the columns of a foreign key, the parent and a key that no row of
/// it has. It is new if it has more rows than before the script. Only the foreign keys that the
/// script may have broken are checked:
///
/// - a table that was made, renamed or altered (except for a plain new column) is checked as a
///   whole, both the keys in it and the keys that lead to it;
/// - a row put into a child, a row taken out of a parent, a column of a key that was updated;
/// - a row put into a parent, or updated there, if it may have replaced another one.
final class OrphanCheck {
  enum Findings {
    case none
    /// There are orphans of these foreign keys. To know whether the script made them, they have to
    /// be counted before it runs.
    case uncounted(Set<OldForeignKey>)
    case violations(Violations)
  }

  /// New orphans: up to ten of them, how many there are, and what is known of their making.
  struct Violations {
    var rows: [UpgradeError.Violation] = []
    var count = 0
    /// The one statement that can have made them; nil if several can.
    var origin: TouchOrigin?
    /// True if rows or a whole table that they refer to were removed.
    var followRemoval = false
  }

  private let checksAll: Bool
  private let deadline: Deadline
  private var tables: FollowedTables
  private var old: OldOrphans?
  private var counting = Counting.none
  private var scriptMayReplace = { false }
  /// The answer, once it was needed: a long script is searched for the word once.
  private var scriptReplaces: Bool?
  /// True if something in the schema may replace rows, or did so before a script took it away.
  private var schemaMayReplace: Bool
  /// The tables as they were before the script or at its latest commit, for a script that cannot be
  /// undone.
  private var tablesBefore: FollowedTables?
  /// True after a statement of such a script, if it has left a transaction open.
  private var isTransactionOpen = false
  /// True if something was done that could not be followed: then everything is checked.
  private var isLost = false
  /// True if somebody worked on the connection unseen.
  private var wasLent = false
  private var beforeStep: BeforeStep?
  /// The foreign keys that may not be counted any more, because a statement has changed the tables
  /// at their ends while it ran.
  private var missed: Set<OldForeignKey> = []

  /// What there was right before a statement that changes the schema.
  private struct BeforeStep {
    var touches: [Touch: TouchOrigin]
    /// The altered tables: where each begins in the file, and how many columns it has.
    var altered: [Name: (root: Int64, columns: Int)] = [:]
    /// The tables that the statement would make, but that are there.
    var existing: Set<Name> = []
  }

  /// Reads the foreign keys as they are now, inside the write transaction.
  init(
    checksAll: Bool, deadline: Deadline, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.checksAll = checksAll
    self.deadline = deadline
    tables = try FollowedTables(connection)
    schemaMayReplace = tables.mayReplace
  }

  /// Which orphans are counted right before a statement first touches the tables at their ends.
  enum Counting {
    case none
    /// Those of foreign keys that are known to have some; if others are found, the script is undone
    /// and runs again.
    case some(Set<OldForeignKey>)
    /// All of them: the script cannot be undone.
    case all

    func includes(_ key: OldForeignKey) -> Bool {
      switch self {
      case .none: false
      case .some(let keys): keys.contains(key)
      case .all: true
      }
    }

    var isNone: Bool { if case .none = self { true } else { false } }
    var isAll: Bool { if case .all = self { true } else { false } }
  }

  private var mayReplaceRows: Bool {
    if schemaMayReplace { return true }
    if let scriptReplaces { return scriptReplaces }
    let answer = scriptMayReplace()
    scriptReplaces = answer
    return answer
  }

  /// Begins a script; `mayReplace` tells whether one of its statements may replace rows.
  ///
  /// The orphans of `first` are counted now, those of `counting` when they are about to be touched.
  func begin(
    mayReplace: @escaping () -> Bool, counting: Counting, first: Set<OldForeignKey>,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // What the script before may have made.
    schemaMayReplace = mayReplaceRows
    scriptMayReplace = mayReplace
    scriptReplaces = nil
    tables.begin()
    tablesBefore = counting.isAll ? tables : nil
    isTransactionOpen = connection.isInTransaction
    old = nil
    isLost = false
    wasLent = false
    beforeStep = nil
    missed = []
    self.counting = counting
    _ = connection.scriptGuard.takeTouches()
    if checksAll { try countAll(connection) }
    for key in first where tables[key.table].keys.contains(where: { $0.old == key.key }) {
      try count(key, now: key.key, in: key.table, connection)
    }
    // A virtual table keeps its statements prepared: SQLite does not report them again.
    for touch in connection.scriptGuard.touchesInside
    where tables.parents.contains(touch.table) || tables.names.contains(touch.table) {
      note([touch: .several])
      miss(touch.table)
    }
  }

  // Around each statement.

  /// To be called between a statement's preparation, which tells the guard what the statement will
  /// touch, and its first step.
  func willStep(_ connection: borrowing Connection) throws(SQLiteError) {
    missLate(connection)
    let news = counting.isNone ? [] : connection.scriptGuard.takeNews()
    guard !news.isEmpty || connection.scriptGuard.hasSchemaChange else { return }
    try connection.scriptGuard.unwatched { () throws(SQLiteError) in
      try countAhead(of: news, connection)
      guard connection.scriptGuard.hasSchemaChange else { return }
      let touches = connection.scriptGuard.takeTouches()
      note(touches)
      var before = BeforeStep(touches: touches)
      for touch in touches.keys {
        switch touch.change {
        case .alter:
          let facts = try facts(of: touch.table, connection)
          before.altered[touch.table] = facts
          // A virtual table takes its own tables along, which cannot be followed.
          if facts.root == 0 { try countAll(connection) }
        case .create:
          if try connection.hasTable(touch.table) { before.existing.insert(touch.table) }
        default: break
        }
      }
      beforeStep = before
    }
  }

  /// To be called after a statement that could not be prepared, if the script goes on.
  func prepareFailed(_ connection: borrowing Connection) {
    // It has changed nothing, whatever it would have done to the schema.
    note(connection.scriptGuard.takeTouches())
  }

  /// To be called after a statement that failed, if the script goes on.
  func stepFailed(_ connection: borrowing Connection) {
    do {
      try didStep(connection)
    } catch {
      isLost = true
    }
  }

  /// To be called after a statement.
  func didStep(_ connection: borrowing Connection) throws(SQLiteError) {
    if tablesBefore != nil, connection.isInTransaction != isTransactionOpen {
      isTransactionOpen.toggle()
      // A `BEGIN`: what was done until now stays after a `ROLLBACK`.
      if isTransactionOpen { tablesBefore = tables }
    }
    if connection.scriptGuard.undoesWork { return try startOver(connection) }
    guard beforeStep != nil || connection.scriptGuard.hasSchemaChange else { return }
    let before = beforeStep ?? BeforeStep(touches: [:])
    beforeStep = nil
    try connection.scriptGuard.unwatched { () throws(SQLiteError) in
      missLate(connection)
      // What SQLite's own statements did on the way, as for the tables of a full-text index.
      let inside = connection.scriptGuard.takeTouches()
      note(inside)
      guard !inside.keys.contains(where: { $0.change == .alter && before.altered[$0.table] == nil })
      else { return try reread(connection) }
      try follow(before, before.touches.merging(inside) { $0.merged(with: $1) }, connection)
    }
  }

  /// To be called before somebody works on the connection unseen: counts all there is.
  func willLend(_ connection: borrowing Connection) throws(SQLiteError) {
    try connection.scriptGuard.unwatched { () throws(SQLiteError) in
      missLate(connection)
      let touches = connection.scriptGuard.takeTouches()
      note(touches)
      try countAll(connection)
      wasLent = true
    }
  }

  private func note(_ touches: [Touch: TouchOrigin]) {
    for (touch, origin) in touches {
      switch touch.change {
      case .insert, .delete, .update:
        tables.note(touch.change, of: touch.table, by: origin)
      case .create, .drop, .alter: break
      }
    }
  }

  /// Brings the followed tables up to date with the schema, after a statement that changed it.
  private func follow(
    _ before: BeforeStep, _ touches: [Touch: TouchOrigin], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for (touch, origin) in touches where touch.change == .drop {
      if try !connection.hasTable(touch.table) { tables.drop(touch.table, by: origin) }
    }
    for (touch, origin) in touches where touch.change == .create {
      if before.existing.contains(touch.table) { continue }
      guard try connection.hasTable(touch.table) else { continue }
      tables.create(touch.table, try connection.foreignKeys(of: touch.table), by: origin)
    }
    for (touch, origin) in touches where touch.change == .alter {
      let name = touch.table
      if try connection.hasTable(name) {
        let columns = try TableColumns(name, connection).all.count
        let isNewColumn = before.altered[name].map { $0.columns + 1 == columns } ?? false
        try tables.alter(name, isNewColumn: isNewColumn, by: origin) { table throws(SQLiteError) in
          try connection.foreignKeys(of: table)
        }
      } else if let new = try table(ofRoot: before.altered[name]?.root ?? 0, connection) {
        try tables.rename(name, to: new, by: origin) { table throws(SQLiteError) in
          try connection.foreignKeys(of: table)
        }
      } else {
        return try reread(connection)
      }
    }
  }

  private func reread(_ connection: borrowing Connection) throws(SQLiteError) {
    isLost = true
    try tables.reread(connection)
  }

  /// Takes the tables as they are after a `ROLLBACK` of the script's own.
  ///
  /// What was not counted yet was not touched before, and what was touched is undone.
  private func startOver(_ connection: borrowing Connection) throws(SQLiteError) {
    try connection.scriptGuard.unwatched { () throws(SQLiteError) in
      missLate(connection)
      _ = connection.scriptGuard.takeTouches()
      beforeStep = nil
      if let tablesBefore { tables = tablesBefore }
      try reread(connection)
      try countAll(connection)
    }
  }

  private func facts(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (root: Int64, columns: Int) {
    let row = try connection.prepare(
      "SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?1 COLLATE NOCASE"
        as SQL)
    try row.bind(table, at: 1)
    let root = try row.step() ? row.integer(0) : 0
    return (root, try TableColumns(table, connection).all.count)
  }

  /// The name of the table that begins at a page, which a statement that only renames leaves there.
  private func table(
    ofRoot root: Int64, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Name? {
    guard root > 0 else { return nil }
    let row = try connection.prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = \(Int(root))" as SQL)
    return try row.step() ? row.name(0) : nil
  }

  // Orphans from before the script.

  /// Counts the orphans that a statement is about to touch, each foreign key once.
  ///
  /// A table that gets a new name becomes the parent of what leads to that name and finds nothing;
  /// the name is not known yet, so all keys that lead to no table are counted.
  private func countAhead(
    of touches: [Touch], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    if touches.isEmpty { return }
    var names = Set(touches.map(\.table))
    if touches.contains(where: { $0.change == .alter }) {
      for parent in tables.parents where try !connection.hasTable(parent) { names.insert(parent) }
    }
    // A virtual table changes its own tables while the statement runs, and then it is too late.
    for name in names {
      let own = tables.parents.filter { $0.isShadow(of: name) }
      if !own.isEmpty, try facts(of: name, connection).root == 0 { names.formUnion(own) }
    }
    for name in names.sorted() {
      try countKeys(of: name, leadingTo: nil, connection)
      for child in tables.children(of: name).sorted() {
        try countKeys(of: child, leadingTo: name, connection)
      }
    }
  }

  private func countAll(_ connection: borrowing Connection) throws(SQLiteError) {
    if counting.isNone { return }
    for name in tables.names.sorted() { try countKeys(of: name, leadingTo: nil, connection) }
  }

  private func countKeys(
    of name: Name, leadingTo parent: Name?, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for (key, old) in oldKeys(of: name, leadingTo: parent) {
      try count(old, now: key, in: name, connection)
    }
  }

  private func oldKeys(
    of name: Name, leadingTo parent: Name?
  ) -> [(key: ForeignKey, old: OldForeignKey)] {
    let table = tables[name]
    guard let oldName = table.old else { return [] }
    return table.keys.compactMap { key in
      guard let old = key.old, parent == nil || key.now.parent == parent else { return nil }
      return (key.now, OldForeignKey(table: oldName, key: old))
    }
  }

  /// Gives up the count for the foreign keys whose tables SQLite's own statements have changed
  /// while a statement ran: a count would take new orphans for old ones.
  ///
  /// If the script can be undone, it runs again and these keys are counted before it begins. If it
  /// cannot, all their orphans are reported.
  private func missLate(_ connection: borrowing Connection) {
    for name in connection.scriptGuard.takeLate() { miss(name) }
  }

  private func miss(_ name: Name) {
    missed.formUnion(oldKeys(of: name, leadingTo: nil).map(\.old))
    for child in tables.children(of: name) {
      missed.formUnion(oldKeys(of: child, leadingTo: name).map(\.old))
    }
  }

  private func count(
    _ key: OldForeignKey, now: ForeignKey, in table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard counting.includes(key), !missed.contains(key) else { return }
    if old == nil { old = try OldOrphans(deadline) }
    guard let old, !old.isCounted(key) else { return }
    try old.count(key, by: try OrphanQuery(now, of: table, connection), connection)
  }

  // At the end of a script.

  /// Checks the foreign keys that the script may have broken.
  func findings(_ connection: borrowing Connection) throws(SQLiteError) -> Findings {
    note(connection.scriptGuard.takeTouches())
    if wasLent { try reread(connection) }
    if tablesBefore != nil, !isLost, try !tables.areStill(FollowedTables(connection)) {
      // Another process has changed the schema between two statements.
      try reread(connection)
    }
    var uncounted: Set<OldForeignKey> = []
    var violations = Violations()
    var taken: Set<OldForeignKey> = []
    var checked: Set<[OldForeignKey?]> = []
    let breakable = BreakableKeys(
      tables: tables, checksAll: checksAll || isLost,
      mayReplace: { self.mayReplaceRows })
    for (name, key) in try breakable.all(connection) {
      // A reference that is written twice has each of its orphans once.
      let now = OldForeignKey(table: name, key: key.now)
      let before = key.old.map { OldForeignKey(table: name, key: $0) }
      guard checked.insert([now, before]).inserted else { continue }
      let query = try OrphanQuery(key.now, of: name, connection)
      let origin = tables.original(of: key, in: name, taken: &taken)
      if let origin, !counting.isAll, old?.isCounted(origin) != true {
        if try query.hasOrphans(connection) { uncounted.insert(origin) }
      } else if let origin, let old, old.isCounted(origin) {
        let growth = try old.growth(
          of: origin, by: query, atMost: 10 - violations.rows.count, connection)
        try add(growth.rows, growth.count, query, breakable, to: &violations, connection)
      } else if try query.hasOrphans(connection) {
        let statement = try query.rows(connection)
        var rows: [Int64?] = []
        while violations.rows.count + rows.count < 10, try statement.step() {
          rows.append(statement.isNull(0) ? nil : statement.integer(0))
        }
        try add(rows, try query.count(connection), query, breakable, to: &violations, connection)
      }
    }
    if violations.count > 0 { return .violations(violations) }
    return uncounted.isEmpty ? .none : .uncounted(uncounted)
  }

  private func add(
    _ rows: [Int64?], _ count: Int, _ query: OrphanQuery, _ breakable: BreakableKeys,
    to violations: inout Violations, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard count > 0 else { return }
    let fault: UpgradeError.Violation.Fault? =
      switch query.parent.fault {
      case .noTable: .noTable
      case .noColumns: .noColumns
      case nil: try query.parent.isKey(query.key, connection) ? nil : .noKey
      }
    violations.rows += rows.prefix(10 - violations.rows.count).map { row in
      UpgradeError.Violation(
        table: query.table.shown, row: row, columns: query.key.from.map(\.shown),
        parent: query.key.parent.shown, fault: fault)
    }
    violations.count += count
    let origin = try breakable.origin(of: query, connection)
    violations.origin = violations.origin.map { $0.merged(with: origin) } ?? origin
    if tables[query.key.parent].rows.deleted != nil || tables.lost[query.key.parent] != nil {
      violations.followRemoval = true
    }
  }
}
