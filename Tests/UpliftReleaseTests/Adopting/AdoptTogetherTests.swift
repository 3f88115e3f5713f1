import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// `adopt` beside other processes that use the database.
struct AdoptTogetherTests: AdoptSuite {
  @Test(.tags(.promise16), arguments: ["DELETE", "WAL"])
  func `waits for a writer, and not for ever`(journal: String) throws {
    let site = try site(at: 3, "PRAGMA journal_mode = \(journal);")
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let busy = #expect(throws: AdoptionFailure.self) { try upgrader(site).adopt() }
    try site.letGo()
    let adoption = try upgrader(site, patience: .seconds(30)).adopt()

    #expect(busy?.error.kind == .busy)
    #expect(adoption.version == 3)
    _ = try writer.wait()
  }

  @Test(.tags(.promise16)) func `compares again under the lock`() throws {
    let site = try site(at: 3)
    let count = Count()
    // The steps run after the database was read for the first time, and before the lock.
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: .directory(site.scripts)
        + [
          .code(5, "meanwhile") { [database = site.database] step in
            try step.execute("CREATE TABLE five(a)")
            if count.next() == 1 { try Shell.run(database, "CREATE VIEW strange AS SELECT 1;") }
          }
        ])

    let busy = #expect(throws: AdoptionFailure.self) { try upgrader.adopt() }
    let error = #expect(throws: AdoptionFailure.self) { try upgrader.adopt() }
    #expect(busy?.error.kind == .busy)
    #expect(differences(error) == ["view strange is not in version 3"])
    #expect(try Shell.version(site.database) == 0)

    try Shell.run(site.database, "DROP VIEW strange; DROP INDEX item_name;")
    #expect(try upgrader.adopt().version == 2)
  }

  @Test func `leaves the version that a faster process has written`() throws {
    let site = try site(at: 3)
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: .directory(site.scripts)
        + [
          .code(5, "meanwhile") { [database = site.database] step in
            try step.execute("CREATE TABLE five(a)")
            try Shell.run(database, "PRAGMA user_version = 4;")
          }
        ])

    let failure = #expect(throws: AdoptionFailure.self) { try upgrader.adopt() }

    #expect(
      failure?.error.message
        == "\"\(site.database)\" was changed while its schema was compared")
    #expect(try Shell.version(site.database) == 4)
  }

  @Test func `finds the database busy inside a step of its own upgrade`() throws {
    let site = try Site(seed: nil, scripts: [:])
    try site.place("CREATE TABLE item(a);")
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    let inner = Upgrader(
      database: site.database, migrations: [.sql(1, "one", "CREATE TABLE item(a);")],
      options: options)
    let outer = Upgrader(
      database: site.database,
      migrations: [
        .code(1, "one") { [database = site.database] _ in
          let error = #expect(throws: AdoptionFailure.self) { try inner.adopt() }
          #expect(error?.error == .busy(database, reached: 0))
        }
      ])

    try outer.upgrade()

    #expect(try Shell.version(site.database) == 1)
  }

  @Test func `stops when it is cancelled, and leaves nothing behind`() throws {
    let site = try site(
      at: 3,
      scripts: Self.scripts.merging([
        "0005_endless.sql":
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
      ]) { $1 })
    let count = Count()
    let before = try site.snapshot()

    let error = #expect(throws: AdoptionFailure.self) {
      try upgrader(site).adopt(isCancelled: { count.next() > 200 })
    }

    #expect(error?.error.exitCode == 143)
    #expect(try site.snapshot() == before)
  }
}

/// A counter that several closures share.
private final class Count: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func next() -> Int {
    lock.withLock {
      value += 1
      return value
    }
  }
}
