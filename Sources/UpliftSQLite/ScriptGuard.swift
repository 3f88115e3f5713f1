internal import CUpliftSQLite

/// Stands between a script and its connection: SQLite's authorizer asks it about every statement.
///
/// It refuses what would break the bond between a script and its version (transaction control,
/// `user_version`), reach beyond the database (`ATTACH`) or make a crash lose it
/// (`journal_mode=OFF`). It notes what a script does to which tables, whether the script leaves
/// something behind on the connection, and whether it needs a transaction or a connection of its
/// own. Installed once and switched by `rules`: installing an authorizer makes SQLite prepare
/// every statement again.
package final class ScriptGuard {
  package enum Rules {
    /// No script is running: everything is allowed, nothing is noted.
    case off
    /// The script is the first in a transaction that is not its own.
    case transaction
    /// The script runs in a savepoint, after others in the same transaction.
    case savepoint
    /// Code of the program runs inside a transaction that is not its own.
    case code
    /// The script runs alone, in autocommit.
    case autocommit
  }

  /// What a script needs, so that it does the same in one boot as in many.
  package enum Need: Sendable {
    /// SQLite does not undo all of it with a savepoint, or it sees what is not committed.
    case ownTransaction
    /// It sees what the connection did for other scripts.
    case freshConnection
  }

  /// The latest `BEGIN` or `COMMIT` of a script, and where its statement begins.
  package struct Operation {
    package let name: String
    package let offset: Int
  }

  // Asked for each statement of a script, and by one thread: what Swift would check of every
  // access costs more than the answer.
  @exclusivity(unchecked) private var rules = Rules.off
  @exclusivity(unchecked) private var offset = 0
  /// True when the present statement drops a table or an index.
  @exclusivity(unchecked) private var isDropping = false
  @exclusivity(unchecked) private var notes = TouchLog()
  private var scriptsSeen = 0
  /// The script's own version, which it may set.
  private var number: Int32?
  private var operation: Operation?
  private var isPaired = true

  /// True while a statement runs: SQL that SQLite itself prepares then (`VACUUM`, full-text
  /// search) is not the script's.
  @exclusivity(unchecked) package var isStepping = false

  /// True if the present statement undoes others: `ROLLBACK`, in a script without a transaction.
  @exclusivity(unchecked) package private(set) var undoesWork = false

  /// Why the latest statement was refused.
  package private(set) var refusal: Refusal?
  /// What the script needs and does not have here: it is undone, and run again with it.
  package private(set) var need: Need?
  /// True when no other script may follow in the transaction: the script made or dropped a virtual
  /// table.
  package private(set) var endsTransaction = false
  /// True when the present statement changes the journal mode.
  @exclusivity(unchecked) package private(set) var changesJournalMode = false
  /// The journal mode of the database, in lower case, once a script has asked for one.
  private var journalMode: String?
  /// True when the connection is not as it was: temporary objects, pragmas.
  package private(set) var leavesState = false

  package init() {}

  /// True if a statement since the last `takeTouches` made, dropped or altered a table.
  package var hasSchemaChange: Bool { notes.hasSchemaChange }

  /// The touches since the last call; to ask costs nothing if there are none.
  package func takeNews() -> [Touch] { notes.takeNews() }

  /// The tables that SQLite's own statements touched inside one of the script, since the last call.
  ///
  /// They are not among the news.
  package func takeLate() -> Set<UpliftSQLite.Name> { notes.takeLate() }

  /// What SQLite's own statements have touched, whichever script ran.
  ///
  /// A virtual table keeps them prepared. SQLite does not report them again when they run for
  /// another script.
  package var touchesInside: Set<Touch> { notes.inside }

  /// What the script changed since the last call.
  package func takeTouches() -> [Touch: TouchOrigin] { notes.take() }

  /// True until the first script begins.
  package var isFresh: Bool { scriptsSeen == 0 }

  /// Forgets the script before and watches the next; `number` is the version that it may set.
  package func begin(_ rules: Rules, number: Int32? = nil) {
    self.rules = rules
    self.number = number
    operation = nil
    isPaired = true
    refusal = nil
    need = nil
    endsTransaction = false
    journalMode = nil
    notes = TouchLog(inside: notes.inside)
    scriptsSeen += 1
    if rules == .autocommit { leavesState = true }
  }

  /// Watches the statement that begins so many bytes into the script.
  package func beginStatement(at offset: Int) {
    self.offset = offset
    notes.statement = offset
    refusal = nil
    undoesWork = false
    changesJournalMode = false
    isDropping = false
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

  /// The latest `BEGIN` or `COMMIT`, if it is one too many.
  package var unpaired: Operation? { isPaired ? nil : operation }

  /// True when a journal mode was refused, and might be the one that the database has already.
  package var wantsJournalMode: Bool {
    journalMode == nil && refusal == .pragmaInTransaction("journal_mode")
  }

  /// Takes back the refusal of a journal mode: the statement is to be prepared again.
  package func learn(journalMode: String) {
    self.journalMode = journalMode
    refusal = nil
  }

  /// Whether a function may say what the connection counted; if not, the script runs again.
  func mayCount() -> Bool {
    if rules == .off || scriptsSeen == 1 { return true }
    need = .freshConnection
    return false
  }

  enum Verdict {
    case allow
    /// The statement does nothing, without an error.
    case ignore
    case deny(Refusal)
    /// Refused here and now: the script is run again with what it needs.
    case denyHere(Need)
  }

  typealias Name = UnsafePointer<CChar>

  /// SQLite's question, answered in its own codes.
  func answer(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?) -> Int32 {
    guard rules != .off else { return SQLITE_OK }
    // What this script was allowed just before, and is noted.
    if notes.isLatest(action, first, second) { return SQLITE_OK }
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

  private func judge(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?)
    -> Verdict
  {
    switch action {
    case SQLITE_TRANSACTION: return judgeTransaction(first.map { String(cString: $0) } ?? "")
    case SQLITE_SAVEPOINT:
      guard rules == .autocommit else { return .deny(.savepoint) }
      if let first, sqlite3_stricmp(first, "ROLLBACK") == 0 { undoesWork = true }
      return .allow
    case SQLITE_ATTACH: return judgeAttach(first)
    case SQLITE_DETACH: return isStepping ? .allow : .deny(.detach)
    case SQLITE_PRAGMA:
      return judgePragma(
        first.map { String(cString: $0).folded } ?? "",
        value: second.map { String(cString: $0).folded })
    default:
      // SQL that SQLite itself prepares is not judged, but it may change tables too.
      noteTable(action, first, second, database)
      if isStepping { return .allow }
      return note(action, first, second, database)
    }
  }

  /// `BEGIN` and `COMMIT` do nothing if they alternate: the script is one transaction already.
  private func judgeTransaction(_ name: String) -> Verdict {
    switch rules {
    case .autocommit:
      if name == "ROLLBACK" { undoesWork = true }
      return .allow
    case .transaction, .savepoint:
      guard name != "ROLLBACK", name != operation?.name else { return .deny(.transaction(name)) }
      operation = Operation(name: name, offset: offset)
      isPaired.toggle()
      return .ignore
    case .code, .off: return .deny(.transaction(name))
    }
  }

  /// `VACUUM` attaches a nameless file of its own while it runs, `VACUUM INTO` a named one.
  private func judgeAttach(_ file: Name?) -> Verdict {
    guard isStepping else { return .deny(.attach) }
    guard let file, file.pointee == 0 else { return .deny(.vacuumInto) }
    return .allow
  }

  private func judgePragma(_ name: String, value: String?) -> Verdict {
    if let need = PragmaRule.need(of: name), lacks(need) { return .denyHere(need) }
    switch PragmaRule(name) {
    case nil: return .deny(.pragma(name))
    case .inert: return .ignore
    case .question: return .allow
    case .readOnly: return value == nil ? .allow : .deny(.pragma(name))
    case .version:
      guard let value else { return .allow }
      return number != nil && Int32(value) == number ? .ignore : .deny(.pragma(name))
    case .setting:
      if value != nil { leavesState = true }
      return .allow
    case .journalMode(let values):
      guard let value else { return .allow }
      guard values.contains(value) else { return .deny(.pragma("\(name)=\(value)")) }
      changesJournalMode = rules == .autocommit
      if changesJournalMode { return .allow }
      return journalMode == value ? .ignore : .deny(.pragmaInTransaction(name))
    case .alone:
      return value == nil || rules == .autocommit ? .allow : .deny(.pragmaInTransaction(name))
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
      if isMain(database) { notes.add(action, first, column: second, isLate: isStepping) }
    case SQLITE_ALTER_TABLE:
      // Here the database comes first.
      if isMain(first) { notes.add(action, second, column: nil, isLate: isStepping) }
    default:
      break
    }
  }

  private func lacks(_ need: Need) -> Bool {
    switch need {
    case .ownTransaction: rules == .savepoint
    case .freshConnection: scriptsSeen > 1
    }
  }

  private func note(_ action: Int32, _ first: Name?, _ second: Name?, _ database: Name?)
    -> Verdict
  {
    switch action {
    case SQLITE_READ:
      if let need = need(ofReading: first), lacks(need) { return .denyHere(need) }
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      // SQLite reads its statistics when it opens the database, and after an `ANALYZE`. It deletes
      // those of what is dropped.
      if !isDropping, isStatistics(first) { leavesState = true }
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE: isDropping = action == SQLITE_DROP_TABLE
    case SQLITE_DROP_INDEX, SQLITE_ALTER_TABLE: isDropping = action == SQLITE_DROP_INDEX
    case SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_TRIGGER,
      SQLITE_CREATE_TEMP_VIEW:
      leavesState = true
    case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      if isTemporary(database) { leavesState = true }
      if lacks(.ownTransaction) { return .denyHere(.ownTransaction) }
      endsTransaction = true
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

  private func isStatistics(_ table: Name?) -> Bool {
    guard let table else { return false }
    return sqlite3_strnicmp(table, "sqlite_stat", 11) == 0
  }

  /// What a script needs that reads one of the tables in which SQLite describes itself: the pages
  /// of the file, or the statements of the connection.
  private func need(ofReading table: Name?) -> Need? {
    guard let table, table[0] == CChar(UInt8(ascii: "d")) || table[0] == CChar(UInt8(ascii: "s"))
    else { return nil }
    if sqlite3_stricmp(table, "sqlite_stmt") == 0 { return .freshConnection }
    if sqlite3_stricmp(table, "dbstat") == 0 || sqlite3_stricmp(table, "sqlite_dbpage") == 0 {
      return .ownTransaction
    }
    return nil
  }
}
