import Foundation
import TestSupport
import Testing
import Uplift

/// An empty file is filled in place: a plain copy that crashed leaves one.
struct EmptyDatabaseTests {
  @Test(
    .tags(.F1),
    arguments: [
      "", "PRAGMA page_size=8192; VACUUM;", "PRAGMA journal_mode=wal;",
      // SQLite keeps a table of its own.
      "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE t;",
    ])
  func `is filled with the seed, and stays the same file`(sql: String) throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    if !sql.isEmpty { try site.place(sql) }
    let before = try FileIdentity(site.database)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(upgrade.applied.map(\.version) == [2, 3])
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(try FileIdentity(site.database) == before)
    #expect(site.scratch.names("data").filter { !$0.hasPrefix("app.db-") } == ["app.db"])
  }

  @Test(.tags(.F1, .promise3)) func `is filled as a whole or not at all`() throws {
    let whole = try Site()
    try whole.scratch.write("", to: "data/app.db")
    _ = try whole.boot(target: 1)
    let moments = whole.calls().enumerated().filter { $1.changesSomething }.map { $0.offset + 1 }

    for number in moments {
      let site = try Site()
      try site.scratch.write("", to: "data/app.db")
      let killed = try site.boot(target: 1, rules: "kill at \(number)")
      let upgrade = try site.upgrade(target: 1)

      #expect(killed.status == -9)
      #expect([.seeded(1), .existing(1)].contains(upgrade.start), "killed at call \(number)")
      #expect(try site.names() == ["seeded"], "killed at call \(number)")
    }
  }

  @Test(.tags(.F1), arguments: [1, 15, 100, 511])
  func `is refused if it has a few bytes`(count: Int) throws {
    let site = try Site()
    let head = try #require(site.scratch.bytes("resources/app.db")).prefix(count)
    try site.scratch.write(head, to: "data/app.db")
    let before = try site.snapshot()

    #expect(throws: UpgradeError.damaged(site.database, "is not a database: it has \(count) bytes"))
    {
      try site.upgrade()
    }

    #expect(try site.snapshot() == before)
  }

  /// The disk gives back an old first page, so the tables are in pages that nobody counts.
  @Test(
    .tags(.F1, .promise7),
    arguments: ["VACUUM;", "CREATE TABLE first(a); DROP TABLE first;"])
  func `is refused if only its first page is empty`(sql: String) throws {
    let site = try Site.upgraded()
    try Shell.run(site.database, "CREATE TABLE more AS SELECT randomblob(90000) AS bytes;")
    let old = try Scratch()
    try Shell.run(old("app.db"), sql)
    let first = try #require(old.bytes("app.db")).prefix(4096)
    let whole = try #require(site.scratch.bytes("data/app.db"))
    try site.scratch.write(first + whole.dropFirst(4096), to: "data/app.db")
    let before = try site.snapshot()

    let boot = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(boot?.kind == .damaged)
    #expect(
      boot?.description
        == "\"\(site.database)\" is damaged: its first page is that of an empty database, but the file "
        + "has other pages")
    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F1)) func `is left alone if the caller says that the database must exist`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    var options = Upgrader.Options()
    options.ifMissing = .fail

    #expect(throws: UpgradeError.missingDatabase(site.database)) {
      try site.upgrade(options: options)
    }

    #expect(site.scratch.bytes("data/app.db")?.isEmpty == true)
  }
}
