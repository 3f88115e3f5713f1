import CUpliftSQLite

/// The contents of a database, as SQLite itself reads them, to be compared with another.
struct Contents: Equatable {
  let version: Int
  /// The schema, every row, and the result of `integrity_check`.
  let text: String

  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// Opens the database as any program would.
  ///
  /// SQLite then repairs what a crash left.
  init(of path: String) throws {
    let database = try RawDatabase(path)
    version = Int(try database.rows("PRAGMA user_version").first ?? "") ?? -1
    var lines = try database.rows("PRAGMA integrity_check")
    let tables = try database.rows(
      "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
    lines += try database.rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
    for table in tables { lines += try database.rows("SELECT * FROM \"\(table)\" ORDER BY 1") }
    text = lines.joined(separator: "\n")
  }

  var isSound: Bool { text.hasPrefix("ok\n") || text == "ok" }
}

/// A plain connection of SQLite's, without Uplift.
final class RawDatabase {
  private var handle: OpaquePointer?

  init(_ path: String) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else { throw latest }
  }

  deinit { sqlite3_close(handle) }

  /// The rows that its statements have changed.
  var changes: Int { Int(sqlite3_total_changes(handle)) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw latest }
  }

  /// Each row as a line of its values.
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw latest }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        let values = (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        }
        rows.append(values.joined(separator: "|"))
      case SQLITE_DONE: return rows
      default: throw latest
      }
    }
  }

  private var latest: Contents.Unreadable {
    Contents.Unreadable(description: String(cString: sqlite3_errmsg(handle)))
  }
}
