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
/// It also notes what a step does (``ScriptNotes``). It is installed once and then switched by
/// `rules`, because SQLite prepares all statements again when an authorizer is installed.
package final class ScriptGuard {
  package enum Rules: Equatable {
    /// No step is running: everything is allowed.
    case off
    /// A script runs in a transaction that Uplift has begun.
    ///
    /// It may set `user_version` to its own number, and the journal mode to the one that the
    /// database has.
    case script(number: Int32, journalMode: String)
    /// Swift code of the program runs in a transaction that Uplift has begun.
    case code
    /// A `no-transaction` script runs, or is checked.
    case alone
  }

  /// A `BEGIN` or `COMMIT` of a script, and the offset of its first byte.
  package struct Operation {
    package let name: String
    package let offset: Int
  }

  // The guard is asked about each statement, and by one thread. Swift's check for exclusive access
  // would take longer than the answer.
  @exclusivity(unchecked) private var rules = Rules.off
  @exclusivity(unchecked) private var notes = ScriptNotes()

  /// True while a statement runs.
  ///
  /// SQL that SQLite itself prepares at this time (for `VACUUM`, for full-text search) is not the
  /// script's.
  @exclusivity(unchecked) package var isStepping = false

  /// True if the seed is attached, because the script reads it; see ``SeedRule``.
  package var hasSeed = false

  /// True after a step in Swift has had the handle of the connection: it may have done anything that
  /// no authorizer sees.
  package private(set) var isLent = false

  /// The objects that the script changes, while somebody wants to know them; nil otherwise.
  @exclusivity(unchecked) package var actions: ScriptActions?

  package init() {}

  /// Forgets the step before, and begins to watch the next one.
  package func begin(_ rules: Rules) {
    self.rules = rules
    notes = ScriptNotes(after: notes)
  }

  /// Begins to watch the statement that starts at this byte of the script.
  package func beginStatement(at offset: Int) {
    notes.beginStatement(at: offset)
    actions?.beginStatement()
  }

  /// Ends the step; from now on the statements of Uplift itself are allowed.
  package func end() {
    rules = .off
    isStepping = false
  }

  /// Runs statements of Uplift itself in the middle of a step.
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
  /// Why the latest statement was refused.
  package var refusal: Refusal? { notes.refusal }

  /// The latest `BEGIN` or `COMMIT` of the script, if it has no partner.
  package var unpaired: Operation? { notes.transactionWords.unpaired }

  /// The journal mode that the current statement asks for, in lower case; nil if it asks for none.
  package var wantedJournalMode: String? { notes.wantedJournalMode }

  /// True if the step left something that would be there in the next step.
  var hasLeftovers: Bool { notes.hasLeftovers }

  /// The tables that the latest step may have changed.
  package var tables: NotedTables { notes.tables }

  /// Notes that any table may have changed, because the connection is lent.
  package func lend() {
    isLent = true
    notes.tables.noteAny()
  }
}

/// The decision about one action.
extension ScriptGuard {
  private enum Verdict {
    case allow
    /// The statement does nothing, and that is not an error.
    case ignore
    case deny(Refusal)
  }

  typealias CString = ScriptNotes.CString

  /// The answer to SQLite's authorizer, as one of SQLite's codes.
  func answer(_ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?) -> Int32
  {
    guard rules != .off else {
      notes.noteTable(action, first, second, database, lasts: true)
      return SQLITE_OK
    }
    actions?.note(action, first, second, database, at: notes.offset)
    if hasSeed, !isStepping, let reason = SeedRule.refusal(of: action, first, second, database) {
      notes.refusal = reason
      return SQLITE_DENY
    }
    // The same action was allowed and noted just before.
    if !isStepping, notes.tables.isLatest(action, first) { return SQLITE_OK }
    switch judge(action, first, second, database) {
    case .allow: return SQLITE_OK
    case .ignore: return SQLITE_IGNORE
    case .deny(let reason):
      notes.refusal = reason
      return SQLITE_DENY
    }
  }

  private func judge(_ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?)
    -> Verdict
  {
    if rules == .alone { return judgeAlone(action, first, second) }
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    // Full-text search makes savepoints of its own.
    case SQLITE_SAVEPOINT: return isStepping ? .allow : .deny(.savepoint)
    case SQLITE_ATTACH: return .deny(.attach)
    case SQLITE_DETACH: return isStepping ? .allow : .deny(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(
        first.map { String(cString: $0).folded } ?? "",
        value: second.map { String(cString: $0).folded })
    default:
      // SQL that SQLite itself prepares is always allowed, but it may change tables too.
      notes.noteTable(action, first, second, database, lasts: isStepping)
      if !isStepping { notes.noteTemporary(database) }
      return .allow
    }
  }

  /// A script without a transaction holds a few pragmas and `VACUUM`, and nothing else.
  ///
  /// SQLite does not ask about `VACUUM`. What it prepares while it runs one is allowed; that
  /// attaches a file without a name, and `VACUUM INTO` one with a name.
  private func judgeAlone(
    _ action: Int32, _ first: CString?, _ second: CString?
  ) -> Verdict {
    if isStepping {
      let isNamed = action == SQLITE_ATTACH && first?.pointee != 0
      return isNamed ? .deny(.vacuumInto) : .allow
    }
    guard action == SQLITE_PRAGMA, let first else { return .deny(.notAlone) }
    let name = String(cString: first).folded
    guard PragmaRule.ofAlone.contains(name) else { return .deny(.notAlone) }
    guard name == "journal_mode", let value = second.map({ String(cString: $0).folded }) else {
      return .allow
    }
    guard PragmaRule.journalModes.contains(value) else { return .deny(.pragma("\(name)=\(value)")) }
    notes.wantedJournalMode = value
    return .allow
  }

  /// `BEGIN` and `COMMIT` do nothing if they alternate: the script is one transaction already.
  private func judgeTransaction(_ word: String) -> Verdict {
    guard case .script = rules, notes.transactionWords.take(word, at: notes.offset) else {
      return .deny(.transaction(word))
    }
    return .ignore
  }

  private func judgePragma(_ name: String, value: String?) -> Verdict {
    switch PragmaRule(name) {
    case nil: return .deny(.pragma(name))
    case .inert: return .ignore
    case .harmless: return .allow
    case .readOnly: return value == nil ? .allow : .deny(.pragma(name))
    case .version:
      guard let value else { return .allow }
      guard case .script(let number, _) = rules, Int32(value) == number else {
        return .deny(.pragma(name))
      }
      return .ignore
    case .setting:
      if value != nil { notes.hasLeftovers = true }
      return .allow
    case .journalMode:
      guard let value else { return .allow }
      if case .script(_, value) = rules { return .ignore }
      return .deny(
        PragmaRule.journalModes.contains(value)
          ? .pragmaInTransaction(name) : .pragma("\(name)=\(value)"))
    case .settableAlone: return value == nil ? .allow : .deny(.pragmaInTransaction(name))
    case .onlyAlone: return .deny(.pragmaInTransaction(name))
    }
  }
}
