import Foundation
import TestSupport
import Testing
import Uplift

/// A restore is stopped at each of its calls: the database has the content of before or that of the
/// backup, and then the content of before is in a file of its own.
@Suite(.tags(.promise15, .O9)) struct RestoreCrashTests {
  static let all = ["delete", "wal", RestoreSite.logOfKilledService]
  static let modes = Figures.isDeep ? all : ["delete", "wal"]

  @Test(arguments: modes) func `survives SIGKILL at every call`(mode: String) throws {
    #expect(try RestoreSite(mode: mode).complaintsAboutKills() == [])
  }

  @Test(arguments: modes) func `throws or succeeds, whatever call fails`(mode: String) throws {
    #expect(try RestoreSite(mode: mode).complaintsAboutErrors() == [])
  }

  /// Nothing is written into the database before what it held is safe.
  @Test func `leaves the database alone if the directory of backups cannot be synced`() throws {
    let site = try RestoreSite(mode: "delete")
    let sync = try site.calls().lastIndex { $0.name == "fsync" && $0.path == "old" }
    let number = try #require(sync) + 1
    try site.clear()
    let before = site.scratch.bytes("disk/app.db")

    let run = try site.run(rules: "fail 5 at \(number)")

    #expect(run.failure?.name == "disk")
    #expect(site.scratch.bytes("disk/app.db") == before)
  }

  @Test(arguments: modes) func `loses nothing if the power is cut`(mode: String) throws {
    #expect(try RestoreSite(mode: mode).complaintsAboutPowerCuts() == [])
  }

  @Test(.tags(.O1), arguments: modes) func `loses nothing if the disk is full`(mode: String) throws
  {
    #expect(try RestoreSite(mode: mode).complaintsAboutFullDisks() == [])
  }
}

/// A database at version 3, and its backup at version 1.
final class RestoreSite: CrashSite {
  static let logOfKilledService = "log of a killed service"

  let name: String
  let end = 1
  let scratch: Scratch
  let helper: Helper
  let start: Tree
  private let before: Contents
  private let backup: Contents
  private let saved: String

  init(mode: String) throws {
    name = "restore, \(mode)"
    scratch = try Self.makeScratch()
    helper = try Helper()
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
    let hash = SHA256.hexadecimal(Array(scratch("disk/app.db").utf8)).prefix(8)
    saved = "app-\(hash)-0001-v1.db"
    let files = [("disk/old/" + saved, 1), ("disk/app.db", 3)]
    for (file, version) in files {
      try scratch.write("", to: file)
      try RawDatabase(scratch(file)).run(
        """
        PRAGMA journal_mode = \(mode == "delete" ? mode : "wal");
        CREATE TABLE item(id INTEGER PRIMARY KEY, name);
        \(rows) INSERT INTO item(name) SELECT 'item \(version) ' || i FROM n;
        PRAGMA user_version = \(version);
        """)
    }
    if mode == Self.logOfKilledService { try Self.leaveLog(in: scratch) }
    try scratch.removeAll("scripts")
    start = try Tree(of: scratch("disk"))
    before = try Contents(of: scratch("disk/app.db"))
    backup = try Contents(of: scratch("disk/old/" + saved))
  }

  /// Changes rows, and leaves the changes in the log only.
  private static func leaveLog(in scratch: Scratch) throws {
    let copy = try Scratch()
    let names = ["app.db", "app.db-wal"]
    try Shell.run(
      scratch("disk/app.db"),
      "UPDATE item SET name = 'changed ' || id WHERE id < 100;\n"
        + names.map { ".shell cp '\(scratch("disk/" + $0))' '\(copy.path)'" }
        .joined(separator: "\n"))
    for name in names { try scratch.write(copy.bytes(name) ?? Data(), to: "disk/" + name) }
  }

  func order() -> Order {
    var order = Order(database: disk + "/app.db", migrations: scratch("scripts"))
    order["backup"] = disk + "/old"
    order["restore"] = "1"
    order["target"] = "3"
    return order
  }

  func complaintAboutRemains(reported: Int?) throws -> String? {
    let found = try Contents(of: disk + "/app.db")
    guard [before, backup].contains(found) else { return "neither the one nor the other" }
    if reported != nil, found != backup { return "a restore was reported" }
    return try complaintAboutFiles(needsBefore: found == backup)
  }

  /// The backup is as it was, and each copy of the content of before is whole.
  private func complaintAboutFiles(needsBefore: Bool) throws -> String? {
    var isKept = false
    for name in scratch.names("disk/old") where !name.hasPrefix(".") {
      let copy = try scratch.write(scratch.bytes("disk/old/\(name)") ?? Data(), to: "copy.db")
      let contents = try Contents(of: copy)
      switch name {
      case saved: guard contents == backup else { return "the backup has changed" }
      case _ where name.hasSuffix("-v3-replaced.db"):
        guard contents == before else { return "not whole: \(name)" }
        isKept = true
      case _ where name.hasSuffix("-v1-replaced.db"):
        guard contents == backup else { return "not whole: \(name)" }
      default: return "left behind: \(name)"
      }
    }
    return isKept || !needsBefore ? nil : "what it held before is lost"
  }

  func complaintAboutNextRun() throws -> String? {
    let run = try run()
    guard run.end == 1, run.status == 0 else { return "the next restore failed: \(run)" }
    guard try Contents(of: disk + "/app.db") == backup else { return "other contents" }
    if let name = scratch.names("disk/old").first(where: { $0.hasPrefix(".") }) {
      return "left behind: \(name)"
    }
    return try complaintAboutFiles(needsBefore: true)
  }
}
