import Foundation
import TestSupport
import Testing

/// A database in WAL mode, with the log of a service that was killed.
extension Site {
  /// A database whose file is at version 1; its log has this version and the rest.
  static func killed(version: Int = 3, _ sql: String = "") throws -> Site {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    try site.kill(after: "PRAGMA user_version=\(version);\(sql)")
    return site
  }

  /// Leaves the database and its log as they are while a service has them open, after some SQL.
  func kill(after sql: String) throws {
    let copy = try Scratch()
    let names = ["app.db", "app.db-wal", "app.db-shm"]
    let copies = names.map { ".shell cp '\(scratch("data/" + $0))' '\(copy.path)'" }
    try Shell.run(database, ([sql] + copies).joined(separator: "\n"))
    for name in names { try scratch.write(try #require(copy.bytes(name)), to: "data/" + name) }
  }

  func databaseAndLog() throws -> [Data] {
    try ["app.db", "app.db-wal"].map { try #require(scratch.bytes("data/" + $0)) }
  }
}
