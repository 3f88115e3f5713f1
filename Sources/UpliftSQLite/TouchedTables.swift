internal import CUpliftSQLite

/// The tables and views of the main database that a step touches, as the authorizer reports them.
///
/// A script of a million lines mostly does the same to a few tables. The latest changes are
/// recognised by comparing bytes, so that a repeated one costs no allocation.
package struct TouchedTables: Sendable {
  /// All of them: those whose rows were written, and those that were made, altered or dropped.
  package private(set) var all: Set<Name>
  /// Those that lost rows, or were dropped.
  package private(set) var removed: Set<Name> = []
  /// Those that were made or dropped.
  package private(set) var made: Set<Name> = []
  /// True if a statement may have changed the schema of tables that it does not name: it altered
  /// one, or made or dropped a virtual table.
  package private(set) var hasAlteration = false
  /// Those that SQLite's own statements touched while a statement of any step ran.
  ///
  /// A virtual table keeps these statements prepared. SQLite does not report them again.
  private(set) var lasting: Set<Name>
  private var latest: [Entry] = []
  private var next = 0

  private struct Entry {
    let action: Int32
    let isBySQLite: Bool
    /// The name as SQLite wrote it, with a zero byte at the end.
    let name: [CChar]
  }

  init(lasting: Set<Name> = []) {
    self.lasting = lasting
    all = lasting
  }

  /// Notes an action; `isBySQLite` is true if a statement runs: then SQLite prepares another one
  /// inside it.
  mutating func note(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, isBySQLite: Bool
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE,
      SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      if Self.isMain(database) { add(action, first, isBySQLite) }
    case SQLITE_ALTER_TABLE:
      // For this action the first name is the database, and the second is the table.
      if Self.isMain(first) { add(action, second, isBySQLite) }
    default:
      break
    }
  }

  private mutating func add(_ action: Int32, _ table: UnsafePointer<CChar>?, _ isBySQLite: Bool) {
    // SQLite's own tables have no foreign keys.
    guard let table, sqlite3_strnicmp(table, "sqlite_", 7) != 0 else { return }
    for entry in latest where entry.action == action && entry.isBySQLite == isBySQLite {
      if strcmp(entry.name, table) == 0 { return }
    }
    let name = Name(table)
    let entry = Entry(
      action: action, isBySQLite: isBySQLite,
      name: (name.bytes + [0]).map { CChar(bitPattern: $0) })
    if latest.count < 16 { latest.append(entry) } else { latest[next] = entry }
    next = (next + 1) % 16
    all.insert(name)
    if isBySQLite { lasting.insert(name) }
    switch action {
    case SQLITE_DELETE: removed.insert(name)
    case SQLITE_DROP_TABLE, SQLITE_DROP_VIEW:
      made.insert(name)
      removed.insert(name)
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW: made.insert(name)
    case SQLITE_ALTER_TABLE, SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE: hasAlteration = true
    default: break
    }
  }

  private static func isMain(_ database: UnsafePointer<CChar>?) -> Bool {
    guard let database else { return false }
    return sqlite3_stricmp(database, "main") == 0
  }
}
