internal import UpliftSQLite

/// Finds the rows that became orphans because of a script.
///
/// A runner calls `begin` before a script, `willStep` and `didStep` around each of its statements,
/// and `findings` at its end. Foreign keys are off while a script runs, as SQLite's own procedure
/// for schema changes demands. So nothing cascades and nothing is refused.
///
/// An orphan has a value in its foreign key that no parent row has. The orphan is new if more child
/// rows have this value than before the script. Only the foreign keys that the script may have
/// broken are checked:
///
/// - all foreign keys of a table that was made, renamed or altered, and all that lead to it. A
///   table that only got a new column is not checked, except for a foreign key of the new column.
/// - the foreign keys of a child that got a row or whose key column was updated, and those that
///   lead to a parent that lost a row or whose key column was updated.
/// - the foreign keys that lead to a parent in which a row was inserted or updated, if it may have
///   replaced another row.
final class OrphanCheck {
  enum Findings {
    case none
    /// There are orphans of these foreign keys. Only a count before the script tells whether the
    /// script made them.
    case uncounted(Set<OldForeignKey>)
    case violations(Violations)
  }

  /// The orphans that a script made.
  struct Violations {
    /// Up to ten of them.
    var rows: [UpgradeError.Violation] = []
    /// The number of all of them.
    var count = 0
    /// The one statement that can have made them, or `several` if more than one may have; nil if
    /// there are no violations.
    var origin: TouchOrigin?
    /// True if the script removed rows of a parent, or a parent as a whole.
    var followRemoval = false
    /// True if it dropped or renamed a parent.
    var followDrop = false
  }

  /// The foreign keys whose orphans are counted right before a statement first touches the tables
  /// at their ends.
  enum Counting {
    case none
    /// The foreign keys that are known to have orphans. If the script leaves orphans of another
    /// foreign key, it is undone and runs again.
    case some(Set<OldForeignKey>)
    /// All of them, because the script cannot be undone.
    case all
  }

  private let checksAll: Bool
  private let replacement: RowReplacement
  private let ownTables: OwnTables
  private var follower: StatementFollower
  private var counter: OrphanCounter

  /// Reads the foreign keys as they are now, inside the write transaction.
  init(
    checksAll: Bool, deadline: Deadline, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.checksAll = checksAll
    follower = try StatementFollower(connection)
    replacement = try RowReplacement(connection)
    ownTables = try OwnTables(connection)
    counter = OrphanCounter(deadline)
  }

  /// Begins a script; `mayReplace` tells whether one of its statements may replace rows.
  ///
  /// The orphans of `first` are counted now, those of `counting` when a statement is about to touch
  /// them. If all foreign keys are checked, all orphans are counted now.
  func begin(
    mayReplace: @escaping () -> Bool, counting: Counting, first: Set<OldForeignKey>,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    replacement.begin(searchScript: mayReplace)
    counter.begin(counting)
    follower.begin(
      canBeUndone: !counter.countsAll, isTransactionOpen: connection.isInTransaction)
    _ = connection.scriptGuard.takeTouches()
    if checksAll { try counter.countAll(in: follower.tables, connection) }
    try counter.count(first, in: follower.tables, connection)
    excludeAllChangesBySQLite(connection)
  }

  /// Must be called after a statement was prepared and before its first step: then the script guard
  /// knows what the statement will touch.
  func willStep(_ connection: borrowing Connection) throws(SQLiteError) {
    let scriptGuard = connection.scriptGuard
    excludeLatestChangesBySQLite(scriptGuard)
    let news = counter.isCounting ? scriptGuard.takeNews() : []
    guard !news.isEmpty || scriptGuard.hasSchemaChange else { return }
    try scriptGuard.unwatched { () throws(SQLiteError) in
      try counter.count(before: news, in: follower.tables, connection)
      guard scriptGuard.hasSchemaChange else { return }
      try follower.willChangeSchema(scriptGuard.takeTouches(), connection)
      if follower.altersVirtualTable { try counter.countAll(in: follower.tables, connection) }
    }
  }

  /// Must be called after a statement that could not be prepared, if the script goes on.
  func prepareFailed(_ connection: borrowing Connection) {
    // The statement has changed nothing, so its changes of the schema are forgotten.
    follower.addRowChanges(connection.scriptGuard.takeTouches())
  }

  /// Must be called after a statement that failed, if the script goes on.
  func stepFailed(_ connection: borrowing Connection) {
    do {
      try didStep(connection)
    } catch {
      // The changes of the statement are unknown.
      follower.loseTrack()
    }
  }

  /// Must be called after a statement.
  func didStep(_ connection: borrowing Connection) throws(SQLiteError) {
    let scriptGuard = connection.scriptGuard
    follower.noteTransaction(isOpen: connection.isInTransaction)
    if scriptGuard.undoesWork { return try startOver(connection) }
    guard follower.isInSchemaChange || scriptGuard.hasSchemaChange else { return }
    try scriptGuard.unwatched { () throws(SQLiteError) in
      excludeLatestChangesBySQLite(scriptGuard)
      try follower.didChangeSchema(scriptGuard.takeTouches(), connection)
    }
  }

  /// Must be called before other code uses the connection.
  ///
  /// The script guard cannot see what that code does.
  func willLend(_ connection: borrowing Connection) throws(SQLiteError) {
    let scriptGuard = connection.scriptGuard
    try scriptGuard.unwatched { () throws(SQLiteError) in
      excludeLatestChangesBySQLite(scriptGuard)
      follower.addRowChanges(scriptGuard.takeTouches())
      try counter.countAll(in: follower.tables, connection)
      follower.loseTrack()
    }
  }

  /// Makes virtual tables write now what they have kept in memory, unless the script is refused.
  ///
  /// Returns why the script is refused, although each of its statements is allowed; nil if the
  /// script is accepted. Must be called in the transaction of the script, after its last statement
  /// and before `findings`.
  func writeUnlessRefused(_ connection: borrowing Connection) throws(SQLiteError) -> Refusal? {
    let scriptGuard = connection.scriptGuard
    follower.addRowChanges(scriptGuard.takeTouches())
    let changed = follower.tables.touched
    if changed.isEmpty { return nil }
    return try scriptGuard.unwatched { () throws(SQLiteError) in
      if let refusal = try ownTables.refusal(changed: changed, connection) { return refusal }
      try ownTables.write(changed: changed, parents: follower.tables.parents, connection)
      return nil
    }
  }

  /// Checks the foreign keys that the script may have broken, at its end.
  func findings(_ connection: borrowing Connection) throws(SQLiteError) -> Findings {
    follower.addRowChanges(connection.scriptGuard.takeTouches())
    try follower.end(connection)
    let reader = ColumnReader()
    let breakable = BreakableKeys(
      follower.tables, checksAll: checksAll || follower.hasLostTrack, replacement, reader)
    var search = NewOrphanSearch(breakable, counter, reader)
    return try search.run(connection)
  }

  /// Continues after a `ROLLBACK` in the script.
  ///
  /// A foreign key that is not counted yet was not touched before the rollback, or its changes are
  /// undone now. So a count is as good as one before the script.
  private func startOver(_ connection: borrowing Connection) throws(SQLiteError) {
    let scriptGuard = connection.scriptGuard
    try scriptGuard.unwatched { () throws(SQLiteError) in
      excludeLatestChangesBySQLite(scriptGuard)
      _ = scriptGuard.takeTouches()
      try follower.startOver(connection)
      try counter.countAll(in: follower.tables, connection)
    }
  }

  /// Excludes from the count the tables that SQLite itself changed during the latest statement.
  private func excludeLatestChangesBySQLite(_ scriptGuard: ScriptGuard) {
    guard scriptGuard.hasTablesTouchedBySQLite else { return }
    counter.exclude(scriptGuard.takeTablesTouchedBySQLite(), in: follower.tables)
  }

  /// Excludes from the count the tables that a virtual table changes by itself.
  ///
  /// A virtual table makes these changes with statements that it keeps prepared. SQLite reports
  /// them once, for the first script that makes them run, but they may run for this one too.
  private func excludeAllChangesBySQLite(_ connection: borrowing Connection) {
    let touches = connection.scriptGuard.touchesBySQLite
    if touches.isEmpty { return }
    let tables = follower.tables
    for touch in touches
    where tables.parents.contains(touch.table) || tables.names.contains(touch.table) {
      follower.addRowChanges([touch: .several])
      counter.exclude([touch.table], in: tables)
    }
  }
}
