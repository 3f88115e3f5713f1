internal import Foundation

extension Site {
  /// Starts a process that runs the SQL and keeps its locks for some seconds.
  ///
  /// Returns when the locks are held.
  public func hold(_ sql: String, seconds: Double) throws -> Running {
    try hold(sql, "sleep \(seconds)", end: "ROLLBACK;")
  }

  /// Starts a process that runs the SQL and keeps its locks until `letGo` is called; then it runs
  /// `end`.
  ///
  /// The process opens the database of the site, or the one of the path.
  public func hold(_ sql: String, end: String, in path: String? = nil) throws -> Running {
    try hold(sql, "while ! test -e '\(scratch("let-go"))'; do sleep 0.02; done", end: end, path)
  }

  public func letGo() throws { try scratch.write("", to: "let-go") }

  private func hold(
    _ sql: String, _ wait: String, end: String, _ path: String? = nil
  ) throws -> Running {
    let flag = scratch("held-\(UUID().uuidString)")
    let shell = try Command("/usr/bin/sqlite3").start(
      ["-batch", "-bail", path ?? database],
      input: "\(sql)\n.shell touch '\(flag)'; \(wait)\n\(end)\n")
    try waitUntil { FileManager.default.fileExists(atPath: flag) }
    return shell
  }

  /// The option for a boot without root's rights; empty if the tests do not run as root.
  public static var unprivileged: [String] { geteuid() == 0 ? ["--user", "65534"] : [] }

  /// Sets the mode of a file or directory in the scratch directory.
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
