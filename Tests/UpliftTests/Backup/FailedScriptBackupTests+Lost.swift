import Foundation
import TestSupport
import Testing
import Uplift

/// The second name of the backup of a database that is lost.
extension FailedScriptBackupTests {
  /// The next database may fail at the same script, and need the name for its own rows.
  @Test(.tags(.promise14), arguments: [1, 2])
  func `of a lost database is free for the next one`(failures: Int) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, failures)
    let lost = try #require(site.scratch.bytes("backups/app-1-earlier.db"))
    let latest = try #require(site.scratch.bytes("backups/app-1.db"))
    try site.scratch.remove("data/app.db")

    try upgrader(site, target: 1).upgrade()

    let kept = ["app-1-replaced.db", "app-1-replaced_2.db"].prefix(failures)
    #expect(site.scratch.names("backups") == kept + ["app-1.db"])
    // A restore takes the latest one.
    #expect(site.scratch.bytes("backups/app-1.db") == latest)
    #expect(site.scratch.bytes("backups/" + kept[failures - 1]) == lost)
  }

  /// Litestream or another program has used the empty file before the boot.
  @Test(
    .tags(.promise14),
    arguments: ["CREATE TABLE _litestream_seq(id, seq);", "CREATE VIEW one AS SELECT 1;"])
  func `of a lost database is free also if the file is not quite empty`(sql: String) throws {
    let site = try Site(scripts: ["1_one.sql": "CREATE TABLE item(id);", "2_two.sql": Self.failing])
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    func upgrader(to target: Version) -> Upgrader {
      Upgrader(
        database: site.database, migrations: .directory(site.scripts), target: target,
        options: options)
    }
    try upgrader(to: 1).upgrade()
    try Shell.run(site.database, "INSERT INTO item VALUES (1);")
    #expect(throws: UpgradeError.self) { try upgrader(to: 2).upgrade() }
    let lost = try #require(site.scratch.bytes("backups/app-1-earlier.db"))
    try site.scratch.remove("data/app.db")
    try Shell.run(site.database, sql)

    try upgrader(to: 1).upgrade()

    let names = site.scratch.names("backups")
    #expect(!names.contains("app-1-earlier.db"))
    #expect(names.contains { site.scratch.bytes("backups/" + $0) == lost })
  }

  /// Somebody has given the earlier backup "its name" with `ln -s`.
  @Test(.tags(.promise14)) func `of a lost database stays a file if a link leads to it`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 1)
    let lost = try #require(site.scratch.bytes("backups/app-1-earlier.db"))
    try site.scratch.remove("backups/app-1.db")
    try #require(symlink("app-1-earlier.db", site.scratch("backups/app-1.db")) == 0)
    try site.scratch.remove("data/app.db")

    try upgrader(site, target: 1).upgrade()

    let kept = site.scratch.names("backups").map { site.scratch.bytes("backups/" + $0) }
    #expect(kept.contains(lost))
  }

  /// Otherwise the old names may come back, and the next backup may take one of them.
  @Test(.tags(.promise14))
  func `of a lost database is freed for good before another one is made`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 2)
    try site.scratch.remove("data/app.db")

    _ = try site.boot(target: 1, ["--backup", site.scratch("backups")])

    let calls = site.calls()
    let freed = try #require(
      calls.lastIndex { $0.name == "renameat2" && $0.path == "backups/app-1-earlier.db" })
    let made = try #require(
      calls.lastIndex { $0.name == "renameat2" && $0.path.hasPrefix("data/") })
    #expect(calls[freed..<made].contains { $0.name == "fsync" && $0.path == "backups" })
  }

  /// The rename is late, because another boot has the file renamed already.
  @Test(.tags(.promise14, .promise5))
  func `of a lost database may be freed by another boot`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 2)
    try site.scratch.remove("data/app.db")

    let boot = try site.start(
      target: 1, ["--backup", site.scratch("backups")],
      rules: "delay 1000 call renameat2 path app-1-earlier.db")
    try waitUntil { site.scratch.bytes("backups/app-1-replaced.db") != nil || !boot.isRunning }
    usleep(100_000)
    try site.scratch.move("backups/app-1-earlier.db", to: "backups/app-1-replaced_2.db")

    #expect(try boot.wait().status == 0)
  }
}
