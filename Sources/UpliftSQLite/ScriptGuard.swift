internal import CUpliftSQLite

/// Decides which statements of a script may run: SQLite's authorizer asks it about each of them.
///
/// The guard refuses:
/// - statements that break up the transaction of a script and its version: transaction control,
///   `user_version`;
/// - statements that reach other databases: `ATTACH`;
/// - statements after which a crash could lose the database: `journal_mode=OFF`;
/// - every pragma without a ``PragmaRule``.
///
/// It also notes what a script does (``ScriptNotes``) and what it needs (``Need``). It is installed
/// once and then switched by `rules`, because SQLite prepares all statements again when an
/// authorizer is installed.
package final class ScriptGuard {
  package enum Rules {
    /// No script is running: everything is allowed and nothing is noted.
    case off
    /// The script is the first in a transaction that Uplift has begun.
    case transaction
    /// The script runs in a savepoint, after other scripts in the same transaction.
    case savepoint
    /// Swift code of the program runs in a transaction that Uplift has begun.
    case code
    /// The script runs alone, without a transaction.
    case autocommit
  }

  /// A `BEGIN` or `COMMIT` of a script, and the offset of its first byte.
  package struct Operation {
    package let name: String
    package let offset: Int
  }

  // The guard is asked about each statement, and by one thread. Swift's check for exclusive access
  // would take longer than the answer.
  @exclusivity(unchecked) private var rules = Rules.off
  @exclusivity(unchecked) private var notes = ScriptNotes(hasLeftState: false)
  private var scriptsSeen = 0
  /// The version of the script, to which the script may set `user_version`.
  private var number: Int32?
  /// The journal mode of the database, in lower case; nil until a change of the mode is refused and
  /// the guard learns the present mode, for each script anew.
  private var journalMode: String?

  /// True while a statement runs.
  ///
  /// SQL that SQLite itself prepares at this time (for `VACUUM`, for full-text search) is not the
  /// script's.
  @exclusivity(unchecked) package var isStepping = false

  /// True if the seed is attached, because the script reads it; see ``SeedRule``.
  var hasSeed = false

  /// True if a statement of a script in autocommit may have changed the database.
  package var mayHaveWritten = false

  /// The objects that the script changes, while somebody wants to know them; nil otherwise.
  @exclusivity(unchecked) package var actions: ScriptActions?

  /// Why the latest statement was refused.
  package private(set) var refusal: Refusal?
  /// What the script needs and does not have here.
  ///
  /// The script is undone, and runs again in a transaction or on a connection that fits.
  package private(set) var need: Need?

  package init() {}

  /// Forgets the script before, and begins to watch the next one.
  ///
  /// `number` is the version that the script may set.
  package func begin(_ rules: Rules, number: Int32? = nil) {
    self.rules = rules
    self.number = number
    refusal = nil
    need = nil
    journalMode = nil
    mayHaveWritten = false
    // A script in autocommit may leave anything on the connection.
    notes = ScriptNotes(
      hasLeftState: notes.hasLeftState || rules == .autocommit,
      hasOtherStatistics: notes.hasOtherStatistics,
      touchesBySQLite: notes.touches.touchesBySQLite)
    scriptsSeen += 1
  }

  /// Begins to watch the statement that starts at this byte of the script.
  package func beginStatement(at offset: Int) {
    refusal = nil
    notes.beginStatement(at: offset)
    actions?.beginStatement()
  }

  /// Ends the script; from now on the statements of Uplift itself are allowed.
  package func end() {
    rules = .off
    isStepping = false
  }

  /// Runs statements of Uplift itself in the middle of a script.
  package func unwatched<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let watched = rules
    rules = .off
    defer { rules = watched }
    return try work()
  }
}

/// What the guard has noted.
extension ScriptGuard {
  /// True until the first script begins.
  package var isFresh: Bool { scriptsSeen == 0 }

  /// True if a statement since the last `takeTouches` made, dropped or altered a table.
  package var hasSchemaChange: Bool { notes.touches.hasSchemaChange }

  /// The touches that were noted for the first time since the last call.
  ///
  /// A touch counts as new again after 64 others, and after `takeTouches`.
  package func takeNews() -> [Touch] { notes.touches.takeNews() }

  /// The changes of the script, each with its statements; they are forgotten after that.
  package func takeTouches() -> [Touch: TouchOrigin] { notes.touches.take() }

  /// True if, since the last `takeTablesTouchedBySQLite`, SQLite's own statements touched tables
  /// while a statement ran.
  package var hasTablesTouchedBySQLite: Bool { notes.touches.hasTablesTouchedBySQLite }

  /// The tables that SQLite's own statements touched while a statement ran, since the last call.
  ///
  /// `takeNews` does not return them.
  package func takeTablesTouchedBySQLite() -> Set<Name> {
    notes.touches.takeTablesTouchedBySQLite()
  }

  /// The changes that SQLite's own statements have made for any script.
  ///
  /// A virtual table keeps these statements prepared. SQLite does not report them again when they
  /// run for another script.
  package var touchesBySQLite: Set<Touch> { notes.touches.touchesBySQLite }

  /// True if the current statement undoes others: `ROLLBACK` in a script without a transaction.
  package var undoesWork: Bool { notes.undoesWork }

  /// True if the current statement undoes those since a savepoint.
  package var returnsToSavepoint: Bool { notes.returnsToSavepoint }

  /// True if no other script may follow in the transaction, because the script made or dropped a
  /// virtual table.
  package var isLastInTransaction: Bool { notes.isLastInTransaction }

  /// True if the current statement changes the journal mode.
  package var changesJournalMode: Bool { notes.changesJournalMode }

  /// True if the connection is not as it was: a script left temporary objects, settings or
  /// statistics on it, or ran without a transaction.
  package var hasLeftState: Bool { notes.hasLeftState }

  /// True if the connection may plan with other statistics than a new connection, if the database
  /// has statistics.
  var hasOtherStatistics: Bool { notes.hasOtherStatistics }

  /// Notes that the connection is not as it was.
  func noteLeftState() { notes.hasLeftState = true }

  /// The latest `BEGIN` or `COMMIT` of the script, if it has no partner.
  package var unpaired: Operation? { notes.transactionWords.unpaired }

  /// True if a change of the journal mode was refused, and the database may have this mode already.
  package var wantsJournalMode: Bool {
    journalMode == nil && refusal == .pragmaInTransaction("journal_mode")
  }

  /// Takes back the refusal of a journal mode; the statement must be prepared again.
  package func learn(journalMode: String) {
    self.journalMode = journalMode
    refusal = nil
  }

  /// True if `changes()` may return what the connection has counted; if not, the script runs again.
  func mayCount() -> Bool {
    if rules == .off || scriptsSeen == 1 { return true }
    need = .freshConnection
    return false
  }
}

/// The decision about one action.
extension ScriptGuard {
  private enum Verdict {
    case allow
    /// The statement does nothing, and that is not an error.
    case ignore
    case deny(Refusal)
    /// The statement is allowed elsewhere: the script is undone and runs again there.
    case denyHere(Need)
  }

  typealias CString = ScriptNotes.CString

  /// The answer to SQLite's authorizer, as one of SQLite's codes.
  func answer(_ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?) -> Int32
  {
    guard rules != .off else { return SQLITE_OK }
    actions?.note(action, first, second, database, at: notes.offset)
    if hasSeed, !isStepping, let reason = SeedRule.refusal(of: action, first, second, database) {
      refusal = reason
      return SQLITE_DENY
    }
    // The same action was allowed and noted just before.
    if !isStepping, notes.touches.isLatest(action, first, second) { return SQLITE_OK }
    switch judge(action, first, second, database) {
    case .allow: return SQLITE_OK
    case .ignore: return SQLITE_IGNORE
    case .deny(let reason):
      refusal = reason
      return SQLITE_DENY
    case .denyHere(let need):
      self.need = need
      return SQLITE_DENY
    }
  }

  private func judge(_ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?)
    -> Verdict
  {
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    case SQLITE_SAVEPOINT:
      // Full-text search makes savepoints of its own.
      if isStepping { return .allow }
      guard rules == .autocommit else { return .deny(.savepoint) }
      notes.returnsToSavepoint = first.map { sqlite3_stricmp($0, "ROLLBACK") == 0 } ?? false
      if notes.returnsToSavepoint { notes.undoesWork = true }
      return .allow
    case SQLITE_ANALYZE:
      // The statistics have the order of SQLite's hash table of the tables.
      if lacks(.freshConnection) { return .denyHere(.freshConnection) }
      // The connection keeps the new statistics, even if the script is undone.
      notes.hasLeftState = true
      return .allow
    case SQLITE_ATTACH: return judgeAttach(first)
    case SQLITE_DETACH: return isStepping ? .allow : .deny(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(
        first.map { String(cString: $0).folded } ?? "",
        value: second.map { String(cString: $0).folded })
    default:
      // SQL that SQLite itself prepares is always allowed, but it may change tables too.
      notes.noteTouch(action, first, second, database, isBySQLite: isStepping)
      if isStepping { return .allow }
      notes.note(action, first, database)
      if let need = need(of: action, first), lacks(need) { return .denyHere(need) }
      return .allow
    }
  }

  /// `BEGIN` and `COMMIT` do nothing if they alternate: the script is one transaction already.
  private func judgeTransaction(_ word: String) -> Verdict {
    switch rules {
    case .autocommit:
      if word == "ROLLBACK" { notes.undoesWork = true }
      return .allow
    case .transaction, .savepoint:
      let isAccepted = notes.transactionWords.take(word, at: notes.offset)
      return isAccepted ? .ignore : .deny(.transaction(word))
    case .code, .off: return .deny(.transaction(word))
    }
  }

  /// `VACUUM` attaches a file without a name while it runs; `VACUUM INTO` attaches one with a name.
  private func judgeAttach(_ file: CString?) -> Verdict {
    guard isStepping else { return .deny(.attach) }
    guard let file, file.pointee == 0 else { return .deny(.vacuumInto) }
    return .allow
  }

  private func judgePragma(_ name: String, value: String?) -> Verdict {
    if let need = Need(ofPragma: name, isRead: isStepping), lacks(need) { return .denyHere(need) }
    switch PragmaRule(name) {
    case nil: return .deny(.pragma(name))
    case .inert: return .ignore
    case .harmless: return .allow
    case .readOnly: return value == nil ? .allow : .deny(.pragma(name))
    case .version:
      guard let value else { return .allow }
      return number != nil && Int32(value) == number ? .ignore : .deny(.pragma(name))
    case .setting:
      if value != nil { notes.hasLeftState = true }
      return .allow
    case .journalMode(let values):
      guard let value else { return .allow }
      guard values.contains(value) else { return .deny(.pragma("\(name)=\(value)")) }
      notes.changesJournalMode = rules == .autocommit
      if notes.changesJournalMode { return .allow }
      return journalMode == value ? .ignore : .deny(.pragmaInTransaction(name))
    case .settableOutsideTransaction:
      return value == nil || rules == .autocommit ? .allow : .deny(.pragmaInTransaction(name))
    case .actionOutsideTransaction:
      return rules == .autocommit ? .allow : .deny(.pragmaInTransaction(name))
    }
  }

  private func need(of action: Int32, _ first: CString?) -> Need? {
    switch action {
    case SQLITE_READ: Need(ofReading: first)
    case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE: .ownTransaction
    default: nil
    }
  }

  private func lacks(_ need: Need) -> Bool {
    switch need {
    case .ownTransaction: rules == .savepoint
    case .freshConnection: scriptsSeen > 1
    }
  }
}
