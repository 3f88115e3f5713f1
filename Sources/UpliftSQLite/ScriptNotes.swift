internal import CUpliftSQLite

/// What the guard has seen a step do.
///
/// SQLite's authorizer reports each action while SQLite prepares a statement. ``ScriptGuard``
/// decides which actions are allowed. This type only records them.
struct ScriptNotes {
  typealias CString = UnsafePointer<CChar>

  var transactionWords = TransactionWords()
  var tables: NotedTables
  /// True if the step made a temporary object, or changed a setting of the connection.
  var hasLeftovers = false
  /// Why the latest statement was refused.
  var refusal: Refusal?
  /// The journal mode that the current statement asks for.
  var wantedJournalMode: String?

  /// The offset of the first byte of the current statement in the script.
  private(set) var offset = 0

  init(after before: ScriptNotes? = nil) {
    tables = NotedTables(lasting: before?.tables.lasting ?? [])
  }

  mutating func beginStatement(at offset: Int) {
    self.offset = offset
    refusal = nil
    wantedJournalMode = nil
  }

  /// Notes a change to a table or a view of the main database.
  ///
  /// `lasts` is true if the SQL is not the script's.
  mutating func noteTable(
    _ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?, lasts: Bool
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE,
      SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      if Self.isMain(database) { tables.note(action, first, lasts: lasts) }
    case SQLITE_ALTER_TABLE:
      // For this action the first name is the database, and the second is the table.
      if Self.isMain(first) { tables.note(action, second, lasts: lasts) }
    default:
      break
    }
  }

  private static func isMain(_ database: CString?) -> Bool {
    guard let database else { return false }
    return sqlite3_stricmp(database, "main") == 0
  }

  /// Notes an action on a temporary object.
  ///
  /// For each of them, SQLite writes to the schema `temp`. `SQLITE_CREATE_TEMP_TABLE` and its like
  /// are not enough: `CREATE TABLE temp.t` is `SQLITE_CREATE_TABLE`.
  mutating func noteTemporary(_ database: CString?) {
    guard let database, database.pointee | 0x20 == CChar(UInt8(ascii: "t")) else { return }
    if sqlite3_stricmp(database, "temp") == 0 { hasLeftovers = true }
  }
}

/// The `BEGIN` and `COMMIT` of a script that is one transaction already.
///
/// They do nothing if they alternate, so that a script can also be run by other tools.
struct TransactionWords {
  private var latest: ScriptGuard.Operation?
  private var isPaired = true

  /// Takes the next word; false if it does not alternate with the one before, or is `ROLLBACK`.
  mutating func take(_ word: String, at offset: Int) -> Bool {
    guard word != "ROLLBACK", word != latest?.name else { return false }
    latest = ScriptGuard.Operation(name: word, offset: offset)
    isPaired.toggle()
    return true
  }

  /// The latest word, if it has no partner.
  var unpaired: ScriptGuard.Operation? { isPaired ? nil : latest }
}

/// The names of the tables and views that a script may have changed, as the authorizer reports them.
///
/// A name means what it meant when its statement was prepared. After an `ALTER TABLE` there may be
/// tables that have changed and are not noted.
package struct NotedTables {
  /// The tables that the script writes, makes, alters or drops, and the views that it makes or drops.
  package private(set) var names: Set<Name> = []
  /// The tables and views among them that are made or dropped.
  package private(set) var made: Set<Name> = []
  /// True if more tables may have changed than are noted: a table was altered, a virtual table was
  /// made or dropped, or SQLite itself has changed the schema.
  package private(set) var isIncomplete = false
  /// True if the connection was lent: any table may have changed.
  package private(set) var mayBeAny = false
  /// The tables that other SQL than the script's writes, for as long as the connection lasts.
  ///
  /// A virtual table writes its own tables with statements that it keeps prepared. SQLite reports
  /// them only when they are prepared: while a statement runs, or when a statement of Uplift's
  /// names the virtual table first.
  package private(set) var lasting: Set<Name>
  /// The name that the script wrote last, with its zero byte: a script of a million lines mostly
  /// writes one table.
  private var latest: [CChar] = []

  init(lasting: Set<Name> = []) {
    self.lasting = lasting
  }

  /// True if the action only writes the table that was written last.
  func isLatest(_ action: Int32, _ table: UnsafePointer<CChar>?) -> Bool {
    guard let table, !latest.isEmpty,
      [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
    else { return false }
    for (index, byte) in latest.enumerated() where table[index] != byte { return false }
    return true
  }

  /// Notes an action on a table of the main database.
  ///
  /// `lasts` is true if the SQL is not the script's.
  mutating func note(_ action: Int32, _ name: UnsafePointer<CChar>?, lasts: Bool) {
    // SQLite's own tables have no foreign keys.
    guard let name, sqlite3_strnicmp(name, "sqlite_", 7) != 0 else { return }
    let table = Name(name)
    if lasts { lasting.insert(table) } else { names.insert(table) }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      if !lasts { latest = (table.bytes + [0]).map { CChar(bitPattern: $0) } }
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE, SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW:
      if lasts { isIncomplete = true } else { made.insert(table) }
    default: isIncomplete = true
    }
  }

  mutating func noteAny() {
    isIncomplete = true
    mayBeAny = true
  }
}
