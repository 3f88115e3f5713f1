internal import CUpliftSQLite

/// Records which tables a script changes, as the authorizer reports them.
///
/// A script of a million lines mostly does the same to a few tables. The last eight changes are
/// recognised by comparing bytes, so that a repeated one costs no allocation.
struct TouchNotes {
  /// The statement that runs now.
  var statement = 0
  private var touches: [Touch: TouchOrigin] = [:]
  /// Up to eight; the first is the one that was met last.
  private var recent: [Entry] = []
  /// True if the schema changed since the touches were taken.
  private(set) var hasSchemaChange = false

  private struct Entry {
    let action: Int32
    /// As SQLite wrote them, with the zero byte after them.
    let table: [CChar]
    let column: [CChar]
    let touch: Touch
    var statement: Int
    var isOnly = true

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

    var origin: TouchOrigin { isOnly ? .one(statement) : .several }
  }

  /// True for a change of rows that was met last, which is noted: of a million lines, nearly all.
  mutating func isLatest(
    _ action: Int32, _ table: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?
  ) -> Bool {
    guard let table, !recent.isEmpty else { return false }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      guard recent[0].isAbout(action, table, column) else { return false }
      if recent[0].statement != statement { recent[0].isOnly = false }
      return true
    default: return false
    }
  }

  /// SQLite names a column for an update only.
  mutating func add(
    _ action: Int32, _ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?
  ) {
    // SQLite's own tables have no foreign keys.
    guard let table, sqlite3_strnicmp(table, "sqlite_", 7) != 0 else { return }
    if let known = recent.firstIndex(where: { $0.isAbout(action, table, column) }) {
      if recent[known].statement != statement { recent[known].isOnly = false }
      recent.swapAt(0, known)
      return
    }
    let name = Name(table)
    guard let change = Self.change(action, column) else { return }
    let columnName = column.map { Name($0).bytes } ?? []
    let entry = Entry(
      action: action, table: (name.bytes + [0]).map { CChar(bitPattern: $0) },
      column: (columnName + [0]).map { CChar(bitPattern: $0) },
      touch: Touch(change: change, table: name), statement: statement)
    if recent.count == 8, let oldest = recent.popLast() { keep(oldest) }
    recent.insert(entry, at: 0)
    if entry.touch.isOfSchema { hasSchemaChange = true }
  }

  /// Hands over what was noted, and forgets it.
  mutating func take() -> [Touch: TouchOrigin] {
    for entry in recent { keep(entry) }
    defer {
      touches = [:]
      recent = []
      hasSchemaChange = false
    }
    return touches
  }

  private mutating func keep(_ entry: Entry) {
    touches[entry.touch] = touches[entry.touch]?.merged(with: entry.origin) ?? entry.origin
  }

  private static func change(_ action: Int32, _ column: UnsafePointer<CChar>?) -> Touch.Change? {
    switch action {
    case SQLITE_INSERT: .insert
    case SQLITE_DELETE: .delete
    case SQLITE_UPDATE: column.map { .update(Name($0)) }
    case SQLITE_CREATE_TABLE: .create
    case SQLITE_DROP_TABLE: .drop
    case SQLITE_ALTER_TABLE: .alter
    case SQLITE_DROP_INDEX: .dropIndex
    default: nil
    }
  }
}
