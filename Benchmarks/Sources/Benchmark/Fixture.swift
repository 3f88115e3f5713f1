import CSQLite
import Foundation

/// A directory with everything that an upgrade needs, and the database to begin with.
struct Fixture {
  let directory: String
  /// The database to begin with; nil if there is none.
  var before: String?
  var seed: String?
  let target: Int
  /// The same work in the sqlite3 shell, which takes the place of the floor; nil for the floor.
  ///
  /// The word `commandItself` stands for the command `uplift`.
  var shell: [String]?
  static let commandItself = "uplift"
  /// True if there are many databases, all at the target, so that nothing changes.
  var isOfMany = false
  /// The arguments of the command, if it does not upgrade the database.
  var verb: [String]?

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

  /// Writes a script for each of the numbers.
  func scripts(_ numbers: ClosedRange<Int>, text: (Int) -> String) throws {
    for number in numbers {
      let name = String(format: "%05d_step.sql", number)
      try text(number).write(
        toFile: migrations + "/" + name, atomically: false, encoding: .utf8)
    }
  }

  /// Restores the state before a run and syncs it, so that no run waits for the writes of another.
  func reset() throws { try reset(to: before) }

  /// Does the same with another database; nil for none.
  func reset(to before: String?) throws {
    if isOfMany { return }
    let files = FileManager.default
    for file in try files.contentsOfDirectory(atPath: data) {
      try files.removeItem(atPath: data + "/" + file)
    }
    if let before { try files.copyItem(atPath: before, toPath: database) }
    sync()
  }

  /// The arguments of the floor and of `InProcess`.
  var arguments: [String] { [database, seed ?? "-", migrations, String(target)] }

  /// The arguments of the command.
  var command: [String] {
    ["up", "--database", database, "--migrations", migrations, "--quiet"]
      + (seed.map { ["--seed", $0] } ?? [])
  }
}

/// Makes and reads databases with SQLite directly.
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
