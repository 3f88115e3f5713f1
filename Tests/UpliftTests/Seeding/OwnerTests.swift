import Foundation
import TestSupport
import Testing
import Uplift

/// Root makes the database for a service that runs as another user.
@Suite(.enabled(if: geteuid() == 0)) struct OwnerTests {
  private func owner(_ path: String) throws -> [Int] {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return [facts[.ownerAccountID], facts[.groupOwnerAccountID]].map { $0 as? Int ?? -1 }
  }

  private func site(seed: String? = Site.seed) throws -> Site {
    let site = try Site(seed: seed, scripts: ["2.sql": "CREATE TABLE two(a);"])
    try site.makeData()
    try #require(chown(site.scratch("data"), 65534, 65533) == 0)
    return site
  }

  @Test(.tags(.O18), arguments: [Site.seed, nil])
  func `a new database belongs to the owner of its directory`(seed: String?) throws {
    let site = try site(seed: seed)

    _ = try site.upgrade(target: 2)

    #expect(try owner(site.database) == [65534, 65533])
  }

  @Test(.tags(.O18))
  func `an empty file of root's that is filled belongs to the owner of its directory`() throws {
    let site = try site()
    try site.scratch.write("", to: "data/app.db")

    _ = try site.upgrade(target: 2)

    #expect(try owner(site.database) == [65534, 65533])
  }

  @Test(.tags(.O18))
  func `directories that are made belong to the owner of the directory above them`() throws {
    let site = try site()
    let database = site.scratch("data/one/two/app.db")

    _ = try Upgrader(database: database, seed: .file(site.seed), target: 1).upgrade()

    for path in [database, site.scratch("data/one/two"), site.scratch("data/one")] {
      #expect(try owner(path) == [65534, 65533])
    }
  }

  @Test(.tags(.O18)) func `a database that exists keeps its owner`() throws {
    let site = try site()
    try site.place(Site.seed)
    let other = try self.site()
    try other.scratch.write("", to: "data/app.db")
    try #require(chown(other.database, 65532, 65532) == 0)

    _ = try site.upgrade(target: 2)
    _ = try other.upgrade(target: 2)

    #expect(try owner(site.database) == [0, 0])
    #expect(try owner(other.database) == [65532, 65532])
  }
}
