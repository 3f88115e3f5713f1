import Foundation
import TestSupport
import Testing

/// If SQLite says that a commit failed, the database says what was committed.
struct CommitTests {
  /// The second sync of the directory comes after SQLite deleted the journal: the commit stands.
  static let failingSync = "call fdatasync path /data at 2"

  @Test(.tags(.P5))
  func `reports the scripts applied that the database holds`() throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail 5 \(Self.failingSync)")

    #expect(
      outcome.output == "1 -> 3\napplied 2 2_two.sql\napplied 3 3_three.sql\n", "\(outcome)")
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    let fails = site.calls().filter { $0.result == -5 }
    #expect(fails.count == 1)
  }

  /// The other process takes the write lock after the commit, and before this boot confirms it.
  @Test(.tags(.P5, .promise5))
  func `does not set back a version that another process sets before it confirms its own`() throws {
    let plain = try Site()
    try plain.place(Site.seed)
    _ = try plain.boot(rules: "fail 5 \(Self.failingSync)")
    let last = plain.calls().count { $0.name == "open" && $0.path == "data/app.db" }
    let site = try Site()
    try site.place(Site.seed)

    let boot = try site.start(
      rules: "fail 5 \(Self.failingSync);delay 2000 call open path data/app.db at \(last)")
    try waitUntil { site.calls().contains { $0.result == -5 } }
    try Shell.run(
      site.database,
      ".timeout 1000\nBEGIN IMMEDIATE; PRAGMA user_version = 9;\n.shell sleep 3\nCOMMIT;")

    #expect(try boot.wait().status == 0)
    #expect(try Shell.version(site.database) == 9)
  }

  @Test(.tags(.P5, .promise11))
  func `reports nothing applied that is not on the disk`() throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail 5 \(Self.failingSync) on")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(!site.calls().contains { $0.name == "note" })
    #expect(try Shell.version(site.database) == 3)
  }

  @Test(.tags(.P5), arguments: ["delete", "wal"])
  func `throws if nothing was committed`(journal: String) throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")
    let file = journal == "wal" ? "app.db-wal" : "app.db-journal"

    let outcome = try site.boot(rules: "fail 5 call fdatasync path \(file) on")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(
      outcome.output.hasSuffix(
        ": disk I/O error\n"), "\(outcome.output)")
    #expect(try site.names() == ["seeded"])
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.P5, .promise4), arguments: ["delete", "wal"])
  func `ends when a commit could not be written, and the next boot goes on`(
    journal: String
  ) throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")
    let file = journal == "wal" ? "app.db-wal" : "app.db-journal"

    let outcome = try site.boot(rules: "fail 5 call fdatasync path \(file)")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.P5, .promise6))
  func `names no version if the database cannot be read after the commit`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let observed = try Site()
    try observed.place(Site.seed)
    _ = try observed.boot(rules: "fail 5 \(Self.failingSync)")
    let before = observed.calls().prefix { $0.result != -5 }
    let locks = before.count { $0.name == "fcntl" }

    let outcome = try site.boot(
      ["--patience", "20"],
      rules: "fail 5 \(Self.failingSync);fail 11 call fcntl at \(locks + 1) on")

    #expect(outcome.output == "busy\n\"\(site.database)\" stayed busy\n")
    #expect(try Shell.version(site.database) == 3)
  }

  /// Both scripts are in one transaction, and only its COMMIT writes to the disk.
  @Test(.tags(.P5, .promise4, .promise6), arguments: ["delete", "wal"])
  func `is at the last commit if the disk has no room for the next one`(journal: String) throws {
    let site = try Site(scripts: [
      "2_two.sql": Site.script(2),
      "3_large.sql": "CREATE TABLE large AS SELECT randomblob(200000) AS bytes;",
    ])
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")

    let outcome = try site.boot(["--interval", "60000"], rules: "room 100000")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(outcome.output.contains("database or disk is full"))
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded"])
    #expect(try site.boot().status == 0)
  }
}
