internal import CUpliftSQLite

/// Stands between a script and its connection: SQLite's authorizer asks it about every statement.
///
/// It refuses what would break the bond between a script and its version (transaction control,
/// `user_version`), reach beyond the database (`ATTACH`) or make a crash lose it
/// (`journal_mode=OFF`). It notes which tables a script touches and whether the script leaves
/// something behind on the connection. Installed once and switched by `rules`: installing an
/// authorizer makes SQLite prepare every statement again.
package final class ScriptGuard {
  package enum Rules {
    /// No script is running: everything is allowed, nothing is noted.
    case off
    /// The script runs inside a transaction that is not its own.
    case transaction
    /// The script runs alone, in autocommit.
    case autocommit
  }

  /// How far the script is with a `BEGIN … COMMIT` of its own around all it does.
  private enum Wrapper { case none, begun, ended }

  private var rules = Rules.off
  private var wrapper = Wrapper.none
  private var hasWorked = false

  /// True while a statement runs: SQL that SQLite itself prepares then (`VACUUM`, full-text
  /// search) is not the script's.
  package var isStepping = false

  /// Why the latest statement was refused.
  package private(set) var refusal: Refusal?
  /// The tables that the script wrote, created, altered or dropped.
  package private(set) var touched: Set<String> = []
  /// The tables that the script created or dropped.
  package private(set) var reshaped: Set<String> = []
  /// True when the script altered a table, perhaps its name, which the authorizer is not told.
  package private(set) var hasAltered = false
  /// True when the connection is not as it was: temporary objects, pragmas.
  package private(set) var leavesState = false
  private var latestTouched: [CChar] = []

  package init() {}

  /// Forgets the script before and watches the next.
  package func begin(_ rules: Rules) {
    self.rules = rules
    wrapper = .none
    hasWorked = false
    refusal = nil
    touched = []
    reshaped = []
    hasAltered = false
    latestTouched = []
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
  }

  /// SQLite's question, answered in its own codes.
  func answer(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?) -> Int32 {
    guard rules != .off else { return SQLITE_OK }
    switch judge(action, first, second, database) {
    case .allow: return SQLITE_OK
    case .ignore: return SQLITE_IGNORE
    case .deny(let reason):
      refusal = reason
      return SQLITE_DENY
    }
  }

  typealias Name = UnsafePointer<CChar>

  private func judge(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?)
    -> Verdict
  {
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    case SQLITE_SAVEPOINT: return rules == .transaction ? .deny(.savepoint) : .allow
    case SQLITE_ATTACH: return judgeAttach(first)
    case SQLITE_DETACH: return isStepping ? .allow : .deny(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(
        first.map { String(cString: $0).lowercased() } ?? "",
        value: second.map { String(cString: $0).lowercased() })
    default:
      if wrapper == .ended { return .deny(.workAfterCommit) }
      hasWorked = true
      note(action, first, second, database)
      return .allow
    }
  }

  /// One outermost pair, as `.dump` writes it, is accepted and does nothing.
  private func judgeTransaction(_ operation: String) -> Verdict {
    if rules == .autocommit { return .allow }
    switch (operation, wrapper) {
    case ("BEGIN", .none) where !hasWorked:
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
      if let values, !values.contains(value) { return .deny(.pragma(name)) }
      guard rules == .autocommit else { return .deny(.pragmaInTransaction(name)) }
      leavesState = true
      return .allow
    }
  }

  private func note(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?) {
    switch action {
    case SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER,
      SQLITE_CREATE_TEMP_VIEW:
      leavesState = true
    case SQLITE_CREATE_VTABLE:
      if isTemporary(database) { leavesState = true }
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      if !isTemporary(database) { touch(first) }
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE:
      touch(first)
      if let first { reshaped.insert(String(cString: first)) }
    case SQLITE_DROP_INDEX:
      touch(second)
    case SQLITE_ALTER_TABLE:
      touch(second)
      hasAltered = true
    default:
      break
    }
  }

  private func isTemporary(_ database: Name?) -> Bool {
    database.map { sqlite3_stricmp($0, "temp") == 0 } ?? false
  }

  /// A script mostly writes the table that it wrote last; that costs one comparison.
  private func touch(_ table: Name?) {
    guard let table else { return }
    let isLatest = latestTouched.withUnsafeBufferPointer { latest in
      latest.baseAddress.map { sqlite3_stricmp($0, table) == 0 } ?? false
    }
    guard !isLatest, sqlite3_strnicmp(table, "sqlite_", 7) != 0 else { return }
    let name = String(cString: table)
    latestTouched = Array(name.utf8CString)
    touched.insert(name.lowercased())
  }
}
