import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A restore that is refused, and changes nothing.
struct RefusedRestoreTests {
  /// Restores, and expects an error and that neither the database nor a backup is changed.
  private func error(
    _ site: Site, target: Version = 3, to version: Version? = nil, from file: String? = nil
  ) -> UpgradeError? {
    let before = (site.scratch.bytes("data/app.db"), site.scratch.names("backups"))
    let error = #expect(throws: UpgradeError.self) {
      try site.restore(target: target, to: version, from: file)
    }
    #expect(site.scratch.bytes("data/app.db") == before.0)
    #expect(site.scratch.names("backups") == before.1)
    return error
  }

  @Test(.tags(.O8)) func `refuses a damaged backup`() throws {
    let site = try Site.upgraded()
    let name = "backups/app-\(site.hash)-0001-v1.db"
    let whole = try #require(site.scratch.bytes(name))
    var wrong = whole
    wrong.replaceSubrange(4100..<4400, with: repeatElement(0xff, count: 300))

    for bytes in [wrong, whole.dropLast(), Data("text".utf8), Data()] {
      try site.scratch.write(bytes, to: name)
      let error = error(site)
      #expect(error?.description.contains("0001-v1.db\" is damaged: ") == true)
      #expect(error?.kind == .damaged && error?.exitCode == 78)
    }
  }

  /// SQLite's check does not begin, because a collation is missing.
  @Test(.tags(.O8), arguments: ["item", "word"])
  func `finds damage in and beside a table that SQLite cannot check`(table: String) throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version = 3;")
    try site.placeBackup("0001-v1", Site.seed + Site.missingCollation)
    let page = Int(
      try Shell.run(
        site.backup("0001-v1"), "SELECT rootpage FROM sqlite_master WHERE name = '\(table)';"))
    let start = (try #require(page) - 1) * 4096
    let name = "backups/app-\(site.hash)-0001-v1.db"
    var bytes = try #require(site.scratch.bytes(name))
    bytes.replaceSubrange(start..<start + 300, with: repeatElement(0xff, count: 300))
    try site.scratch.write(bytes, to: name)

    #expect(error(site)?.description.contains("0001-v1.db\" is damaged: ") == true)
  }

  @Test(.tags(.O7, .O8)) func `refuses a backup that is not what its name says`() throws {
    let site = try Site.upgraded()
    try Shell.run(site.backup("0001-v1"), "PRAGMA user_version = 2;")

    let error = error(site)

    #expect(error?.description.hasSuffix("is damaged: it holds a database at 2") == true)
  }

  @Test(.tags(.O8)) func `refuses a backup that a program has open`() throws {
    let site = try Site.upgraded()
    let log = try site.scratch.write("log", to: "backups/app-\(site.hash)-0001-v1.db-wal")

    let error = error(site)

    #expect(error?.says(.damaged, "has changes outside it, in \"\(log)\"") == true)
    #expect(error?.exitCode == 78)
  }

  @Test(.tags(.O7), arguments: [nil, "", Site.seed])
  func `refuses another application's backup`(content: String?) throws {
    let site = try Site.upgraded()
    try Shell.run(site.seed, "PRAGMA application_id = 777;")
    try Shell.run(site.backup("0001-v1"), "PRAGMA application_id = 5;")
    try site.scratch.remove("data/app.db")
    if let content {
      try site.scratch.write("", to: "data/app.db")
      if !content.isEmpty { try site.place(content) }
    }

    let error = error(site)

    let expected = content == Site.seed ? 0 : 777
    #expect(error?.kind == .foreign)
    #expect(error?.description.hasSuffix("belongs to application 5, not \(expected)") == true)
  }

  @Test(.tags(.O7)) func `refuses a backup above the target`() throws {
    let site = try Site.upgraded()
    try site.placeBackup("0002-v3", Site.seed + "PRAGMA user_version = 3;")

    let named = error(site, target: 2, to: 3)
    let file = error(site, target: 2, from: site.backup("0002-v3"))
    try site.scratch.remove("backups/app-\(site.hash)-0001-v1.db")
    let all = error(site, target: 2)

    #expect(named == file && named == all)
    #expect(named?.description.hasSuffix("0002-v3.db\" is above the target 2") == true)
    #expect(named?.exitCode == 76)
  }

  @Test(.tags(.O5)) func `takes a backup of another path only if it is named`() throws {
    let site = try Site.upgraded()
    let version = error(site, to: 2)
    try site.scratch.move(
      "backups/app-\(site.hash)-0001-v1.db", to: "backups/app-00c0ffee-0001-v1.db")
    let other = site.scratch("backups/app-00c0ffee-0001-v1.db")

    let moved = error(site)
    let named = try site.restore(from: other)
    try site.scratch.remove("backups")
    let none = error(site)

    let backups = "\"\(site.scratch("backups"))\""
    #expect(version?.says(.missing, "\(backups) has no backup of version 2, only of 1") == true)
    #expect(none?.says(.missing, "the directory of backups \(backups) is not there") == true)
    #expect(moved?.says(.missing, "\(backups) has no backup to put back") == true)
    #expect(none?.exitCode == 66 && moved?.remedy.contains("--from") == true)
    #expect(named.version == 1)
  }

  /// What it held could not be saved.
  @Test(.tags(.promise15), arguments: ["DELETE", "WAL"])
  func `refuses a database that SQLite cannot read whole`(journal: String) throws {
    let site = try Site.upgraded(journal: journal)
    try Shell.run(site.database, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")
    let whole = try #require(site.scratch.bytes("data/app.db"))

    for bytes in [whole.dropLast(8192), Data("text".utf8) + whole.dropFirst(4), whole.prefix(100)] {
      try site.scratch.write(Data(bytes), to: "data/app.db")
      let error = error(site)
      #expect(error?.kind == .damaged && error?.exitCode == 78, "\(String(describing: error))")
      #expect(error?.remedy.contains("move it away") == true)
    }
  }

  /// SQLite would play the log back into the database.
  @Test(.tags(.F3)) func `makes no database beside a log that has lost its own`() throws {
    let site = try Site.killed()
    try site.placeBackup("0001-v1", Site.seed)
    try site.scratch.remove("data/app.db")

    #expect(error(site)?.kind == .orphaned)
  }

  @Test(.tags(.promise2, .F10)) func `changes no seed, and takes no database for its own backup`()
    throws
  {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("resources/app.db")
    let upgrader = Upgrader(
      database: site.seed, seed: .file(site.seed), migrations: .directory(site.scripts))

    #expect(throws: UpgradeError.isSeed(site.seed)) {
      try upgrader.restore(backup: site.scratch("backups"))
    }
    let itself = error(site, from: site.database)

    #expect(itself?.says(.path, "\"\(site.database)\" is the database itself") == true)
    #expect(site.scratch.bytes("resources/app.db") == before)
  }

  @Test(.tags(.O11)) func `needs a directory of backups that is not that of the database`() throws {
    let site = try Site.upgraded()
    let upgrader = site.upgrader()

    for (name, problem) in [("data", "holds the database"), ("resources", "holds the seed")] {
      expectError(.path, "\"\(site.scratch(name))\" \(problem)") {
        _ = try upgrader.restore(backup: site.scratch(name))
      }
    }
    let nowhere = site.scratch("not/there")
    expectError(.missing, "the directory of backups \"\(nowhere)\" cannot be made") {
      _ = try upgrader.restore(backup: nowhere)
    }
  }
}
