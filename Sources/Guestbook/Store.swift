import CUpliftSQLite

/// The guestbook's own connection; a service may use any SQLite library in its place.
struct Store: ~Copyable {
  private let handle: OpaquePointer

  /// Opens an existing database; it creates none, because Uplift does that.
  init(path: String) throws(StoreError) {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(opened, "PRAGMA foreign_keys = ON", nil, nil, nil) == SQLITE_OK,
      let opened
    else {
      let error = StoreError(opened)
      sqlite3_close(opened)
      throw error
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5000)
  }

  deinit {
    sqlite3_close(handle)
  }

  /// Adds an entry and a visit, and the guest if the name is new.
  borrowing func sign(name: String, message: String) throws(StoreError) {
    try run("BEGIN IMMEDIATE")
    do {
      try run("INSERT INTO guests (name) VALUES (?) ON CONFLICT DO NOTHING", name)
      try run("INSERT INTO visits (guest_id) SELECT id FROM guests WHERE name = ?", name)
      try run(
        "INSERT INTO entries (message, guest_id) SELECT ?, id FROM guests WHERE name = ?",
        message, name)
      try run("COMMIT")
    } catch {
      _ = try? run("ROLLBACK")
      throw error
    }
  }

  /// Runs one statement with bound parameters, and returns its rows as text.
  @discardableResult
  borrowing func run(_ sql: String, _ parameters: String...) throws(StoreError) -> [[String]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw StoreError(handle)
    }
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, parameter) in zip(Int32(1)..., parameters) {
      guard sqlite3_bind_text(statement, index, parameter, -1, copied) == SQLITE_OK else {
        throw StoreError(handle)
      }
    }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
          })
      case SQLITE_DONE: return rows
      default: throw StoreError(handle)
      }
    }
  }
}

/// SQLite's message for the latest error of a connection.
struct StoreError: Error, CustomStringConvertible {
  let description: String

  init(_ handle: OpaquePointer?) {
    description = String(cString: sqlite3_errmsg(handle))
  }
}
