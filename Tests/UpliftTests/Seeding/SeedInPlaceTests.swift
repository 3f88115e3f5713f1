import Foundation
import TestSupport
import Testing
import Uplift

/// The seed fills an empty database in place, under SQLite's locks.
struct SeedInPlaceTests {
  private static let empties = [
    "", "VACUUM;", "PRAGMA page_size=512; VACUUM;", "PRAGMA page_size=65536; VACUUM;",
    "PRAGMA journal_mode=wal;", "PRAGMA page_size=8192; PRAGMA journal_mode=wal;",
    "CREATE TABLE t AS SELECT randomblob(50000); DROP TABLE t;",
    "PRAGMA auto_vacuum=full; VACUUM;",
    "PRAGMA encoding='UTF-16'; CREATE TABLE t(a); DROP TABLE t;",
  ]
  private static let seeds = [
    "", "PRAGMA page_size=512;", "PRAGMA page_size=65536;", "PRAGMA journal_mode=wal;",
    "PRAGMA auto_vacuum=full;", "PRAGMA encoding='UTF-16';",
  ]

  @Test(.tags(.F1), arguments: empties, seeds)
  func `fills any empty database with any seed`(empty: String, seed: String) throws {
    let site = try Site(seed: seed + Site.seed)
    try site.scratch.write("", to: "data/app.db")
    if !empty.isEmpty { try site.place(empty) }
    let hadLog = empty.contains("wal") || seed.contains("wal")

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == (hadLog ? "wal" : "delete"))
    #expect(
      try Shell.run(site.database, "PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA encoding;")
        == Shell.run(site.seed, "PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA encoding;"))
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.F1, .F4), arguments: ["", "PRAGMA page_size=8192; PRAGMA journal_mode=wal;"], seeds)
  func `fills it with a seed that the program carries in itself`(empty: String, seed: String) throws
  {
    let site = try Site(seed: seed + Site.seed)
    try site.scratch.write("", to: "data/app.db")
    if !empty.isEmpty { try site.place(empty) }
    let upgrader = Upgrader(
      database: site.database,
      seed: .bytes(Array(try #require(site.scratch.bytes("resources/app.db")))),
      migrations: .directory(site.scripts), target: 3)
    let hadLog = empty.contains("wal") || seed.contains("wal")

    let upgrade = try upgrader.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == (hadLog ? "wal" : "delete"))
  }

  /// Another program writes while the boot sleeps before one of its calls.
  @Test(
    .tags(.F1, .promise2), .timeLimit(.minutes(10)),
    arguments: [
      "", "PRAGMA journal_mode=wal;", "PRAGMA page_size=8192; PRAGMA journal_mode=wal;",
    ])
  func `loses nothing that another program writes meanwhile`(empty: String) throws {
    func site() throws -> Site {
      let site = try Site()
      try site.scratch.write("", to: "data/app.db")
      if !empty.isEmpty { try site.place(empty) }
      return site
    }
    let alone = try site()
    _ = try alone.boot(target: 1)
    let calls = alone.calls()
    let sync = try #require(calls.firstIndex { $0.name == "fsync" })
    let locks = calls.indices.filter { $0 > sync && calls[$0].name == "fcntl" }
    var written = 0

    for number in locks {
      let site = try site()
      let (writer, boot) = try site.boot(interruptedBefore: number) {
        try Command("/usr/bin/sqlite3").run(
          "-batch", "-bail", site.database,
          "CREATE TABLE item(id, name); INSERT INTO item VALUES(7, 'mine');")
      }

      let mode = empty.contains("wal") ? "wal" : "delete"
      #expect(
        try Shell.run(site.database, "PRAGMA journal_mode;") == mode, "before call \(number + 1)")
      guard writer.status == 0 else {
        #expect(try site.names() == ["seeded"], "before call \(number + 1)")
        continue
      }
      written += 1
      #expect(boot.output.hasPrefix("unversioned\n"), "before call \(number + 1)")
      #expect(try site.names() == ["mine"], "before call \(number + 1)")
    }

    #expect(written >= 1)
  }

  @Test(.tags(.F1)) func `is refused if the seed changed after the boot inspected it`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")
    let boot = try site.start(rules: "delay 3000 call fsync at 1")
    try waitUntil { site.calls().contains { $0.name == "open" && $0.path == "data" } }

    try boot.whileStopped { _ = try Shell.run(site.seed, "PRAGMA user_version = 2;") }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.bytes("data/app.db")?.isEmpty == true)
  }

  /// The log has to go while the pages get another size, and SQLite does not wait for that.
  @Test(.tags(.P3, .promise5))
  func `waits for a program that has an empty database with a log open`() throws {
    let site = try Site()
    try site.place(
      "PRAGMA page_size=8192; PRAGMA journal_mode=wal; CREATE TABLE t(a); DROP TABLE t;")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM sqlite_master;", seconds: 0.7)

    let upgrade = try site.upgrade()

    _ = try reader.wait()
    #expect(upgrade.start == .seeded(1))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F1, .F11, .promise2), arguments: ["", "PRAGMA journal_mode=wal;"])
  func `looks again if another database replaced the empty one during the wait`(
    mode: String
  ) throws {
    let site = try Site()
    try site.place(mode + "CREATE TABLE t(a); DROP TABLE t;")
    try site.scratch.write("", to: "users.db")
    try Shell.run(
      site.scratch("users.db"), mode + Site.seed + "INSERT INTO item VALUES(7, 'the user''s');")
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let error = try site.error(target: 1) {
      #expect(rename(site.scratch("users.db"), site.database) == 0)
      try site.letGo()
    }

    #expect(error == nil)
    _ = try writer.wait()
    #expect(try site.names() == ["seeded", "the user's"])
  }

  @Test(.tags(.promise7, .F11))
  func `leaves a database alone that another application marked while it waited`() throws {
    let site = try Site(seed: Site.seed + "PRAGMA application_id = 7;")
    try site.scratch.write("", to: "data/app.db")
    let boot = try site.start(rules: "delay 3000 call fsync at 1")
    try waitUntil { site.calls().contains { $0.name == "open" && $0.path == "data" } }

    try boot.whileStopped { _ = try Shell.run(site.database, "PRAGMA application_id = 42;") }

    #expect(try boot.wait().output.hasPrefix("foreign\n"))
    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "42")
  }

  /// The seed has many pages, and each reading of it is slow.
  @Test(.tags(.F6, .promise3)) func `is not filled with a seed that is written meanwhile`() throws {
    let site = try Site(
      seed: Site.seed
        + "CREATE TABLE big AS SELECT zeroblob(400000) AS bytes; PRAGMA user_version=1;")
    try site.scratch.write("", to: "data/app.db")
    let boot = try site.start(
      rules: "delay 20 call read path resources/app.db times 1000")
    func pagesRead() -> Int {
      site.calls().count { $0.name == "read" && $0.path == "resources/app.db" }
    }
    try waitUntil { pagesRead() >= 20 || !boot.isRunning }

    try boot.whileStopped {
      _ = try Shell.run(site.seed, "UPDATE item SET name = 'later'; UPDATE big SET bytes = 1;")
    }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.bytes("data/app.db")?.isEmpty == true)
  }
}
