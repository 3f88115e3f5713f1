import CSQLite
import Foundation

/// A directory with all that an upgrade needs, and the database as it is before.
struct Fixture {
  let directory: String
  /// What the data directory begins with; nil where there is no database.
  var before: String?
  var seed: String?
  let target: Int

  var migrations: String { directory + "/Migrations" }
  var data: String { directory + "/data" }
  var database: String { data + "/app.db" }

  init(_ directory: String, target: Int) throws {
    self.directory = directory
    self.target = target
    try? FileManager.default.removeItem(atPath: directory)
    try FileManager.default.createDirectory(
      atPath: directory + "/Migrations", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: directory + "/data", withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The scripts from one number to another, each with the text that is given for it.
  func scripts(_ numbers: ClosedRange<Int>, text: (Int) -> String) throws {
    for number in numbers {
      let name = String(format: "%05d_step.sql", number)
      try text(number).write(
        toFile: migrations + "/" + name, atomically: false, encoding: .utf8)
    }
  }

  /// Puts everything back as it was before a run, and waits until it is on the disk: nobody
  /// pays for what another has written.
  func reset() throws { try reset(to: before) }

  /// The same with another database; nil for none.
  func reset(to before: String?) throws {
    let files = FileManager.default
    for file in try files.contentsOfDirectory(atPath: data) {
      try files.removeItem(atPath: data + "/" + file)
    }
    if let before { try files.copyItem(atPath: before, toPath: database) }
    sync()
  }

  /// What the floor and the in-process program are called with.
  var arguments: [String] { [database, seed ?? "-", migrations, String(target)] }

  /// What the command is called with.
  var command: [String] {
    ["up", "--database", database, "--migrations", migrations, "--quiet"]
      + (seed.map { ["--seed", $0] } ?? [])
  }
}

/// A database made with SQLite directly.
enum Database {
  static func make(_ path: String, _ sql: String...) throws {
    try? FileManager.default.removeItem(atPath: path)
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK else {
      throw Failed(description: "cannot make \(path)")
    }
    for text in ["PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF"] + sql {
      guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
        throw Failed(description: "\(path): \(String(cString: sqlite3_errmsg(handle)))")
      }
    }
  }

  static func version(_ path: String) throws -> Int {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(handle, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { throw Failed(description: "\(path): \(String(cString: sqlite3_errmsg(handle)))") }
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// A sequence of numbers, as a table expression.
  static func numbers(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
  }
}
