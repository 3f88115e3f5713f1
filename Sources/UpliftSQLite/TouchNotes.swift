internal import CUpliftSQLite

/// Takes down what the authorizer is told of tables, at next to no cost for what is known.
///
/// A script of a million lines mostly does the same to a few tables: what was noted lately is
/// recognized by comparing bytes, before anything is allocated.
struct TouchNotes {
  private(set) var touches = Touches()
  /// Up to eight; the first is what was met last.
  private var recent: [Entry] = []

  private struct Entry {
    let action: Int32
    /// As SQLite wrote them, with the zero byte behind them.
    let table: [CChar]
    let column: [CChar]

    func isAbout(
      _ action: Int32, _ table: UnsafePointer<CChar>, _ column: UnsafePointer<CChar>?
    ) -> Bool {
      guard self.action == action, Self.equal(self.table, table) else { return false }
      return column.map { Self.equal(self.column, $0) } ?? true
    }

    private static func equal(_ known: [CChar], _ name: UnsafePointer<CChar>) -> Bool {
      for (index, byte) in known.enumerated() where name[index] != byte { return false }
      return true
    }
  }

  /// True for a change of rows that was met last: of a million lines, nearly all.
  func isLatest(
    _ action: Int32, _ table: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?
  ) -> Bool {
    guard let table, !recent.isEmpty else { return false }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return recent[0].isAbout(action, table, column)
    default: return false
    }
  }

  /// SQLite names a column for an update only.
  mutating func add(
    _ action: Int32, _ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?
  ) {
    guard let table else { return }
    if let known = recent.firstIndex(where: { $0.isAbout(action, table, column) }) {
      recent.swapAt(0, known)
      return
    }
    let name = String(cString: table)
    let columnName = column.map { String(cString: $0) } ?? ""
    let entry = Entry(
      action: action, table: Array(name.utf8CString), column: Array(columnName.utf8CString))
    if recent.count == 8 { recent.removeLast() }
    recent.insert(entry, at: 0)
    note(action, name.folded, columnName.folded)
  }

  private mutating func note(_ action: Int32, _ name: String, _ columnName: String) {
    // SQLite's own tables have no foreign keys.
    if name.hasPrefix("sqlite_") { return }
    switch action {
    case SQLITE_INSERT: touches.inserted.insert(name)
    case SQLITE_DELETE: touches.deleted.insert(name)
    case SQLITE_UPDATE: touches.updated[name, default: []].insert(columnName)
    case SQLITE_ALTER_TABLE: touches.altered.insert(name)
    default: touches.reshaped.insert(name)
    }
  }
}
