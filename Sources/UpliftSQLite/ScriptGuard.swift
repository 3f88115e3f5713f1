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
/// It also notes what a step does. It is installed once and then switched by `rules`, because
/// SQLite prepares all statements again when an authorizer is installed.
package final class ScriptGuard {
  package enum Rules: Equatable {
    /// No step is running: everything is allowed.
    case off
    /// A script runs in a transaction that Uplift has begun.
    ///
    /// It may set `user_version` to its own number, and the journal mode to the one that the
    /// database has. If it reads the seed, ``SeedRule`` applies, too.
    case script(number: Int32, journalMode: String, readsSeed: Bool)
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

  /// True while a statement runs: SQL that SQLite itself prepares at this time (for `VACUUM`, for
  /// full-text search) is not the script's.
  @exclusivity(unchecked) package var isStepping = false

  /// The objects that the script changes, while somebody wants to know them; nil otherwise.
  @exclusivity(unchecked) package var actions: ScriptActions?

  /// The tables that the latest step may have changed.
  @exclusivity(unchecked) package private(set) var tables = NotedTables()

  @exclusivity(unchecked) private var step = Step()
  @exclusivity(unchecked) private var statement = Statement()

  private struct Step {
    var hasLeftovers = false
    var unpaired: Operation?
    /// The latest BEGIN or COMMIT, with or without a partner.
    var latestWord = ""
  }

  private struct Statement {
    /// Its first byte in the script.
    var offset = 0
    var refusal: Refusal?
    var wantedJournalMode: String?
  }

  /// True after a step in Swift has had the handle of the connection: it may have done anything
  /// that no authorizer sees.
  package var isLent: Bool { tables.mayBeAny }

  /// True if the step made a temporary object, or changed a setting of the connection.
  var hasLeftovers: Bool { step.hasLeftovers }

  /// The latest `BEGIN` or `COMMIT` of the script, if it has no partner.
  package var unpaired: Operation? { step.unpaired }

  /// Why the latest statement was refused.
  package var refusal: Refusal? { statement.refusal }

  /// The journal mode that the current statement asks for, in lower case; nil if it asks for none.
  package var wantedJournalMode: String? { statement.wantedJournalMode }

  /// Forgets the step before, and begins to watch the next one.
  package func begin(_ rules: Rules) {
    self.rules = rules
    tables = NotedTables(lasting: tables.lasting)
    step = Step()
    beginStatement(at: 0)
  }

  /// Begins to watch the statement that starts at this byte of the script.
  package func beginStatement(at offset: Int) {
    statement = Statement(offset: offset)
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

  /// Notes that any table may have changed, because the connection is lent.
  package func lend() {
    tables.noteAny()
  }
}

/// The decision about one action, as one of SQLite's codes.
extension ScriptGuard {
  /// The answer to SQLite's authorizer.
  func answer(_ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?) -> Int32
  {
    guard rules != .off else {
      tables.note(action, first, second, database, lasts: true)
      return SQLITE_OK
    }
    actions?.note(action, first, second, database, at: statement.offset)
    if !isStepping, case .script(_, _, readsSeed: true) = rules,
      let reason = SeedRule.refusal(of: action, first, second, database)
    {
      return refuse(reason)
    }
    // The same action was allowed and noted just before.
    if !isStepping, tables.isLatest(action, first) { return SQLITE_OK }
    if rules == .alone { return judgeAlone(action, first, second) }
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    // Full-text search makes savepoints of its own.
    case SQLITE_SAVEPOINT: return isStepping ? SQLITE_OK : refuse(.savepoint)
    case SQLITE_ATTACH: return refuse(.attach)
    case SQLITE_DETACH: return isStepping ? SQLITE_OK : refuse(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(String(folding: first) ?? "", value: String(folding: second))
    default:
      // SQL that SQLite itself prepares is always allowed, but it may change tables too.
      tables.note(action, first, second, database, lasts: isStepping)
      // SQLite writes to the schema `temp` for each temporary object. `SQLITE_CREATE_TEMP_TABLE`
      // and its like are not enough: `CREATE TABLE temp.t` is `SQLITE_CREATE_TABLE`.
      if !isStepping, isSame(database, "temp") { step.hasLeftovers = true }
      return SQLITE_OK
    }
  }

  private func refuse(_ reason: Refusal) -> Int32 {
    statement.refusal = reason
    return SQLITE_DENY
  }

  /// A script without a transaction holds a few pragmas and `VACUUM`, and nothing else.
  ///
  /// SQLite does not ask about `VACUUM`. What it prepares while it runs one is allowed; that
  /// attaches a file without a name, and `VACUUM INTO` one with a name.
  private func judgeAlone(_ action: Int32, _ first: CString?, _ second: CString?) -> Int32 {
    if isStepping {
      return action == SQLITE_ATTACH && first?.pointee != 0 ? refuse(.vacuumInto) : SQLITE_OK
    }
    guard action == SQLITE_PRAGMA, let name = String(folding: first),
      PragmaRule.ofAlone.contains(name)
    else { return refuse(.notAlone) }
    guard name == "journal_mode", let value = String(folding: second) else { return SQLITE_OK }
    statement.wantedJournalMode = value
    let isSafe = PragmaRule.journalModes.contains(value)
    return isSafe ? SQLITE_OK : refuse(.pragma("\(name)=\(value)"))
  }

  /// `BEGIN` and `COMMIT` do nothing if they alternate: the script is one transaction already, and
  /// other tools can run it too.
  private func judgeTransaction(_ word: String) -> Int32 {
    guard case .script = rules, word != "ROLLBACK", word != step.latestWord else {
      return refuse(.transaction(word))
    }
    step.latestWord = word
    step.unpaired =
      step.unpaired == nil ? Operation(name: word, offset: statement.offset) : nil
    return SQLITE_IGNORE
  }

  private func judgePragma(_ name: String, value: String?) -> Int32 {
    switch PragmaRule(name) {
    case nil: return refuse(.pragma(name))
    case .inert: return SQLITE_IGNORE
    case .harmless: return SQLITE_OK
    case .onlyAlone: return refuse(.pragmaInTransaction(name))
    case let rule?:
      guard let value else { return SQLITE_OK }
      return judgeSetting(name, rule, value)
    }
  }

  private func judgeSetting(_ name: String, _ rule: PragmaRule, _ value: String) -> Int32 {
    switch (rule, rules) {
    case (.setting, _):
      step.hasLeftovers = true
      return SQLITE_OK
    case (.version, .script(let number, _, _)) where Int32(value) == number: return SQLITE_IGNORE
    case (.journalMode, .script(_, value, _)): return SQLITE_IGNORE
    case (.journalMode, _) where !PragmaRule.journalModes.contains(value):
      return refuse(.pragma("\(name)=\(value)"))
    case (.journalMode, _), (.settableAlone, _): return refuse(.pragmaInTransaction(name))
    default: return refuse(.pragma(name))
    }
  }
}
