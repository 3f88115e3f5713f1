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
    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-1.db"])
    for (name, text) in corrected { try site.ship(name, text) }

    for _ in 1...2 { _ = try? upgrader(site, target: nil).upgrade() }

    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "2")
    let error = #expect(throws: UpgradeError.self) { try restore(site) }
    #expect(error?.remedy.contains(earlier) == true)
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

  /// Rows that were written after the restore are in the backup from before the second failure.
  @Test(.tags(.O4, .promise14), arguments: [1, 2])
  func `the backup from before a second failure stays after a restore`(failing: Int) throws {
    let bad = "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    let site = try siteInUse(
      failing == 1 ? ["2_two.sql": bad] : ["2_two.sql": "CREATE TABLE two(a);", "3_three.sql": bad])
    for _ in 1...2 {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: nil).upgrade() }
    }
    if failing == 1 { try site.scratch.remove("backups/app-1.db") }
    if failing == 1 { try site.scratch.move("backups/app-1-earlier.db", to: "backups/app-1.db") }
    try restore(site)
    try Shell.run(site.database, "INSERT INTO item VALUES (9, 'new');")

    for _ in 1...3 {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: nil).upgrade() }
    }

    let earlier = site.scratch("backups/app-\(failing)-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "3")
    // Nothing of the first failure is gone either.
    let replaced = site.scratch.names("backups").filter { $0.contains("replaced") }
    #expect(replaced.count == (failing == 1 ? 1 : 3))
  }

  /// The copy from before the failed script is the same file under two names.
  @Test(.tags(.O4)) func `can be put back at once, and has one name again`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    try restore(site)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "2")
    #expect(site.scratch.names("backups") == ["app-1-replaced.db", "app-1.db"])
  }

  @Test(.tags(.O4)) func `has a copy on a file system without second names`() throws {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])

    let outcomes = try (1...2).map { _ in
      try site.boot(
        target: 2, ["--backup", site.scratch("backups")], rules: "fail 1 call link on")
    }

    #expect(outcomes.allSatisfy { $0.output.hasPrefix("failed\n") })
    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-1.db"])
    #expect(
      try Shell.run(site.scratch("backups/app-1-earlier.db"), "SELECT count(*) FROM item;") == "2")
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
