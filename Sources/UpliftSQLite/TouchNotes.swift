internal import CUpliftSQLite

/// Takes down what the authorizer is told of tables, at next to no cost for what is known.
///
/// A script of a million lines mostly does the same to a few tables: what was noted lately is
/// recognized by comparing bytes, before anything is allocated.
struct TouchNotes {
  private(set) var touches = Touches()
  private var recent: [Entry] = []
  private var next = 0
  /// Which of them was met last.
  private var latest = 0

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
    guard let table, latest < recent.count else { return false }
    switch action {
    case SQLITE_INSERT, SQLITE_DELETE: return recent[latest].isAbout(action, table, nil)
    case SQLITE_UPDATE: return recent[latest].isAbout(action, table, column)
    default: return false
    }
  }

  /// `column` counts for an update only.
  mutating func add(
    _ action: Int32, _ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?
  ) {
    guard let table else { return }
    let column = action == SQLITE_UPDATE ? column : nil
    if let known = recent.firstIndex(where: { $0.isAbout(action, table, column) }) {
      latest = known
      return
    }
    let name = String(cString: table)
    let columnName = column.map { String(cString: $0) } ?? ""
    remember(
      Entry(
        action: action, table: Array(name.utf8CString), column: Array(columnName.utf8CString)))
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

  private mutating func remember(_ entry: Entry) {
    if recent.count < 8 {
      latest = recent.count
      recent.append(entry)
    } else {
      latest = next
      recent[next] = entry
      next = (next + 1) & 7
    }
  }
}
