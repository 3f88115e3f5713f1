import CUpliftSQLite
import Foundation
import TestSupport
import Uplift
import UpliftSQLite
import UpliftSystem

extension ErrorKindsTests {
  private static let shipSeed = "ship the seed again, as a whole SQLite database"
  private static let otherDirectory = "name a directory that is used for nothing else"

  /// The scripts, the seed and what the program adds.
  static let release: [Situation] = [
    // A String of Swift cannot hold such a name, so the shell makes the file.
    Situation(
      "a script whose name is not UTF-8",
      """
      scripts (65)
      "2_caf\u{fffd}.sql": the name is not UTF-8
      rename it in UTF-8
      """
    ) { site in
      _ = try Command("/bin/sh").run(
        "-c", "echo 'SELECT 1;' > \"$(printf '2_caf\\351.sql')\"", in: site.scripts)
      try site.upgrader().upgrade()
    },
    Situation(
      "a script that fails",
      """
      failed (1)
      3_three.sql:1:8: near "TABEL": syntax error (SQLITE_ERROR, 1); the database is at 2
        CREATE TABEL t(a);
               ^
      correct the script, then start again; nothing of it was kept
      """, reached: 2
    ) { site in
      try site.ship("3_three.sql", "CREATE TABEL t(a);")
      try site.upgrader().upgrade()
    },
    seed("is empty", ""),
    seed("is text, not a database", "<html>"),
    seed("is a gzip file, not a database", "\u{1f}\u{8b}"),
    seed(
      "is a pointer of Git LFS, not a database", "version https://git-lfs",
      fix: "run git lfs pull before the seed is packed"),
    seed("is not a database", String(repeating: "\u{7f}", count: 512)),
    Situation(
      "a seed that is cut short",
      """
      seed (65)
      the seed "resources/app.db" has 4096 bytes, not 8192
      \(shipSeed)
      """
    ) { site in
      let whole = site.scratch.bytes("resources/app.db") ?? Data()
      try site.scratch.write(whole.prefix(4096), to: "resources/app.db")
      try site.upgrader().upgrade()
    },
    Situation(
      "a seed with a wrong header",
      """
      seed (65)
      the seed "resources/app.db" is damaged: a page size of 3
      \(shipSeed)
      """
    ) { site in
      var bytes = site.scratch.bytes("resources/app.db") ?? Data()
      bytes.replaceSubrange(16..<18, with: [0, 3])
      try site.scratch.write(bytes, to: "resources/app.db")
      try site.upgrader().upgrade()
    },
    Situation(
      "a seed that a program has open",
      """
      seed (65)
      the seed "resources/app.db" has changes outside it, in "resources/app.db-wal"
      close the program that has the seed open, or VACUUM INTO a new seed
      """
    ) { site in
      try site.scratch.write("log", to: "resources/app.db-wal")
      try site.upgrader().upgrade()
    },
    Situation(
      "a seed that is no file",
      """
      seed (65)
      the seed "resources" is not a file
      \(shipSeed)
      """
    ) { site in
      try Upgrader(database: site.database, seed: .file(site.scratch("resources"))).upgrade()
    },
    Situation(
      "a seed in another encoding",
      """
      seed (65)
      the seed "resources/app.db" is in UTF-16le and the database in UTF-8: a script cannot read both
      make the seed again in the encoding of the databases in use
      """
    ) { site in
      try site.place(Site.seed)
      try site.ship(seed: "PRAGMA encoding = 'UTF-16le';\(Site.seed)PRAGMA user_version = 2;")
      try site.ship("2_two.sql", "-- uplift: reads-seed\nDELETE FROM main.item;")
      try site.upgrader(target: 2).upgrade()
    },
    Situation(
      "a seed that changes while it is read",
      """
      seed (65)
      the seed "resources/app.db" changed while it was read
      start again when the deployment is complete
      """
    ) { throw UpgradeError.changedSeed($0.seed) },
    Situation(
      "a seed above the target",
      """
      seed (65)
      the seed is at 4, the target is 3
      raise the target, or ship a seed that is not above it
      """
    ) { site in
      try site.ship(seed: Site.seed + "PRAGMA user_version = 4;")
      try site.upgrader().upgrade()
    },
    Situation(
      "a program that cannot prepare the database",
      """
      preparation (65)
      prepare failed: no licence; the database is at 1
      correct prepare: it adds collations, functions and modules, and writes nothing
      """, reached: 1
    ) { site in
      try site.place(Site.seed)
      try Upgrader(
        database: site.database, migrations: .directory(site.scripts),
        prepare: { _ in throw NoLicence() }
      ).upgrade()
    },
  ]

  /// What is not there.
  static let missing: [Situation] = [
    Situation(
      "no seed",
      """
      missing (66)
      the seed "nosuch.db" is not there
      ship the seed, or correct its path
      """
    ) { site in
      try Upgrader(database: site.database, seed: .file(site.scratch("nosuch.db"))).upgrade()
    },
    Situation(
      "no scripts",
      """
      missing (66)
      the directory of scripts "nosuch" is not there
      ship the scripts, or correct the path
      """
    ) { site in
      try Upgrader(
        database: site.database, migrations: .directory(site.scratch("nosuch"))
      ).upgrade()
    },
    Situation(
      "no database, which must be there",
      """
      missing (66)
      the database "data/app.db" is not there
      mount the volume or restore the database, then start again
      """
    ) { site in
      var options = Upgrader.Options()
      options.ifMissing = .fail
      try site.upgrader(options: options).upgrade()
    },
    Situation(
      "a link that leads nowhere",
      """
      missing (66)
      "data/app.db" links to "nowhere", which is not there
      mount or restore the file that it links to, or remove the link
      """
    ) { try $0.link(to: "nowhere") },
    Situation(
      "a link that leads to itself",
      """
      missing (66)
      "data/app.db" is a link that leads back to itself
      make the link lead to a file
      """
    ) { try $0.link(to: "app.db") },
    Situation(
      "no directory above that of the backups",
      """
      missing (66)
      the directory of backups "not/there" cannot be made, because the directory above it is not there
      make the directory above it, or correct the path
      """
    ) { try $0.backUp(to: "not/there") },
  ]

  /// Paths that cannot be used.
  static let paths: [Situation] = [
    path("", "is an empty path", "name a file"),
    path("a\0b", "has a zero byte", "name a file"),
    path(
      ":memory:", "is an address, not a path",
      "name a file; if it really has this name, write ./:memory:"),
    path("/tmp", "is a directory, not a database", "name a file"),
    path("/dev/null", "is not a file", "name a file"),
    path(
      "/dev/null/app.db", "lies in \"/dev/null\", which is not a directory",
      "correct the path: each part before the last is a directory"),
    path(
      "/tmp/y" + String(repeating: "/x", count: 249) + "x", "is 505 bytes long, SQLite takes 504",
      "use a shorter path"),
    path(
      "/tmp/" + String(repeating: "x", count: 256),
      "has a name that is longer than the file system takes", "use a shorter name"),
    Situation(
      "the seed itself",
      """
      path (64)
      "resources/app.db" is the seed itself
      name another data directory: the seed is copied and never changed
      """
    ) { try Upgrader(database: $0.seed, seed: .file($0.seed)).upgrade() },
    Situation(
      "a directory in the place of the journal",
      """
      path (64)
      "data/app.db" has a directory where SQLite puts its journal or its log
      move away the directory whose name ends in -journal, -wal or -shm
      """
    ) { site in
      try site.place(Site.seed)
      try site.scratch.write("", to: "data/app.db-journal/file")
      try site.upgrader().upgrade()
    },
    directory("resources", "holds the seed, so no other database may lie there"),
    directory("resources/scripts", "holds the scripts, so no database may lie there"),
    directory("data", "holds the database, so it cannot hold its backups"),
    directory("resources/app.db", "is not a directory"),
  ]

  /// The machine, and other processes.
  static let machine: [Situation] = [
    Situation(
      "a disk that is full",
      """
      disk (74)
      "data/app.db": database or disk is full
      look at the disk and its free space, then start again
      """
    ) { throw UpgradeError.disk($0.database, "database or disk is full") },
    Situation(
      "a database that another process holds",
      """
      busy (75)
      "data/app.db" stayed busy; the database is at 1
      find the program that holds the database, then start again or wait for longer
      """, reached: 1
    ) { site in
      try site.place(Site.seed)
      let other = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")
      defer { _ = try? other.wait() }
      defer { _ = try? site.letGo() }
      var options = Upgrader.Options()
      options.patience = .milliseconds(50)
      try site.upgrader(options: options).upgrade()
    },
    // Root may read and write everything.
    Situation(
      "a file that may not be written",
      """
      denied (77)
      "data/app.db": Permission denied
      give the service the right to write it, and to write the directory that it lies in
      """
    ) { throw UpgradeError.denied($0.database, "Permission denied") },
    Situation(
      "a file system that can only be read",
      """
      denied (77)
      "data/app.db" has to be written and is read-only
      give the service the right to write it, and to write the directory that it lies in
      """
    ) { throw UpgradeError.readOnly($0.database) },
    Situation(
      "a seed that may not be read",
      """
      denied (77)
      "resources/app.db": Permission denied
      give the service the right to read it, and to search the directories above it
      """
    ) { throw UpgradeError.unreadable($0.seed, "Permission denied") },
    Situation(
      "too many open files",
      """
      tooManyFiles (75)
      "data/app.db": Too many open files
      raise the limit of open files (ulimit -n, LimitNOFILE=), then start again
      """
    ) { throw UpgradeError.tooManyFiles($0.database, "Too many open files") },
    Situation(
      "an error of SQLite that no other kind describes",
      """
      sqlite (74)
      "data/app.db": out of memory (7)
      look the code up at sqlite.org/rescode.html
      """
    ) { site in
      throw UpgradeError(SQLiteError(code: .noMemory, message: "out of memory"), at: site.database)
    },
    Situation(
      "an upgrade that is asked to stop at once",
      """
      cancelled (143)
      cancelled before the version of the database was known
      start again to continue
      """
    ) { site in
      try site.upgrader().upgrade(isCancelled: { true })
    },
    Situation(
      "an upgrade that is asked to stop",
      """
      cancelled (143)
      cancelled; the database is at 2
      start again to continue
      """, reached: 2
    ) { site in
      var options = Upgrader.Options()
      options.commitInterval = .zero
      try site.place(Site.seed)
      var isCancelled = false
      try site.upgrader(options: options).upgrade(isCancelled: { isCancelled }) { event in
        if case .started(let script) = event { isCancelled = script.version == 3 }
      }
    },
  ]

  /// Databases that Uplift must not change.
  static let databases: [Situation] = [
    Situation(
      "a database of a newer program",
      """
      newer (76)
      the database is at 4, newer than the target 3
      start the newer program, or restore a copy of the database from before its upgrade
      """, reached: 4
    ) { try $0.upgrade(on: Site.seed + "PRAGMA user_version = 4;") },
    Situation(
      "a database from before the floor",
      """
      tooOld (76)
      the database is at 1, and the scripts begin after 2
      start a release that has the scripts up to 2 first, then this one
      """, reached: 1
    ) { site in
      try site.scratch.remove("resources/scripts/2_two.sql")
      try site.ship("3_three.sql", "-- uplift: from 2\nSELECT 3;")
      try Shell.run(site.seed, "PRAGMA user_version = 3")
      try site.upgrade(on: Site.seed)
    },
    Situation(
      "a script that repeats for ever",
      """
      endless (1)
      2_two.sql:2:1: the statement changes rows again and again, so the script would never end; the database is at 1
        UPDATE item SET name = name;
        ^
      its WHERE must leave out the rows that are done; the passes so far are kept
      """, reached: 1
    ) { site in
      try site.ship("2_two.sql", "-- uplift: repeat\nUPDATE item SET name = name;")
      try site.upgrade(on: Site.seed)
    },
    Situation(
      "a number that is no version",
      """
      unversioned (78)
      the database is at -1, which is not a version
      find out who set user_version, and set it to the right number
      """
    ) { try $0.upgrade(on: Site.seed + "PRAGMA user_version = -1;") },
    Situation(
      "a database that has lost its version",
      """
      unversioned (78)
      "data/app.db" has tables but no version, the seed is at 1
      uplift adopt finds out the version, which .dump and .clone do not copy
      """
    ) { try $0.upgrade(on: Site.seed + "PRAGMA user_version = 0;") },
    Situation(
      "a database of another application",
      """
      foreign (78)
      "data/app.db" belongs to application 78, not 77
      correct the path, or the seed's application_id
      """
    ) { try $0.upgrade(on: Site.seed + "PRAGMA application_id = 78;", seedID: 77) },
    Situation(
      "a database of no application",
      """
      foreign (78)
      "data/app.db" belongs to application 0, not 77
      if it is the right database, set PRAGMA application_id = 77 in it
      """
    ) { try $0.upgrade(on: Site.seed, seedID: 77) },
    damaged("is not a database: it has 100 bytes") { $0.prefix(100) },
    damaged("is not a database") { Data(repeating: 0x7f, count: $0.count) },
    damaged("is damaged: database disk image is malformed") {
      $0.prefix(100) + Data(repeating: 0xff, count: $0.count - 100)
    },
    Situation(
      "a schema that SQLite cannot read",
      """
      damaged (78)
      "data/app.db" is damaged: malformed database schema (item) - near ")": syntax error
      if a newer SQLite than SQLITE has made it, use that one; otherwise \(replace)
      """
    ) { site in
      try site.upgrade(
        on: Site.seed
          + "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE item(a)) NEW';"
      )
    },
    Situation(
      "a log without its database",
      """
      orphaned (78)
      "data/app.db-wal" is there without its database
      restore the database beside it; or, if nobody needs the journal's changes any more: \
      mv "data/app.db-wal" "data/app.db-wal.orphaned"
      """
    ) { site in
      try site.scratch.write("log", to: "data/app.db-wal")
      try site.upgrader().upgrade()
    },
    Situation(
      "a database that another process replaces",
      """
      moved (78)
      "data/app.db" was replaced while it was open at 1
      stop the process that replaced the file, then start again
      """
    ) { site in
      try site.place(Site.seed)
      try site.upgrader().upgrade { event in
        if case .started = event { rename(site.seed, site.database) }
      }
    },
  ]

  /// Backups that cannot be put back.
  static let backups: [Situation] = [
    Situation(
      "no backup",
      """
      missing (66)
      the directory of backups "backups" is not there
      name the directory to which upgrades copy the database
      """
    ) { site in
      try site.place(Site.seed)
      _ = try site.restore()
    },
    Situation(
      "a backup above the target",
      """
      newer (76)
      "backups/app-1f3a9c02-0001-v3.db" is above the target 2
      choose a lower version with to: or --to, or start the newer program
      """
    ) { try $0.restore("0001-v3", Site.seed + "PRAGMA user_version = 3;") },
    Situation(
      "a backup that is not what its name says",
      """
      damaged (78)
      "backups/app-1f3a9c02-0001-v1.db" is damaged: it holds a database at 2
      choose another backup with --to or --from; the database is as it was
      """
    ) { try $0.restore("0001-v1", Site.seed + "PRAGMA user_version = 2;") },
    Situation(
      "the database as its own backup",
      """
      path (64)
      "data/app.db" is the database itself
      name a backup of it
      """
    ) { site in
      try site.place(Site.seed)
      _ = try site.restore(from: site.database)
    },
    Situation(
      "a restore while a program has the database open",
      """
      busy (75)
      "data/app.db" is in use, and a restore needs it to itself
      stop the service, then run this again
      """
    ) { site in
      try site.place(Site.seed)
      let other = try site.hold("BEGIN; SELECT * FROM item;", end: "ROLLBACK;")
      defer { _ = try? other.wait() }
      defer { _ = try? site.letGo() }
      try site.restore("0001-v1", Site.seed)
    },
  ]

  private struct NoLicence: Error, CustomStringConvertible {
    var description: String { "no licence" }
  }

  private static let replace =
    "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
    + "or run uplift restore if there is a backup"

  /// A seed with this text in its file.
  private static func seed(_ problem: String, _ text: String, fix: String = shipSeed) -> Situation {
    Situation(
      "a seed that \(problem)",
      """
      seed (65)
      the seed "resources/app.db" \(problem)
      \(fix)
      """
    ) { site in
      try site.scratch.write(text.latin1, to: "resources/app.db")
      try site.upgrader().upgrade()
    }
  }

  /// A database at this path.
  private static func path(_ path: String, _ problem: String, _ fix: String) -> Situation {
    Situation(
      "a path that \(problem)",
      """
      path (64)
      "\(path)" \(problem)
      \(fix)
      """
    ) { try Upgrader(database: path, seed: .file($0.seed)).upgrade() }
  }

  /// Backups in this directory.
  private static func directory(_ name: String, _ problem: String) -> Situation {
    Situation(
      "a directory that \(problem)",
      """
      path (64)
      "\(name)" \(problem)
      \(otherDirectory)
      """
    ) { try $0.backUp(to: name) }
  }

  /// A database whose bytes are changed.
  private static func damaged(
    _ problem: String, _ change: @escaping @Sendable (Data) -> Data
  ) -> Situation {
    Situation(
      "a database that \(problem)",
      """
      damaged (78)
      "data/app.db" \(problem)
      \(replace)
      """
    ) { site in
      try site.place(Site.seed)
      try site.scratch.write(
        change(site.scratch.bytes("data/app.db") ?? Data()), to: "data/app.db")
      try site.upgrader().upgrade()
    }
  }
}

extension Site {
  /// Upgrades a database that is made by SQL; `seedID` is the seed's `application_id`.
  fileprivate func upgrade(on sql: String, seedID: Int = 0) throws {
    try Shell.run(seed, "PRAGMA application_id = \(seedID);")
    try place(sql)
    try upgrader().upgrade()
  }

  /// Upgrades a database that is a link.
  fileprivate func link(to target: String) throws {
    try makeData()
    try FileManager.default.createSymbolicLink(
      atPath: database, withDestinationPath: target)
    try upgrader().upgrade()
  }

  /// Upgrades with a directory for backups.
  fileprivate func backUp(to directory: String) throws {
    try place(Site.seed)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: scratch(directory))
    try upgrader(options: options).upgrade()
  }

  /// Restores a backup that is made by SQL; the target is 2.
  fileprivate func restore(_ name: String, _ sql: String) throws {
    if scratch.bytes("data/app.db") == nil { try place(Site.seed) }
    try placeBackup(name, sql)
    _ = try restore(target: 2)
  }
}
