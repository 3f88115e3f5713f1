import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftSQLite
import UpliftSystem

/// What happens to the backups if a script without a transaction fails, because its changes stay.
struct FailedScriptBackupTests {
  func upgrader(_ site: Site, target: Version? = 2) -> Upgrader {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    return Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target, options: options)
  }

  func siteInUse(_ scripts: [String: String]) throws -> Site {
    let site = try Site(scripts: scripts)
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  private func restore(_ site: Site, to version: Version = 1) throws(UpgradeError) {
    _ = try upgrader(site, target: nil).restore(from: site.scratch("backups"), to: version)
  }

  static let failing = "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"

  /// The next backup contains the changes of the failed script, whatever script comes next.
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
    let site = try siteInUse(["2_two.sql": Self.failing])
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

  /// The changes of the failed script are gone, so the next backup does not contain them.
  @Test(.tags(.O4)) func `the second name of a backup goes with a restore`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    try restore(site)
    try site.ship("2_two.sql", "CREATE TABLE two(a);")
    try upgrader(site).upgrade()

    #expect(
      site.scratch.names("backups").filter { !$0.contains("replaced") } == ["app-1.db"])
  }

  /// Rows that were written after the restore are in the backup from before the second failure.
  @Test(.tags(.O4, .promise14))
  func `the backup from before a second failure stays after a restore`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 2)
    try site.scratch.remove("backups/app-1.db")
    try site.scratch.move("backups/app-1-earlier.db", to: "backups/app-1.db")
    try restore(site)
    try Shell.run(site.database, "INSERT INTO item VALUES (9, 'new');")

    try fail(site, 2)

    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "3")
    // Nothing of the first failure is gone either.
    #expect(site.scratch.names("backups").contains("app-1-replaced.db"))
  }

  /// The failure is at 2, and the restore goes back to 1.
  @Test(.tags(.O4, .promise14))
  func `the backup from before a second failure stays after a restore of an older one`() throws {
    let site = try siteInUse([
      "2_two.sql": "CREATE TABLE two(a);", "3_three.sql": Self.failing,
    ])
    try fail(site, 2)
    try restore(site)
    try Shell.run(site.database, "INSERT INTO item VALUES (9, 'new');")

    try fail(site, 2)

    let earlier = site.scratch("backups/app-2-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "3")
    // The replaced content, and both backups of the first failures.
    let replaced = site.scratch.names("backups").filter { $0.contains("replaced") }
    #expect(replaced.count == 3)
  }

  /// One of the two backups has the changes of the failed script.
  @Test(.tags(.O4, .promise15)) func `neither of two backups of one version is chosen later`()
    throws
  {
    let site = try siteInUse([
      "2_two.sql": "CREATE TABLE two(a);", "3_three.sql": Self.failing,
    ])
    try fail(site, 2)

    try restore(site)
    let error = #expect(throws: UpgradeError.self) { try restore(site, to: 2) }

    #expect(error == .backup(Path(site.scratch("backups/app-2.db")), .notThere))
    let counts = try site.scratch.names("backups").filter { $0.contains("-2-replaced") }.map {
      try Shell.run(site.scratch("backups/\($0)"), "SELECT count(*) FROM item;")
    }
    // The third is the content that the restore has replaced.
    #expect(counts.sorted() == ["0", "0", "2"])
  }

  /// The failure at 1 is in the history of the restored database.
  @Test(.tags(.O4, .promise15)) func `a restore of a newer backup leaves the older two`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try fail(site, 2)
    try site.ship("2_two.sql", "CREATE TABLE two(a);")
    try upgrader(site).upgrade()
    try site.ship("3_three.sql", "CREATE TABLE three(a);")
    try upgrader(site, target: nil).upgrade()

    try restore(site, to: 2)

    #expect(site.scratch.names("backups").contains("app-1-earlier.db"))
    #expect(throws: UpgradeError.self) { try restore(site) }
  }

  /// Starts the upgrade some times; each time the script fails.
  func fail(_ site: Site, _ count: Int) throws {
    for _ in 0..<count {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: nil).upgrade() }
    }
  }

  /// The script has deleted rows and waits, because it needs the database to itself.
  ///
  /// Meanwhile another process runs it.
  @Test(.tags(.O4)) func `no second name stays if another process runs the script`() throws {
    let site = try siteInUse([
      "2_two.sql": """
      -- uplift: no-transaction
      DELETE FROM item; PRAGMA journal_mode = DELETE; CREATE TABLE two(a);
      """
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    let deadline = Deadline(patience: .seconds(10), isCancelled: { false })
    var reader: Connection? = try Connection(
      path: site.database, access: .readWrite, deadline: deadline)
    _ = try reader?.text("SELECT count(*) FROM item")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))
    var during: [String] = []

    try site.upgrader(target: 2, options: options).upgrade { event in
      guard case .waiting = event, reader != nil else { return }
      #expect(throws: Never.self) {
        // The other process runs the script under the lock, after this one has closed the database.
        let lock = try OpenFile.directory(Path(site.scratch("data")))
        guard try lock.lock() else { return }
        during = site.scratch.names("backups")
        reader = nil
        try Shell.run(site.database, "CREATE TABLE two(a); PRAGMA user_version = 2;")
      }
    }

    #expect(during == ["app-1-earlier.db", "app-1.db"])
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  /// The rows that were written after it would be in no backup with a second name.
  @Test(
    .tags(.O4, .promise14),
    arguments: [
      "SELECT nope;", "DELETE FROM item WHERE id = 99; SELECT nope;",
      "INSERT INTO item SELECT id + 10, abs(-9223372036854775808) FROM item;",
      // More than SQLite's cache holds, after a commit without a change.
      """
      DELETE FROM item WHERE id = 99;
      WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO item
      SELECT i, iif(i < 40000, hex(randomblob(100)), abs(-9223372036854775808)) FROM n;
      """,
    ])
  func `a script that failed and changed nothing leaves no second name`(first: String) throws {
    let site = try siteInUse(["2_two.sql": "-- uplift: no-transaction\n" + first])
    try fail(site, 2)
    #expect(site.scratch.names("backups") == ["app-1.db"])
    try Shell.run(site.database, "INSERT INTO item VALUES (9, 'new');")
    try site.ship("2_two.sql", Self.failing)

    try fail(site, 2)

    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "3")
  }

  @Test(
    .tags(.O4, .promise14),
    arguments: [
      "CREATE TABLE two(a);", "DELETE FROM item WHERE id = 7;", "DROP TABLE item;",
      "BEGIN; DELETE FROM item WHERE id = 7; SELECT 1; COMMIT;",
      // More than SQLite's cache holds.
      """
      SAVEPOINT a;
      WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO item
      SELECT i, hex(randomblob(100)) FROM n;
      RELEASE a;
      """,
    ])
  func `a script that failed and changed something leaves a second name`(change: String) throws {
    let site = try siteInUse(["2_two.sql": "-- uplift: no-transaction\n\(change) SELECT nope;"])

    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-1.db"])
  }

  /// The copy from before the failed script is the same file under two names.
  @Test(.tags(.O4)) func `the backup from before a failed script can be put back at once`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    try restore(site)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "2")
    #expect(site.scratch.names("backups") == ["app-1-replaced.db", "app-1.db"])
  }

  @Test(.tags(.O4)) func `a copy is made on a file system without hard links`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])

    let outcomes = try (1...2).map { _ in
      try site.boot(
        target: 2, ["--backup", site.scratch("backups")], rules: "fail 1 call link on")
    }

    #expect(outcomes.allSatisfy { $0.output.hasPrefix("failed\n") })
    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-1.db"])
    #expect(
      try Shell.run(site.scratch("backups/app-1-earlier.db"), "SELECT count(*) FROM item;") == "2")
  }

  /// The second backup of the upgrade, at 2.
  @Test func `a backup that is cancelled names the version that was reached`() throws {
    let site = try siteInUse([
      "2_two.sql": "CREATE TABLE two(a);", "3_three.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    let isCancelled = Mutex(false)

    let error = #expect(throws: UpgradeError.self) {
      try upgrader(site, target: 3).upgrade(
        isCancelled: { isCancelled.withLock { $0 } },
        onEvent: { event in
          if case .finished(let step) = event, step.version == 2 {
            isCancelled.withLock { $0 = true }
          }
        })
    }

    #expect(error == .cancelled(reached: 2))
  }

  /// Without room for the new backup, for example.
  @Test(.tags(.O4)) func `the old backup keeps its name if the new one cannot be made`() throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }
    try site.scratch.write("", to: "backups/app-1.db.uplift-part/file")

    #expect(throws: UpgradeError.self) { try upgrader(site).upgrade() }

    #expect(
      try Shell.run(site.scratch("backups/app-1.db"), "SELECT count(*) FROM item;") == "2")
  }
}
