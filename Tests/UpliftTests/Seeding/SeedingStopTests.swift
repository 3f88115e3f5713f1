import Foundation
import TestSupport
import Testing
import Uplift

/// The copy of a large seed can be stopped, and leaves nothing.
struct SeedingStopTests {
  private func largeSite() throws -> Site {
    try Site(seed: Site.seed + "CREATE TABLE large AS SELECT zeroblob(40000000) AS bytes;")
  }

  private func stops(_ site: Site, _ seed: Seed) {
    let upgrader = Upgrader(
      database: site.database, seed: seed, migrations: .directory(site.scripts), target: 3)
    var sizes: [Int] = []

    #expect(throws: UpgradeError.cancelled(reached: nil)) {
      try upgrader.upgrade(
        isCancelled: {
          sizes = site.scratch.names("data").compactMap {
            (try? FileManager.default.attributesOfItem(atPath: site.scratch("data/" + $0)))?[.size]
              as? Int
          }
          return sizes.contains { $0 > 0 }
        }, onEvent: { _ in })
    }

    #expect(sizes.allSatisfy { $0 < 20_000_000 })
  }

  @Test(.tags(.P14, .promise3, .promise8), arguments: [true, false])
  func `stops in the middle of the copy`(isFile: Bool) throws {
    let site = try largeSite()
    let bytes = try #require(site.scratch.bytes("resources/app.db"))

    stops(site, isFile ? .file(site.seed) : .bytes(Array(bytes)))

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.P14, .F1)) func `stops while an empty file is filled, which stays empty`() throws {
    let site = try largeSite()
    try site.scratch.write("", to: "data/app.db")

    stops(site, .file(site.seed))

    #expect(site.scratch.bytes("data/app.db") == Data())
    #expect(try site.upgrade().start == .seeded(1))
  }

  /// SQLite cannot change the page size of a database in WAL mode, so the boot leaves that mode.
  @Test(.tags(.P14, .F1))
  func `stops while an empty database in WAL mode is filled, which stays in that mode`() throws {
    let site = try largeSite()
    try site.place("PRAGMA page_size=8192; PRAGMA journal_mode=wal;")

    #expect(throws: UpgradeError.cancelled(reached: nil)) {
      try site.upgrader().upgrade(
        isCancelled: { site.scratch.names("data") == ["app.db", "app.db-journal"] },
        onEvent: { _ in })
    }

    #expect(site.scratch.names("data") == ["app.db"])
    #expect(try Shell.run(site.database, "PRAGMA journal_mode; PRAGMA page_size;") == "wal\n8192")
    #expect(try Shell.run(site.database, "SELECT count(*) FROM sqlite_master;") == "0")
    #expect(try site.upgrade().start == .seeded(1))
    #expect(try Shell.run(site.database, "PRAGMA journal_mode; PRAGMA page_size;") == "wal\n4096")
  }

  @Test(.tags(.P14, .promise3)) func `is copied whole, in pieces`() throws {
    let site = try largeSite()

    _ = try site.boot(target: 1)

    let copied = site.calls().filter { $0.name == "copy_file_range" && $0.result > 0 }
    #expect(copied.allSatisfy { $0.result <= 16 << 20 })
    #expect(site.scratch.bytes("data/app.db") == site.scratch.bytes("resources/app.db"))
  }

  @Test(.tags(.P11, .promise3, .F13)) func `fails if the seed is larger than the limit for files`()
    throws
  {
    let site = try Site(seed: Site.seed + "CREATE TABLE large AS SELECT zeroblob(400000) AS bytes;")

    let outcome = try Command("/bin/sh").run(
      "-c",
      "ulimit -f 100; exec '\(Command.product("uplift").path)' up --database '\(site.database)' "
        + "--seed '\(site.seed)'", in: site.scratch.path)

    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("File too large"))
    #expect(site.scratch.names("data") == [])
  }
}
