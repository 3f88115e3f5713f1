internal import CUpliftSQLite

/// Stands between a script and its connection: SQLite's authorizer asks it about every statement.
///
/// It refuses what would break the bond between a script and its version (transaction control,
/// `user_version`), reach beyond the database (`ATTACH`) or make a crash lose it
/// (`journal_mode=OFF`). It notes what a script does to which tables and whether the script leaves
/// something behind on the connection. Installed once and switched by `rules`: installing an
/// authorizer makes SQLite prepare every statement again.
package final class ScriptGuard {
  package enum Rules {
    /// No script is running: everything is allowed, nothing is noted.
    case off
    /// The script runs inside a transaction that is not its own.
    case transaction
    /// Code of the program runs inside a transaction that is not its own.
    case code
    /// The script runs alone, in autocommit.
    case autocommit
  }

  /// How far the script is with a `BEGIN … COMMIT` of its own around all it does.
  private enum Wrapper { case none, begun, ended }

  // Asked for each statement of a script, and by one thread: what Swift would check of every
  // access costs more than the answer.
  @exclusivity(unchecked) private var rules = Rules.off
  @exclusivity(unchecked) private var wrapper = Wrapper.none
  @exclusivity(unchecked) private var hasWorked = false
  @exclusivity(unchecked) private var notes = TouchNotes()
  private var scriptsSeen = 0

  /// True while a statement runs: SQL that SQLite itself prepares then (`VACUUM`, full-text
  /// search) is not the script's.
  @exclusivity(unchecked) package var isStepping = false

  /// Why the latest statement was refused.
  package private(set) var refusal: Refusal?
  /// True when a statement was refused because it counts changes, and the connection has already
  /// counted those of another script: only a fresh connection gives the right answer.
  package private(set) var wantsFreshConnection = false
  /// True when the connection is not as it was: temporary objects, pragmas.
  package private(set) var leavesState = false

  package init() {}

  /// Says which statement of the script is prepared next.
  package func beginStatement(_ number: Int) { notes.statement = number }

  /// True if a statement since the last `takeTouches` made, dropped or altered a table.
  package var hasSchemaChange: Bool { notes.hasSchemaChange }

  /// What the script changed since the last call.
  package func takeTouches() -> [Touch: TouchOrigin] { notes.take() }

  /// True until the first script begins.
  package var isFresh: Bool { scriptsSeen == 0 }

  /// Forgets the script before and watches the next.
  package func begin(_ rules: Rules) {
    self.rules = rules
    wrapper = .none
    hasWorked = false
    refusal = nil
    wantsFreshConnection = false
    notes = TouchNotes()
    scriptsSeen += 1
    if rules == .autocommit { leavesState = true }
  }

  /// Lets the upgrade's own statements through.
  package func end() {
    rules = .off
    isStepping = false
  }

  /// Lets the upgrade's own statements through in the middle of a script.
  package func unwatched<Failure: Error>(
    _ work: () throws(Failure) -> Void
  ) throws(Failure) {
    let watched = rules
    rules = .off
    defer { rules = watched }
    try work()
  }

  /// True when the script began a transaction of its own and did not commit it.
  package var isUncommitted: Bool { wrapper == .begun }

  enum Verdict {
    case allow
    /// The statement does nothing, without an error.
    case ignore
    case deny(Refusal)
    /// Refused on this connection, though not on the next.
    case denyHere
  }

  typealias Name = UnsafePointer<CChar>

  /// SQLite's question, answered in its own codes.
  func answer(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?) -> Int32 {
    guard rules != .off else { return SQLITE_OK }
    // What this script was allowed just before, and is noted.
    if wrapper != .ended, notes.isLatest(action, first, second) { return SQLITE_OK }
    switch judge(action, first, second, database) {
    case .allow: return SQLITE_OK
    case .ignore: return SQLITE_IGNORE
    case .deny(let reason):
      refusal = reason
      return SQLITE_DENY
    case .denyHere:
      wantsFreshConnection = true
      return SQLITE_DENY
    }
  }

  private func judge(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?)
    -> Verdict
  {
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    case SQLITE_SAVEPOINT: return rules == .autocommit ? .allow : .deny(.savepoint)
    case SQLITE_ATTACH: return judgeAttach(first)
    case SQLITE_DETACH: return isStepping ? .allow : .deny(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(
        first.map { String(cString: $0).folded } ?? "",
        value: second.map { String(cString: $0).folded })
    default:
      if isStepping {
        // SQL that SQLite itself prepares is not judged, but it may change tables too.
        noteTable(action, first, second, database)
        return .allow
      }
      if wrapper == .ended { return .deny(.workAfterCommit) }
      hasWorked = true
      noteTable(action, first, second, database)
      return note(action, first, second, database)
    }
  }

  /// One outermost pair, as `.dump` writes it, is accepted and does nothing.
  private func judgeTransaction(_ operation: String) -> Verdict {
    if rules == .autocommit { return .allow }
    switch (operation, wrapper) {
    case ("BEGIN", .none) where !hasWorked && rules == .transaction:
      wrapper = .begun
      return .ignore
    case ("COMMIT", .begun):
      wrapper = .ended
      return .ignore
    default:
      return .deny(.transaction(operation))
    }
  }

  /// `VACUUM` attaches a nameless file of its own while it runs, `VACUUM INTO` a named one.
  private func judgeAttach(_ file: Name?) -> Verdict {
    guard isStepping else { return .deny(.attach) }
    guard let file, file.pointee == 0 else { return .deny(.vacuumInto) }
    return .allow
  }

  private func judgePragma(_ name: String, value: String?) -> Verdict {
    switch PragmaRule(name) {
    case nil: return .deny(.pragma(name))
    case .inert: return .ignore
    case .question: return .allow
    case .readOnly: return value == nil ? .allow : .deny(.pragma(name))
    case .setting:
      if value != nil { leavesState = true }
      return .allow
    case .alone(let values):
      guard let value else { return .allow }
      if let values, !values.contains(value) { return .deny(.pragma("\(name)=\(value)")) }
      return rules == .autocommit ? .allow : .deny(.pragmaInTransaction(name))
    case .aloneAction:
      return rules == .autocommit ? .allow : .deny(.pragmaInTransaction(name))
    }
  }

  /// Notes a change to a table of the main database, or to its schema.
  private func noteTable(
    _ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
      if isMain(database) { notes.add(action, first, column: second) }
    case SQLITE_DROP_INDEX:
      if isMain(database) { notes.add(action, second, column: nil) }
    case SQLITE_ALTER_TABLE:
      // Here the database comes first.
      if isMain(first) { notes.add(action, second, column: nil) }
    default:
      break
    }
  }

  private func note(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?)
    -> Verdict
  {
    switch action {
    case SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER,
      SQLITE_CREATE_TEMP_VIEW:
      leavesState = true
    case SQLITE_CREATE_VTABLE:
      if isTemporary(database) { leavesState = true }
    case SQLITE_FUNCTION:
      if scriptsSeen > 1, countsChanges(second) { return .denyHere }
    default:
      break
    }
    return .allow
  }

  private func isMain(_ database: Name?) -> Bool {
    guard let database else { return false }
    return sqlite3_stricmp(database, "main") == 0
  }

  private func isTemporary(_ database: Name?) -> Bool {
    guard let database, database.pointee | 0x20 == CChar(UInt8(ascii: "t")) else { return false }
    return sqlite3_stricmp(database, "temp") == 0
  }

  private func countsChanges(_ function: Name?) -> Bool {
    guard let function else { return false }
    return sqlite3_stricmp(function, "changes") == 0
      || sqlite3_stricmp(function, "total_changes") == 0
  }
}
