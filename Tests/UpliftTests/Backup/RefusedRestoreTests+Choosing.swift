import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// Backups among which only a person can choose.
extension RefusedRestoreTests {
  /// After a restore, the backup with the highest version may not be the newest.
  ///
  /// In a copy of the directory, the files may have other times.
  @Test(.tags(.promise15)) func `chooses no backup if the highest version is not the newest`()
    throws
  {
    let site = try Site.upgraded()
    let bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    let second = try site.scratch.write(bytes, to: "backups/app-2.db")
    try Shell.run(second, "PRAGMA user_version = 2;")
    let before = site.scratch.bytes("data/app.db")
    _ = try Command("/usr/bin/touch").run("-d", "@1700000000", second)

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error == .backup(Path(second), .olderThan(site.scratch("backups/app-1.db"))))
    #expect(site.scratch.bytes("data/app.db") == before)
    // The other one is above this target.
    #expect(try site.restore(target: 1).version == 1)
    #expect(try site.restore(to: 2).version == 2)
    _ = try Command("/usr/bin/touch").run(second)
    #expect(try site.restore().version == 2)
  }

  /// The newest backup may be in an archive that is not mounted.
  @Test(.tags(.promise15)) func `chooses no older backup if the newest one is a link to no file`()
    throws
  {
    let site = try Site.upgraded()
    let newest = site.scratch("backups/app-2.db")
    try #require(symlink("archive/app-2.db", newest) == 0)
    let before = site.scratch.bytes("data/app.db")

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error == .backup(Path(newest), .isLink))
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  /// The newest backup may be too new for the program.
  @Test(.tags(.O12), arguments: [true, false])
  func `chooses no backup if the scripts or the seed cannot be read`(isSeed: Bool) throws {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("data/app.db")
    let gone = site.scratch("gone")
    let upgrader = Upgrader(
      database: site.database, seed: .file(isSeed ? gone : site.seed),
      migrations: .directory(isSeed ? site.scripts : gone))

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("backups"))
    }

    #expect(error?.kind == "missing")
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(try upgrader.restore(from: site.scratch("backups"), to: 1).version == 1)
    #expect(
      try Upgrader(database: site.database).restore(from: site.scratch("backups")).version == 1)
  }

  /// Only a person can say which of the two is wanted.
  @Test(.tags(.O12)) func `refuses a backup while an older one of the same version is there`()
    throws
  {
    let site = try Site.upgraded()
    let before = site.scratch.bytes("data/app.db")
    let bytes = try #require(site.scratch.bytes("backups/app-1.db"))
    let earlier = try site.scratch.write(bytes, to: "backups/app-1-earlier.db")

    let error = #expect(throws: UpgradeError.self) { try site.restore() }

    #expect(error?.kind == "backup")
    #expect(error?.remedy.contains(earlier) == true)
    #expect(site.scratch.bytes("data/app.db") == before)
    try site.scratch.remove("backups/app-1-earlier.db")
    #expect(try site.restore().version == 1)
  }
}
