import Foundation
import TestSupport

/// A workload's resources, and a disk that is made anew for each boot.
final class Stage {
  let workload: Workload
  let scratch: Scratch
  /// The contents of the database at each version, as SQLite alone makes them.
  let expected: [Int: Contents]
  /// The contents between the passes of a script that repeats, by the version below it.
  private(set) var between: [Int: [Contents]] = [:]

  /// `through` is the last script that SQLite alone can run.
  init(_ workload: Workload, through last: Int = .max) throws {
    self.workload = workload
    // In memory if possible: the tests are about the order of the calls, not about the disk.
    scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    for (name, text) in workload.scripts {
      try scratch.write(text, to: "resources/scripts/" + name)
    }
    var expected: [Int: Contents] = [:]
    var between: [Int: [Contents]] = [:]
    let whole = scratch("resources/app.db")
    if let seed = workload.seed {
      try RawDatabase(whole).run(seed)
      let contents = try Contents(of: whole)
      expected[contents.version] = contents
    }
    let copy = scratch("expected.db")
    if let older = workload.database {
      try RawDatabase(copy).run(older)
      try FileManager.default.copyItem(atPath: copy, toPath: scratch("older.db"))
      let contents = try Contents(of: copy)
      expected = [contents.version: contents]
    } else if workload.seed != nil {
      try FileManager.default.copyItem(atPath: whole, toPath: copy)
    }
    if workload.seed == nil || workload.hasEmptyFile {
      expected[0] = try Contents(of: scratch("empty.db"))
    }
    for (name, text) in workload.scripts.sorted(by: { $0.key < $1.key }) {
      let version = Int(name.prefix { $0.isNumber }) ?? 0
      guard version <= last else { break }
      let runsAlone = text.contains("no-transaction")
      let bump = "PRAGMA user_version = \(version);"
      let attach = text.contains("reads-seed") ? "ATTACH '\(whole)' AS seed;" : ""
      // SQLite alone has no such function; a workload's older database is at 1.
      let text = text.replacingOccurrences(of: "upgraded_from()", with: "1")
      if text.contains("uplift: repeat") {
        let database = try RawDatabase(copy)
        while true {
          let before = database.changes
          try database.run(text)
          if database.changes == before { break }
          let contents = try Contents(of: copy)
          between[contents.version, default: []].append(contents)
        }
      }
      try RawDatabase(copy).run(
        runsAlone ? "\(text)\n\(bump)" : "\(attach) BEGIN;\(text)\n;\(bump) COMMIT;")
      expected[version] = try Contents(of: copy)
    }
    if let code = workload.code {
      try RawDatabase(copy).run(
        "BEGIN; \(code); PRAGMA user_version = \(workload.target); COMMIT;")
      expected[workload.target] = try Contents(of: copy)
    }
    self.expected = expected
    self.between = between
    clear()
  }

  var disk: String { scratch("disk") }
  var directory: String { disk + "/var/data" }
  var database: String { directory + "/app.db" }
  var log: String { scratch("log") }

  /// An empty disk; with the file that the workload begins with, if there is one.
  func clear() {
    try? FileManager.default.removeItem(atPath: disk)
    try? FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    if workload.hasEmptyFile || workload.database != nil {
      let content = scratch.bytes("older.db") ?? Data()
      _ = try? scratch.write(content, to: "disk/var/data/app.db")
    }
  }

  var names: [String] { scratch.names("disk/var/data") }

  /// A boot of the workload on this disk.
  func order(
    rules: String = "", isLogged: Bool = false, seesResources: Bool = false, target: Int? = nil
  ) -> Order {
    var order = Order(database: database, migrations: scratch("resources/scripts"))
    if workload.seed != nil { order["seed"] = scratch("resources/app.db") }
    order["target"] = "\(target ?? workload.target)"
    order["code"] = workload.code.map { "\(workload.target):\($0)" }
    order["interval"] = "\(workload.interval)"
    order["root"] = seesResources ? scratch.path : disk
    order["rules"] = [workload.rules, rules].filter { !$0.isEmpty }.joined(separator: ";")
    if isLogged { order["log"] = log }
    return order
  }

  /// The calls of the boots since the last time, with their data.
  ///
  /// Deletes the log.
  func takeLog() throws -> [Operation] {
    defer { try? FileManager.default.removeItem(atPath: log) }
    return try Operation.all(in: scratch.bytes("log") ?? Data(), below: disk)
  }
}
