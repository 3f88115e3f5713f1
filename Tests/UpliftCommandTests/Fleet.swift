import Foundation
import TestSupport

/// A service with a database for each of its tenants, in one directory.
struct Fleet {
  let service: Service

  /// Makes databases at version 1.
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

  func versions(_ names: [String]) throws -> Set<Int> { Set(try names.map(version)) }

  func up(_ options: String...) throws -> Outcome {
    try service.uplift(["up", "--each", "tenants"] + options)
  }

  func status(_ options: String...) throws -> Outcome {
    try service.uplift(["status", "--each", "tenants"] + options)
  }
}
