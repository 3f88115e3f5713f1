import Foundation
import TestSupport
import Testing
import Uplift

/// Other files in the directory of backups, and other processes that use it.
struct BackupFilesTests {
  private func upgrader(
    _ site: Site, target: Version = 3, keep: Int = 2, patience: Duration = .seconds(30),
    directory: String? = nil
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.patience = patience
    options.backup = Upgrader.Backup(directory: directory ?? site.scratch("backups"), keep: keep)
    return Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target, options: options)
  }

  private func siteInUse(_ scripts: [String: String]? = nil) throws -> Site {
    let site = try scripts.map { try Site(scripts: $0) } ?? Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    try site.scratch.removeAll("backups")
    return site
  }

  private func fault(_ work: () throws -> Void) -> UpgradeError? {
    do {
      try work()
      return nil
    } catch {
      return error as? UpgradeError
    }
  }

  /// It may lead to an archive that is not mounted.
  @Test(.tags(.promise14)) func `a link that leads nowhere is not replaced by a backup`() throws {
    let site = try siteInUse()
    let name = try site.scratch.write("", to: "backups/notes").replacing("notes", with: "app-1.db")
    try #require(symlink("no archive.db", name) == 0)

    let up = fault { try upgrader(site).upgrade() }

    #expect(up?.kind == "backup" && up?.exitCode == 78)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: name) == "no archive.db")
  }

  /// Somebody tidies up, between two calls of the upgrade.
  @Test(.tags(.promise14)) func `a backup that is removed meanwhile is no obstacle`() throws {
    let site = try siteInUse()
    try upgrader(site, target: 2).upgrade()
    try Shell.run(site.database, "PRAGMA user_version = 1;")

    let boot = try site.start(
      ["--backup", site.scratch("backups")],
      rules: "delay 2000 call open path backups/app-1.db at 3")
    try waitUntil {
      site.calls().count { $0.name == "open" && $0.path == "backups/app-1.db" } >= 2
        || !boot.isRunning
    }
    usleep(200_000)
    try site.scratch.remove("backups/app-1.db")

    #expect(try boot.wait().status == 0)
    #expect(site.scratch.bytes("backups/app-1.db") != nil)
  }

  /// To open and close it would drop the lock under which the scripts run.
  @Test(.tags(.O10, .promise14, .promise15), arguments: [true, false])
  func `a backup that is the database under another name is refused`(isLink: Bool) throws {
    let site = try siteInUse()
    let name = site.scratch("backups/app-1.db")
    if isLink {
      try FileManager.default.createSymbolicLink(
        atPath: name, withDestinationPath: site.database)
    } else {
      try FileManager.default.linkItem(atPath: site.database, toPath: name)
    }

    let up = fault { try upgrader(site).upgrade() }
    let restore = fault { _ = try upgrader(site).restore(from: site.scratch("backups"), to: 1) }

    #expect(up?.kind == "backup" && up?.exitCode == 78)
    #expect(up?.description.contains("is the database itself") == true)
    #expect(restore == up)
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded", "mine"])
  }

  /// The error would say the version of a database that another user may not read.
  @Test(.tags(.O10, .F12)) func `a link to another database is refused`() throws {
    let site = try siteInUse()
    try site.scratch.write("", to: "backups/real")
    try Shell.run(site.scratch("backups/real"), "CREATE TABLE t(a); PRAGMA user_version = 42;")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("backups/app-1.db"), withDestinationPath: site.scratch("backups/real"))

    let up = fault { try upgrader(site).upgrade() }

    #expect(up?.exitCode == 78)
    #expect(up?.description.contains("app-1.db\" is a link") == true)
    #expect(try site.names() == ["seeded", "mine"])
  }

  @Test(.tags(.O4))
  func `files that only have the name of a backup are neither counted nor deleted`()
    throws
  {
    let site = try siteInUse()
    try site.scratch.write("notes", to: "backups/app-0.db")
    try site.scratch.write("", to: "backups/app-2019.db")
    try Shell.run(
      site.scratch("backups/app-2019.db"),
      "PRAGMA application_id = 99; PRAGMA user_version = 2019; CREATE TABLE a(b);")
    try site.scratch.write("", to: "backups/app-2020.db")
    try Shell.run(site.scratch("backups/app-2020.db"), "CREATE TABLE a(b);")

    try upgrader(site, target: 2, keep: 1).upgrade()
    letFilesAge()
    try upgrader(site, keep: 1).upgrade()

    #expect(
      site.scratch.names("backups")
        == ["app-0.db", "app-2.db", "app-2019.db", "app-2020.db"])
  }

  /// Such a script keeps what it has changed when it fails.
  @Test(.tags(.O4, .O12)) func `the backup from before a script without a transaction stays`()
    throws
  {
    let site = try siteInUse([
      "2_two.sql": "-- uplift: no-transaction\nDELETE FROM item; SELECT nope;"
    ])
    for _ in 1...3 {
      #expect(throws: UpgradeError.self) { try upgrader(site, target: 2).upgrade() }
    }

    let count = "SELECT count(*) FROM item;"
    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-1.db"])
    #expect(try Shell.run(site.scratch("backups/app-1-earlier.db"), count) == "2")
    #expect(try Shell.run(site.scratch("backups/app-1.db"), count) == "0")
  }

  @Test(.tags(.O9, .promise15)) func `a copy that another restore is writing is waited for`() throws
  {
    let site = try siteInUse()
    try upgrader(site).upgrade()
    let torso = try site.scratch.write("half", to: "backups/app-replaced.db.uplift-part")
    let other = try Command("/bin/sh").start([
      "-c", "exec 9<'\(torso)'; flock 9; touch '\(site.scratch("locked"))'; exec sleep 30",
    ])
    try waitUntil { site.scratch.bytes("locked") != nil || !other.isRunning }

    let hurried = fault {
      _ = try upgrader(site, patience: .milliseconds(300))
        .restore(from: site.scratch("backups"), to: 1)
    }
    #expect(hurried?.exitCode == 75)
    #expect(site.scratch.bytes("backups/app-replaced.db.uplift-part") == Data("half".utf8))
    #expect(try Shell.version(site.database) == 3)

    other.terminate()
    _ = try other.wait()
    // Nobody holds it any more.
    let restore = try upgrader(site).restore(from: site.scratch("backups"), to: 1)
    #expect(restore.replaced == site.scratch("backups/app-3-replaced.db"))
    #expect(try Shell.version(site.scratch("backups/app-3-replaced.db")) == 3)
    #expect(site.scratch.names("backups") == ["app-1.db", "app-3-replaced.db"])
  }

  @Test(.tags(.O5)) func `a backup with a log beside it is not replaced`() throws {
    let site = try siteInUse()
    try upgrader(site, target: 2).upgrade()
    try site.scratch.write("a log", to: "backups/app-2.db-wal")
    try site.scratch.write("", to: "backups/app-2.db")
    try Shell.run(site.scratch("backups/app-2.db"), "PRAGMA user_version = 2; CREATE TABLE a(b);")
    try site.scratch.write("a log", to: "backups/app-2.db-wal")

    let fault = fault { try upgrader(site).upgrade() }

    #expect(fault?.kind == "backup")
    #expect(try Shell.version(site.database) == 2)
  }

  /// SQLite would put the pages of another database into the copy.
  @Test(.tags(.O5, .promise14), arguments: ["-wal", "-journal"])
  func `no backup is made beside a log that has lost its file`(suffix: String) throws {
    let site = try siteInUse(["2_two.sql": "-- uplift: no-transaction\nCREATE TABLE two(a);"])
    for name in ["app-1-earlier.db", "app-1.db"] {
      try site.scratch.removeAll("backups")
      let log = "backups/" + name + suffix
      try site.scratch.write("a log", to: log)

      #expect(throws: UpgradeError.orphaned(journal: site.scratch(log))) {
        try upgrader(site, target: 2).upgrade()
      }

      #expect(try Shell.version(site.database) == 1)
      #expect(site.scratch.names("backups").filter { $0.contains(suffix) }.count == 1)
    }
  }

  /// Nobody has dealt with the failed script yet.
  @Test(.tags(.O4)) func `an earlier backup stays when the one of its version is deleted`() throws {
    let site = try siteInUse()
    try upgrader(site, target: 2, keep: 1).upgrade()
    let earlier = site.scratch("backups/app-1-earlier.db")
    try FileManager.default.copyItem(atPath: site.scratch("backups/app-1.db"), toPath: earlier)
    letFilesAge()

    try upgrader(site, keep: 1).upgrade()

    #expect(site.scratch.names("backups") == ["app-1-earlier.db", "app-2.db"])
  }

  @Test func `the directory of the seed is refused`() throws {
    let site = try siteInUse()
    let directory = site.scratch("resources")

    #expect(throws: UpgradeError.path(directory, .holdsSeed)) {
      try upgrader(site, directory: directory).upgrade()
    }
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.O7)) func `a database that lost its version is told from another application's`()
    throws
  {
    let site = try siteInUse()
    try site.place("PRAGMA application_id = 4711;")
    try Shell.run(site.seed, "PRAGMA application_id = 4711;")
    try upgrader(site).upgrade()
    try site.place("PRAGMA application_id = 0; PRAGMA user_version = 0;")

    let fault = fault { _ = try upgrader(site).restore(from: site.scratch("backups"), to: 1) }

    #expect(fault?.kind == "unversioned")
  }

  /// A reader keeps SQLite from writing the log into the database.
  @Test(
    .tags(.promise14),
    arguments: [(false, 4096), (true, 4096), (true, 512), (true, 8192), (false, 65536)])
  func `a backup has the rows that are in the log only`(hasReader: Bool, pageSize: Int) throws {
    let site = try siteInUse()
    try site.place("PRAGMA page_size = \(pageSize); VACUUM; PRAGMA journal_mode = wal;")
    let service = try site.hold(
      "PRAGMA wal_autocheckpoint = 0; INSERT INTO item VALUES (8, 'in the log'); "
        + (hasReader ? "BEGIN; SELECT count(*) FROM item;" : ""),
      end: hasReader ? "COMMIT;" : "SELECT 1;")
    if hasReader {
      try Shell.run(
        site.database, "PRAGMA wal_autocheckpoint = 0; INSERT INTO item VALUES (9, 'later');")
    }

    try upgrader(site).upgrade()
    try site.letGo()
    _ = try service.wait()

    let rows = try Shell.run(
      site.scratch("backups/app-1.db"), "SELECT group_concat(name) FROM item ORDER BY id;")
    #expect(rows == "seeded,mine,in the log" + (hasReader ? ",later" : ""))
    #expect(try Shell.run(site.scratch("backups/app-1.db"), "PRAGMA integrity_check;") == "ok")
    #expect(try site.names().suffix(2) == ["script 2", "script 3"])
  }

  /// A program renames another database to the path, or copies it over the database, after the
  /// upgrade has its lock.
  @Test(.tags(.promise14, .F11), arguments: [false, true])
  func `no backup gets the content of another file`(isInPlace: Bool) throws {
    let site = try Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    try site.scratch.write(try #require(site.scratch.bytes("data/app.db")), to: "backups/app-1.db")
    let sound = site.scratch.bytes("backups/app-1.db")
    let other = try site.scratch.write("", to: "other.db")
    try Shell.run(other, Site.seed + "PRAGMA user_version = 2;")

    let boot = try site.start(
      ["--backup", site.scratch("backups")], rules: "delay 500 call fchmod path .uplift-part")
    try waitUntil { site.scratch.names("backups").contains("app-1.db.uplift-part") }
    if isInPlace {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: site.database))
      try file.write(contentsOf: try #require(site.scratch.bytes("other.db")))
      try file.close()
    } else {
      try #require(rename(other, site.database) == 0)
    }
    let outcome = try boot.wait()

    #expect(outcome.output.hasPrefix("moved\n"))
    #expect(site.scratch.bytes("backups/app-1.db") == sound)
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  /// The directory of backups is new, or an upgrade that was killed has made it.
  @Test(.tags(.promise14, .P6), arguments: [false, true])
  func `the name of their directory is synced before a script is committed`(isThere: Bool) throws {
    let site = try Site()
    try site.place(Site.seed)
    if isThere { try site.scratch.write("", to: "backups/other") }

    _ = try site.boot(["--backup", site.scratch("backups")])

    let calls = site.calls()
    let sync = try #require(calls.firstIndex { $0.name == "fsync" && $0.path == "" })
    let commit = try #require(calls.firstIndex { $0.name == "fdatasync" })
    #expect(sync < commit)
  }
}
