import Foundation
import TestSupport

/// A service with a database for each of its tenants, in one directory.
struct Fleet {
  let service: Service

  /// Makes databases at version 1, which hold their own name.
  init(
    _ names: [String],
    scripts: [String: String] = [
      "2_visits.sql": "CREATE TABLE visits (guest TEXT);",
      "3_index.sql": "CREATE INDEX guests_by_name ON guests (name);",
    ]
  ) throws {
    service = try Service(scripts: scripts)
    try FileManager.default.createDirectory(
      atPath: service.scratch("tenants"), withIntermediateDirectories: true)
    for name in names { try add(name) }
  }

  /// Adds a database: a copy of the seed.
  func add(_ name: String, _ sql: String = "") throws {
    try FileManager.default.copyItem(
      atPath: service.scratch("Resources/app.db"), toPath: path(name))
    if !sql.isEmpty { try Shell.run(path(name), sql) }
  }

  func path(_ name: String) -> String { service.scratch("tenants/" + name) }

  func version(_ name: String) throws -> Int { try Shell.version(path(name)) }

  /// The versions of databases, read in one process of the shell.
  func versions(_ names: [String]) throws -> Set<Int> {
    var versions: Set<Int> = []
    for name in names { versions.insert(try Self.header(path(name))) }
    return versions
  }

  /// The version in the header of a database without a log.
  private static func header(_ path: String) throws -> Int {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let bytes = try file.read(upToCount: 64) ?? Data()
    return bytes.dropFirst(60).reduce(0) { $0 << 8 | Int($1) }
  }

  func up(_ options: String...) throws -> Outcome {
    try service.uplift(["up", "--each", "tenants"] + options)
  }

  func status(_ options: String...) throws -> Outcome {
    try service.uplift(["status", "--each", "tenants"] + options)
  }

  /// The JSON objects that a run has printed, one for each line.
  static func objects(_ outcome: Outcome) throws -> [NSDictionary] {
    try outcome.output.split(separator: "\n").map { try members(of: String($0)) }
  }

  /// A script that fails in each database.
  static let bad = "CREATE TABLE visits (guest TEXT);\nINSERT INTO nowhere VALUES (1);\n"

  /// A statement that does not end.
  static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
}
