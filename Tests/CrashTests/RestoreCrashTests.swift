import Foundation
import TestSupport
import Testing

/// A restore is stopped at each of its calls: the database has the content of before or that of the
/// backup, and then the content of before is in a file of its own.
@Suite(.tags(.promise15, .O9)) struct RestoreCrashTests {
  static let all = ["delete", "wal", RestoreSite.logOfKilledService]
  static let modes = Figures.isComplete ? all : ["delete", "wal"]

  @Test(arguments: modes) func `survives SIGKILL at every call`(mode: String) throws {
    #expect(try RestoreSite(mode: mode).complaintsAboutKills() == [])
  }

  @Test(arguments: modes) func `throws or succeeds, whatever call fails`(mode: String) throws {
    #expect(try RestoreSite(mode: mode).complaintsAboutErrors() == [])
  }

  /// The last sync of the data directory makes sure that the journal is gone.
  ///
  /// A file system that is mounted read-only after an error answers with 30 (`EROFS`).
  @Test(arguments: [5, 30])
  func `names the copy if the disk fails after the commit`(code: Int) throws {
    let site = try RestoreSite(mode: "delete")
    let sync = try site.calls().lastIndex { $0.name == "fdatasync" && $0.path == "" }
    let number = try #require(sync) + 1
    try site.clear()

    let run = try site.run(rules: "fail \(code) at \(number) on")

    #expect(run.failure?.name == "disk")
    #expect(run.failure?.words.contains("the old one is also in ") == true)
    #expect(site.scratch.names("disk/old") == ["app-1.db", "app-3-replaced.db"])
    #expect(try site.complaintAboutRemains(reported: nil) == nil)
  }

  /// The boot comes right after the restore has made the database, and its script fails.
  @Test(.tags(.promise14)) func `does not take the second name of a boot's backup`() throws {
    let site = try RestoreSite(mode: "delete")
    try site.clear()
    try site.scratch.remove("disk/app.db")
    let missing = try Tree(of: site.disk)
    _ = try site.run(isLogged: true)
    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
      .filter { $0.name != "note" }
    let publishing = try #require(calls.lastIndex { $0.other == "app.db" })
    try site.clear(missing)
    let (backup, earlier) = (site.disk + "/old/app-1.db", site.disk + "/old/app-1-earlier.db")
    let database = site.disk + "/app.db"
    let boot = Thread {
      try? waitUntil { FileManager.default.fileExists(atPath: database) }
      link(backup, earlier)
    }
    boot.start()

    // The call after the one that gives the database its name.
    let run = try site.run(rules: "delay 1000 at \(publishing + 2)")

    #expect(run.status == 0)
    #expect(site.scratch.names("disk/old") == ["app-1-earlier.db", "app-1.db"])
  }

  /// A backup of version 2 has only its second name.
  private func siteWithEarlierBackup() throws -> RestoreSite {
    let site = try RestoreSite(mode: "delete")
    try site.clear()
    let backup = try #require(site.scratch.bytes("disk/old/app-1.db"))
    let earlier = try site.scratch.write(backup, to: "disk/old/app-2-earlier.db")
    try Shell.run(earlier, "PRAGMA user_version = 2;")
    return site
  }

  @Test(.tags(.promise14)) func `syncs the names that it gives to other backups`() throws {
    let site = try siteWithEarlierBackup()

    _ = try site.run(isLogged: true)

    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
    let renaming = try #require(calls.lastIndex { $0.other == "old/app-2-replaced.db" })
    #expect(calls[renaming...].contains { $0.name == "fsync" && $0.path == "old" })
  }

  /// A later restore must not take it without a question, if this one is killed.
  @Test(.tags(.promise15)) func `takes the first name away before the second one`() throws {
    let site = try siteWithEarlierBackup()
    try site.scratch.write("a later backup", to: "disk/old/app-2.db")

    _ = try site.run(isLogged: true)

    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
    let renamed = calls.filter { $0.other.contains("app-2-replaced") }.map(\.path)
    #expect(renamed == ["old/app-2.db", "old/app-2-earlier.db"])
  }

  @Test func `leaves no copy if the directory of backups cannot be synced`() throws {
    let site = try RestoreSite(mode: "delete")
    let sync = try site.calls().lastIndex { $0.name == "fsync" && $0.path == "old" }
    let number = try #require(sync) + 1
    try site.clear()

    let run = try site.run(rules: "fail 5 at \(number)")

    #expect(run.failure?.name == "disk")
    #expect(site.scratch.names("disk/old") == ["app-1.db"])
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

  init(mode: String) throws {
    name = "restore, \(mode)"
    scratch = try Self.makeScratch()
    helper = try Helper()
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
    let files = [("disk/old/app-1.db", 1), ("disk/app.db", 3)]
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
    backup = try Contents(of: scratch("disk/old/app-1.db"))
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
    for name in scratch.names("disk/old") where !name.hasSuffix(".uplift-part") {
      let copy = try scratch.write(scratch.bytes("disk/old/\(name)") ?? Data(), to: "copy.db")
      let contents = try Contents(of: copy)
      switch name {
      case "app-1.db": guard contents == backup else { return "the backup has changed" }
      case _ where name.hasPrefix("app-3-replaced"):
        guard contents == before else { return "not whole: \(name)" }
        isKept = true
      case _ where name.hasPrefix("app-1-replaced"):
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
    if let name = scratch.names("disk/old").first(where: { $0.hasSuffix(".uplift-part") }) {
      return "left behind: \(name)"
    }
    return try complaintAboutFiles(needsBefore: true)
  }
}
