internal import CUpliftSQLite

/// Takes down what the authorizer is told of tables, at next to no cost for what is known.
///
/// A script of a million lines mostly does the same to a few tables: what was noted lately is
/// recognized by comparing bytes, before anything is allocated.
struct TouchNotes {
  private(set) var touches = Touches()
  private var recent: [Entry] = []
  private var next = 0

  private struct Entry {
    let action: Int32
    let table: [CChar]
    let column: [CChar]

    func isAbout(
      _ action: Int32, _ table: UnsafePointer<CChar>, _ column: UnsafePointer<CChar>?
    ) -> Bool {
      guard self.action == action, sqlite3_stricmp(self.table, table) == 0 else { return false }
      return column.map { sqlite3_stricmp(self.column, $0) == 0 } ?? true
    }
  }

  /// `column` counts for an update only.
  mutating func add(
    _ action: Int32, _ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?
  ) {
    guard let table else { return }
    let column = action == SQLITE_UPDATE ? column : nil
    if recent.contains(where: { $0.isAbout(action, table, column) }) { return }
    // SQLite's own tables have no foreign keys.
    if sqlite3_strnicmp(table, "sqlite_", 7) == 0 { return }
    let name = String(cString: table).folded
    let columnName = column.map { String(cString: $0).folded } ?? ""
    remember(
      Entry(
        action: action, table: Array(name.utf8CString), column: Array(columnName.utf8CString)))
    switch action {
    case SQLITE_INSERT: touches.inserted.insert(name)
    case SQLITE_DELETE: touches.deleted.insert(name)
    case SQLITE_UPDATE: touches.updated[name, default: []].insert(columnName)
    case SQLITE_ALTER_TABLE: touches.altered.insert(name)
    default: touches.reshaped.insert(name)
    }
  }

  private mutating func remember(_ entry: Entry) {
    if recent.count < 8 {
      recent.append(entry)
    } else {
      recent[next] = entry
      next = (next + 1) & 7
    }
  }
}
