internal import CUpliftSQLite

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
