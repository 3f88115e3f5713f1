internal import Foundation

extension Site {
  /// Has another process hold the database as the SQL leaves it, for so many seconds; returns
  /// once it does.
  public func hold(_ sql: String, seconds: Double) throws -> Running {
    let flag = scratch("held-\(UUID().uuidString)")
    let shell = try Command("/usr/bin/sqlite3").start(
      ["-batch", "-bail", database],
      input: "\(sql)\n.shell touch '\(flag)'; sleep \(seconds)\nROLLBACK;\n")
    while !FileManager.default.fileExists(atPath: flag) { usleep(500) }
    return shell
  }

  /// The user of a boot who may not do all: a test run by root has to name somebody.
  public static var unprivileged: [String] { geteuid() == 0 ? ["--user", "65534"] : [] }

  /// Sets the mode of something in the scratch directory.
  public func mode(_ name: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch(name))
  }

  public func mode(_ name: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: scratch(name))
    return facts[.posixPermissions] as? Int ?? -1
  }

  /// Makes the data directory, open to everyone.
  public func makeData() throws {
    try FileManager.default.createDirectory(
      atPath: scratch("data"), withIntermediateDirectories: true)
    try mode("data", 0o777)
  }
}
