import Foundation
import TestSupport
import Testing
import Uplift

/// An upgrade finds out whose a database is before it changes anything.
struct DecidingTests {
  private static let mark = "PRAGMA application_id = 77;"

  private func options(_ choice: Upgrader.IfMissing) -> Upgrader.Options {
    var options = Upgrader.Options()
    options.ifMissing = choice
    return options
  }

  private func refuses(
    _ site: Site, _ choice: Upgrader.IfMissing = .seed, as kind: UpgradeError.Kind, _ words: String
  ) throws {
    let before = try site.snapshot()

    let error = expectError(kind, "\"\(site.database)\" \(words)") {
      _ = try site.upgrade(options: options(choice))
    }
    #expect(try site.upgrader(options: options(choice)).status().refusal == error)

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.promise7))
  func `a restored dump has lost its version: it is unversioned, not foreign`() throws {
    let site = try Site(seed: Site.seed + Self.mark)
    try site.place(try Shell.dump(site.seed))

    try refuses(site, as: .unversioned, "has tables but no version, the seed is at 1")
  }

  @Test(.tags(.promise7))
  func `a database with the seed's application_id may have lost its version as well`() throws {
    let site = try Site(seed: Site.seed + Self.mark)
    try site.place(Site.seed + Self.mark + "PRAGMA user_version = 0;")

    try refuses(site, as: .unversioned, "has tables but no version, the seed is at 1")
  }

  @Test(.tags(.promise7))
  func `a database without a version is refused, whatever its application_id is`() throws {
    let site = try Site(seed: Site.seed, scripts: ["1_one.sql": "DROP TABLE theirs;"])
    try site.place("CREATE TABLE theirs(a); PRAGMA application_id = 1196444487;")

    try refuses(site, as: .unversioned, "has tables but no version, the seed is at 1")
  }

  @Test(.tags(.promise7))
  func `another application's database is foreign, though it has no version`() throws {
    let site = try Site(seed: Site.seed + Self.mark)
    try site.place("CREATE TABLE theirs(a); PRAGMA application_id = 78;")

    try refuses(site, as: .foreign, "belongs to application 78, not 77")
  }

  @Test(.tags(.promise7, .F1), arguments: [.seed, .empty] as [Upgrader.IfMissing])
  func `an empty database with another application_id is foreign`(
    choice: Upgrader.IfMissing
  ) throws {
    let site = try Site(
      seed: Site.seed + Self.mark, scripts: ["1.sql": "SELECT 1;", "3.sql": "SELECT 1;"])
    try site.place("PRAGMA application_id = 78;")

    try refuses(site, choice, as: .foreign, "belongs to application 78, not 77")
  }

  @Test(.tags(.promise7, .F1))
  func `an empty database with an application_id is foreign if the seed has none`() throws {
    let site = try Site()
    try site.place("PRAGMA application_id = 78;")

    try refuses(site, as: .foreign, "belongs to application 78, not 0")
  }

  @Test(.tags(.promise7, .F22), arguments: ["same", "link", "hard link"])
  func `the seed is refused as the database`(way: String) throws {
    let site = try Site()
    try site.makeData()
    let database = way == "same" ? site.seed : site.database
    if way == "link" {
      try FileManager.default.createSymbolicLink(
        atPath: site.database, withDestinationPath: site.seed)
    } else if way == "hard link" {
      try FileManager.default.linkItem(atPath: site.seed, toPath: site.database)
    }
    let before = try Snapshot(of: site.scratch("resources"))
    let upgrader = Upgrader(
      database: database, seed: .file(site.seed), migrations: .directory(site.scripts), target: 3)

    #expect(throws: UpgradeError.isSeed(database)) { try upgrader.upgrade() }
    #expect(throws: UpgradeError.isSeed(database)) { try upgrader.status() }

    #expect(try Snapshot(of: site.scratch("resources")) == before)
  }

  @Test(.tags(.F1))
  func `a database that is made empty keeps its application_id if the seed has none`() throws {
    let site = try Site(
      seed: "PRAGMA user_version = 1;",
      scripts: ["1.sql": "CREATE TABLE t(a);", "3.sql": "SELECT 1;"]
    )
    try site.place("PRAGMA application_id = 78;")

    _ = try site.upgrade(options: options(.empty))

    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "78")
  }

  @Test(.tags(.F15, .promise7), arguments: ["SELECT 1;", AloneTests.directive + "VACUUM;"])
  func `a database that is made empty gets the application_id of the seed`(first: String) throws {
    let site = try Site(
      seed: Site.seed + Self.mark,
      scripts: [
        "1.sql": first, "2.sql": "CREATE TABLE item(id, name);", "3.sql": Site.script(3),
      ])

    let upgrade = try site.upgrade(options: options(.empty))
    try site.scratch.write(Site.script(4), to: "resources/scripts/4.sql")
    let next = try site.upgrade(target: 4)

    #expect(upgrade.start == .created)
    #expect(next.start == .existing(3))
    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "77")
  }
}
