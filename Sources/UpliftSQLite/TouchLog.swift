internal import CUpliftSQLite

/// Records which tables a script changes, as the authorizer reports them.
///
/// A script of a million lines mostly does the same to a few tables. The last 64 changes are
/// recognised by comparing bytes, so that a repeated one costs no allocation.
struct TouchLog {
  /// The offset of the first byte of the current statement in the script.
  var statement = 0
  private var touches: [Touch: TouchOrigin] = [:]
  /// The latest changes, at most 64; a new one replaces the oldest.
  private var recent: [Entry] = []
  /// The entry that matched last.
  ///
  /// Scripts repeat their changes in the same order, so the next entry is tried first.
  private var last = 0
  /// The entry that a new one replaces.
  private var oldest = 0
  /// True if the schema has changed since `take` was called.
  private(set) var hasSchemaChange = false
  /// The touches that were noted for the first time since `takeNews` was called.
  ///
  /// A touch counts as new again after 64 others, and after `take`.
  private var news: [Touch] = []
  /// The tables that SQLite's own statements touched while a statement ran, since they were taken.
  private var tablesTouchedBySQLite: Set<Name> = []
  /// All that SQLite's own statements touched, while a statement of any script of the connection
  /// ran.
  private(set) var touchesBySQLite: Set<Touch>

  init(touchesBySQLite: Set<Touch> = []) {
    self.touchesBySQLite = touchesBySQLite
  }

  private struct Entry {
    let action: Int32
    /// The names as SQLite wrote them, with a zero byte at the end.
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

  /// True if the change is the same as the one noted last; if so, also notes the current statement
  /// for it.
  mutating func isLatest(
    _ action: Int32, _ table: UnsafePointer<CChar>?, _ column: UnsafePointer<CChar>?
  ) -> Bool {
    guard let table, !recent.isEmpty else { return false }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return recognise(last, action, table, column)
    default: return false
    }
  }

  /// Notes a change; only an update has a column.
  ///
  /// `isBySQLite` is true if a statement runs: then SQLite prepares another one inside it.
  mutating func add(
    _ action: Int32, _ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?, isBySQLite: Bool
  ) {
    // SQLite's own tables have no foreign keys.
    guard let table, sqlite3_strnicmp(table, "sqlite_", 7) != 0 else { return }
    let isKnown = recogniseAny(action, table, column)
    if !isKnown {
      guard let change = Self.change(action, column) else { return }
      insert(change, action, table, column)
    }
    let touch = recent[last].touch
    if isBySQLite {
      tablesTouchedBySQLite.insert(touch.table)
      touchesBySQLite.insert(touch)
    } else if !isKnown {
      news.append(touch)
    }
    if touch.isOfSchema { hasSchemaChange = true }
  }

  /// Makes a new entry, which then counts as the entry that matched last.
  private mutating func insert(
    _ change: Touch.Change, _ action: Int32, _ table: UnsafePointer<CChar>,
    _ column: UnsafePointer<CChar>?
  ) {
    let name = Name(table)
    let columnName = column.map { Name($0).bytes } ?? []
    let entry = Entry(
      action: action, table: (name.bytes + [0]).map { CChar(bitPattern: $0) },
      column: (columnName + [0]).map { CChar(bitPattern: $0) },
      touch: Touch(change: change, table: name), statement: statement)
    if recent.count < 64 {
      last = recent.count
      recent.append(entry)
    } else {
      keep(recent[oldest])
      recent[oldest] = entry
      last = oldest
      oldest = (oldest + 1) % recent.count
    }
  }

  /// True if one of the entries is about the same change; the entry after the one that matched last
  /// is tried first.
  private mutating func recogniseAny(
    _ action: Int32, _ table: UnsafePointer<CChar>, _ column: UnsafePointer<CChar>?
  ) -> Bool {
    if recent.isEmpty { return false }
    let next = last + 1 < recent.count ? last + 1 : 0
    if recognise(next, action, table, column) { return true }
    return recent.indices.contains { recognise($0, action, table, column) }
  }

  /// True if this entry is about the same change; if so, the entry gets the current statement.
  private mutating func recognise(
    _ index: Int, _ action: Int32, _ table: UnsafePointer<CChar>, _ column: UnsafePointer<CChar>?
  ) -> Bool {
    guard recent[index].isAbout(action, table, column) else { return false }
    if recent[index].statement != statement { recent[index].isOnly = false }
    last = index
    return true
  }

  /// The touches that were noted for the first time since the last call, without those of SQLite's
  /// own statements.
  mutating func takeNews() -> [Touch] {
    if news.isEmpty { return [] }
    defer { news = [] }
    return news
  }

  /// The tables that SQLite's own statements touched while a statement ran, since the last call.
  mutating func takeTablesTouchedBySQLite() -> Set<Name> {
    defer { tablesTouchedBySQLite = [] }
    return tablesTouchedBySQLite
  }

  /// True if `takeTablesTouchedBySQLite` would return a table.
  var hasTablesTouchedBySQLite: Bool { !tablesTouchedBySQLite.isEmpty }

  /// Returns all that was noted, and forgets it.
  mutating func take() -> [Touch: TouchOrigin] {
    for entry in recent { keep(entry) }
    defer {
      touches = [:]
      recent = []
      (last, oldest) = (0, 0)
      news = []
      hasSchemaChange = false
    }
    return touches
  }

  /// Moves an entry into the table of all touches.
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
    default: nil
    }
  }
}
