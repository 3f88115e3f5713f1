import Foundation
import TestSupport
import Testing
import Uplift

/// What happens to the backups if a script without a transaction fails, because its changes stay.
struct UnfinishedBackupTests {
  private func upgrader(_ site: Site, target: Version? = 2) -> Upgrader {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    return Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target, options: options)
  }

  private func siteInUse(_ scripts: [String: String]) throws -> Site {
    let site = try Site(scripts: scripts)
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  private func restore(_ site: Site) throws(UpgradeError) {
    _ = try upgrader(site).restore(from: site.scratch("backups"), to: 1)
  }

  /// The next backup has the changes of the failed script, whatever script comes next.
  @Test(
    .tags(.O4, .promise14),
    arguments: [
      ["2_two.sql": "CREATE TABLE two(a);"], ["2_two.sql": "-- withdrawn"],
      ["2_two.sql": "SELECT still_wrong;"],
      ["2_two.sql": "CREATE TABLE two(a);", "3_vacuum.sql": "-- uplift: no-transaction\nVACUUM;"],
    ])
  func `the backup from before a failed script stays if the script is corrected`(
    corrected: [String: String]
  ) throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    #expect(site.scratch.names("backups") == ["app-1.db", "app-1.db.unfinished"])
    for (name, text) in corrected { try site.ship(name, text) }

    for _ in 1...2 { _ = try? upgrader(site, target: nil).upgrade() }

    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "2")
    let error = #expect(throws: UpgradeError.self) { try restore(site) }
    #expect(error?.remedy.contains(earlier) == true)
    let isCorrected = try Shell.version(site.database) > 1
    #expect(site.scratch.names("backups").contains("app-1.db.unfinished") == !isCorrected)
  }

  /// No script has failed, so the newer backup is the better one.
  @Test(.tags(.O4)) func `no earlier backup stays after a restore and another upgrade`() throws {
    let site = try siteInUse(["2_two.sql": "-- uplift: no-transaction\nVACUUM;"])
    try upgrader(site).upgrade()
    try restore(site)
    try upgrader(site).upgrade()

    #expect(
      site.scratch.names("backups").filter { !$0.contains("replaced") } == ["app-1.db"])
  }

  /// The changes of the failed script are gone, so the next backup is clean.
  @Test(.tags(.O4)) func `a restore ends the doubt about a failed script`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    try restore(site)
    try site.ship("2_two.sql", "CREATE TABLE two(a);")
    try upgrader(site).upgrade()

    #expect(
      site.scratch.names("backups").filter { !$0.contains("replaced") } == ["app-1.db"])
  }

  /// Without room for the new backup, for example.
  @Test(.tags(.O4)) func `the old backup keeps its name if the new one cannot be made`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    try site.scratch.write("", to: "backups/app-1.db.part/file")

    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    #expect(
      try Shell.run(site.scratch("backups/app-1.db"), "SELECT count(*) FROM item;") == "2")
  }
}
