import TestSupport
import Testing
import Uplift

/// The version that an upgrade has to reach.
struct TargetTests {
  @Test(.tags(.promise1), arguments: [1, 2, 3] as [Version])
  func `is reached if there is no database`(target: Version) throws {
    let site = try Site()

    let upgrade = try site.upgrade(target: target)

    #expect(upgrade.start == .seeded(1))
    #expect(upgrade.end == target)
    #expect(try Shell.version(site.database) == Int(target.number))
  }

  @Test(.tags(.promise1), arguments: [1, 2, 3] as [Version])
  func `is reached from each version below it`(start: Version) throws {
    let site = try Site()
    _ = try site.upgrade(target: start)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .existing(start))
    #expect(upgrade.end == 3)
    #expect(upgrade.applied.map(\.version) == [2, 3].filter { $0 > start })
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.promise1)) func `is reached without a seed`() throws {
    let site = try Site(
      seed: nil, scripts: ["1.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name);"])

    let upgrade = try site.upgrade(target: 1)

    #expect(upgrade.start == .created)
    #expect(upgrade.applied.map(\.name) == ["1.sql"])
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.promise1)) func `is the newest script if none is given`() throws {
    let site = try Site()

    let upgrade = try site.upgrade(target: nil)

    #expect(upgrade.end == 3)
  }

  @Test(.tags(.promise1)) func `does not run the scripts above it`() throws {
    let site = try Site()

    let upgrade = try site.upgrade(target: 2)

    #expect(upgrade.applied.map(\.version) == [2])
    #expect(try site.names() == ["seeded", "script 2"])
  }

  @Test(.tags(.promise1)) func `is refused before a database is made if its script did not ship`()
    throws
  {
    let site = try Site()

    expectError(.scripts, "there is no script 4, the newest is 3") {
      _ = try site.upgrade(target: 4)
    }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise1)) func `is refused before a database is made if the seed is newer`() throws
  {
    let site = try Site(seed: Site.seed + "PRAGMA user_version = 7;")

    expectError(.seed, "the seed is at 7, the target is 3") { _ = try site.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise1)) func `is refused if no script leads to the version of the seed`() throws {
    let site = try Site()
    _ = try site.upgrade(target: 1)
    try Shell.run(site.seed, "PRAGMA user_version = 2;")
    try site.scratch.remove("resources/scripts/2_two.sql")

    expectError(.scripts, "the database is at 1, and no script leads to 2") {
      _ = try site.upgrade()
    }

    #expect(try Shell.version(site.database) == 1)
  }
}
