internal import CUpliftSQLite

/// What a script that reads the seed may not do: change the seed, or the schema of the database.
///
/// The seed is attached as the schema `seed`: `SELECT … FROM seed.words`. A seed in a file is
/// opened as immutable, so SQLite cannot write it. A seed of bytes is a copy in memory, which only
/// this rule protects. In both cases the error of this rule has the statement at fault.
enum SeedRule {
  /// Why an action is refused; nil if it is allowed.
  static func refusal(
    of action: Int32, _ first: CString?, _ second: CString?, _ database: CString?
  ) -> Refusal? {
    // For this action the first name is the database, and the second is the table.
    let (name, schema) = action == SQLITE_ALTER_TABLE ? (second, first) : (first, database)
    if isSame(schema, "seed"), changes(action, name, value: second) {
      let isOfRows = [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
      return .seedChange(table: isOfRows ? table(name) : "")
    }
    guard let words = schemaChanges[action], !isSame(schema, "temp") else { return nil }
    return .schemaChange("\(words) \(table(name))")
  }

  /// The actions that change the schema of a database that is not temporary.
  private static let schemaChanges: [Int32: String] = [
    SQLITE_CREATE_TABLE: "CREATE TABLE", SQLITE_DROP_TABLE: "DROP TABLE",
    SQLITE_CREATE_INDEX: "CREATE INDEX", SQLITE_DROP_INDEX: "DROP INDEX",
    SQLITE_CREATE_TRIGGER: "CREATE TRIGGER", SQLITE_DROP_TRIGGER: "DROP TRIGGER",
    SQLITE_CREATE_VIEW: "CREATE VIEW", SQLITE_DROP_VIEW: "DROP VIEW",
    SQLITE_CREATE_VTABLE: "CREATE VIRTUAL TABLE", SQLITE_DROP_VTABLE: "DROP TABLE",
    SQLITE_ALTER_TABLE: "ALTER TABLE",
  ]

  private static func changes(_ action: Int32, _ name: CString?, value: CString?) -> Bool {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_ANALYZE, SQLITE_REINDEX: return true
    case SQLITE_PRAGMA:
      let pragma = String(folding: name) ?? ""
      switch PragmaRule(pragma) {
      case .harmless: return pragma == "optimize"
      case .readOnly, .version, .setting, .journalMode: return value != nil
      default: return true
      }
    default: return schemaChanges[action] != nil
    }
  }

  /// The table's name; empty for SQLite's own table with the schema.
  private static func table(_ name: CString?) -> String {
    // The authorizer calls it by its old name.
    guard let name, !isSame(name, "sqlite_master") else { return "" }
    return String(cString: name)
  }
}

/// The seed that a script reads, attached to the connection.
extension Connection {
  /// Attaches a file that no process changes: without locks, and without files beside it.
  ///
  /// The connection must have been opened with `Access.readWriteBesideSeed`.
  package borrowing func attachSeed(_ path: [UInt8]) throws(SQLiteError) {
    let statement = try prepare("ATTACH ? AS seed")
    try statement.bind(text: Self.immutableURI(of: path), at: 1)
    try statement.run()
    try watchSeed()
  }

  /// Attaches a copy of the bytes of a database file.
  ///
  /// The guard refuses changes of the copy. It cannot be read-only, because `BEGIN IMMEDIATE` would
  /// fail: SQLite wants to write each attached database that is not a read-only file.
  package borrowing func attachSeed(bytes: [UInt8]) throws(SQLiteError) {
    try run("ATTACH ':memory:' AS seed")
    try deserialize(bytes, as: "seed")
    try watchSeed()
  }

  /// Gives scripts the function `upgraded_from()`; a view or a trigger may not use it.
  package borrowing func define(upgradedFrom version: Int32) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, "upgraded_from", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      UnsafeMutableRawPointer(bitPattern: Int(version)),
      { context, _, _ in
        sqlite3_result_int64(context, Int64(Int(bitPattern: sqlite3_user_data(context))))
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }

  /// Lets the guard protect the seed, after it has mentioned each virtual table of the seed once.
  ///
  /// An R-tree prepares statements that change its own tables, as soon as a statement mentions it.
  /// The guard would take them for changes that the script makes. A table that cannot be connected
  /// fails when a script mentions it.
  private borrowing func watchSeed() throws(SQLiteError) {
    let rows = try prepare(
      "SELECT name FROM seed.sqlite_master WHERE type = 'table' AND rootpage = 0")
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      do {
        _ = try prepare("SELECT 1 FROM seed.\(name)" as SQL)
      } catch {
        continue
      }
    }
  }
}
