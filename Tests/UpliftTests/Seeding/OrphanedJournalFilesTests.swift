import Foundation
import TestSupport
import Testing
import Uplift

/// A journal that has lost its database is kept, whatever is made beside it.
struct OrphanedJournalFilesTests {
  private static var moving: Upgrader.Options {
    var options = Upgrader.Options()
    options.orphanedJournals = .moveAside
    return options
  }

  /// A journal that a crash in the middle of a write left.
  ///
  /// The database was emptied afterwards.
  private func emptied(_ suffix: String) throws -> Site {
    let site = try Site()
    try site.place(Site.seed + (suffix == "-wal" ? "PRAGMA journal_mode=wal;" : ""))
    _ = try site.boot(rules: "kill call unlink path \(suffix)")
    try site.scratch.write("", to: "data/app.db")
    #expect((site.scratch.bytes("data/app.db" + suffix)?.count ?? 0) > 0)
    return site
  }

  @Test(.tags(.F3, .F1, .promise7), arguments: ["-journal", "-wal"])
  func `is refused beside an empty file, and kept`(suffix: String) throws {
    let site = try emptied(suffix)
    let before = try site.snapshot()

    #expect(throws: UpgradeError.orphaned(journal: site.database + suffix)) { try site.upgrade() }
    #expect(
      try site.upgrader().status().refusal == .orphaned(journal: site.database + suffix))

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F3, .F1), arguments: ["-journal", "-wal"])
  func `is moved aside from an empty file by option`(suffix: String) throws {
    let site = try emptied(suffix)
    let journal = try #require(site.scratch.bytes("data/app.db" + suffix))

    let upgrade = try site.upgrade(options: Self.moving)

    let aside = site.scratch.names("data").filter { $0.hasPrefix("app.db\(suffix).orphaned-") }
    #expect(upgrade.start == .seeded(1))
    #expect(aside.compactMap { site.scratch.bytes("data/" + $0) } == [journal])
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3)) func `has the time in its new name, in UTC`() throws {
    let site = try emptied("-wal")
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .gmt
    format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"

    let before = format.string(from: .now)
    _ = try site.upgrade(options: Self.moving)
    let after = format.string(from: .now)

    let aside = site.scratch.names("data").first { $0.contains(".orphaned-") }
    let stamp = try #require(aside?.split(separator: "-").last.map(String.init))
    #expect((before...after).contains(stamp))
    #expect(stamp.count == before.count)
  }

  @Test(.tags(.F3, .F1, .promise7), arguments: ["-journal", "-wal"])
  func `is left under its name if the upgrade is refused`(suffix: String) throws {
    let site = try emptied(suffix)
    let before = try site.snapshot()

    let unshipped = #expect(throws: UpgradeError.self) {
      try site.upgrade(target: 9, options: Self.moving)
    }
    #expect(try site.snapshot() == before)

    try site.scratch.write("SELECT 'cut short", to: "resources/scripts/2_two.sql")
    let unreadable = #expect(throws: UpgradeError.self) {
      try site.upgrade(options: Self.moving)
    }
    #expect(try site.snapshot() == before)

    #expect([unshipped?.kind, unreadable?.kind] == ["targetNotShipped", "scriptText"])
  }

  @Test(.tags(.F3, .F1)) func `is rolled back when the file was empty before the crash`()
    throws
  {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    _ = try site.boot(rules: "kill call write path data/app.db")
    #expect((site.scratch.bytes("data/app.db-journal")?.count ?? 0) > 0)
    #expect(site.scratch.bytes("data/app.db")?.isEmpty == true)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3, .F1, .F7)) func `is no error when it is gone at the second look`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    try site.scratch.write("changes", to: "data/app.db-journal")
    let boot = try site.start(rules: "delay 3000 call open path app.db-journal")
    try waitUntil { site.calls().contains { $0.path.hasSuffix("-journal") } }

    try boot.whileStopped { try site.scratch.remove("data/app.db-journal") }

    #expect(try boot.wait().output.hasPrefix("seeded at 1 -> 3\n"))
  }

  @Test(.tags(.F3, .F1)) func `is no error when its database exists at the second look`() throws {
    let site = try emptied("-journal")
    let known = site.calls().count
    let boot = try site.start(rules: "delay 3000 call read path app.db-journal")
    try waitUntil { site.calls().dropFirst(known).contains { $0.path.hasSuffix("-journal") } }

    // SQLite deletes the journal as it opens the empty file.
    try boot.whileStopped { try site.place(Site.seed) }
    #expect(site.scratch.bytes("data/app.db-journal") == nil)

    #expect(try boot.wait().output.hasPrefix("1 -> 3\n"))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F3)) func `has its new name synced before the database has one`() throws {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db-wal")
    try site.scratch.write("changes", to: "data/app.db-journal")

    let outcome = try site.boot(["--orphans", "move"])

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    let moments = site.calls().filter {
      $0.name == "renameat2" || $0.name == "fsync" && $0.path == "data"
    }
    #expect(
      moments.prefix(6).map { "\($0.name) \($0.isOfCopy ? "copy" : $0.path)" } == [
        "renameat2 data/app.db-wal", "fsync data",
        "renameat2 data/app.db-journal", "fsync data",
        "renameat2 copy", "fsync data",
      ])
  }

  @Test(.tags(.F3)) func `does not stop status if an upgrade would move it aside`() throws {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db-wal")

    let status = try site.upgrader(options: Self.moving).status()

    #expect(status.version == nil)
    #expect(site.scratch.names("data") == ["app.db-wal"])
  }

  @Test(.tags(.F3)) func `never replaces one that was moved aside before`() throws {
    let site = try Site()

    for text in ["first", "second", "third"] {
      try site.scratch.write(text, to: "data/app.db-wal")
      _ = try site.upgrade(options: Self.moving)
      try site.scratch.remove("data/app.db")
    }

    let kept = site.scratch.names("data").compactMap { site.scratch.bytes("data/" + $0) }
    #expect(
      kept.sorted { $0.count < $1.count }.map { String(decoding: $0, as: UTF8.self) }.sorted()
        == ["first", "second", "third"])
  }

  @Test(.tags(.F3, .F1), arguments: [false, true])
  func `stays where it is on a file system without locks`(besideEmptyFile: Bool) throws {
    let site = try Site()
    try site.scratch.write("changes", to: "data/app.db-wal")
    if besideEmptyFile { try site.scratch.write("", to: "data/app.db") }
    let before = try site.snapshot()

    let outcome = try site.boot(["--orphans", "move"], rules: "fail 38 call flock on")

    #expect(outcome.output.hasPrefix("orphaned\n"))
    #expect(try site.snapshot() == before)
  }
}
