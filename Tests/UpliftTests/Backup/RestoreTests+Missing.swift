import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift

/// A backup that is put back while there is no database.
extension RestoreTests {
  /// The option is about a boot, which does not know the backups.
  @Test(.tags(.O9), arguments: [Upgrader.IfMissing.fail, .empty])
  func `makes a database that a boot must not make from the seed`(ifMissing: Upgrader.IfMissing)
    throws
  {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    var options = Upgrader.Options()
    options.ifMissing = ifMissing

    let restore = try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ).restore(from: site.scratch("backups"))

    #expect(restore.version == 1)
    #expect(try site.names() == ["seeded", "mine"])
  }

  /// A service that starts too early makes a database from the seed.
  @Test(.tags(.promise15, .O9), arguments: [true, false], 1...8)
  func `replaces a database that a boot has made meanwhile`(isChecking: Bool, call: Int) throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    let calls = Atomic(0)
    @Sendable func boot() throws {
      guard calls.add(1, ordering: .relaxed).newValue == call else { return }
      try site.upgrader(target: 1).upgrade()
    }
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3
    ) { _ in if isChecking { try boot() } }

    let restore = try upgrader.restore(
      from: site.scratch("backups"),
      isCancelled: {
        if !isChecking { try? boot() }
        return false
      })

    #expect(try site.names() == ["seeded", "mine"])
    if let replaced = restore.replaced {
      #expect(try Shell.run(replaced, "SELECT name FROM item;") == "seeded")
    }
  }

  @Test(.tags(.O9), arguments: [false, true])
  func `puts a backup without tables into an empty database`(hasFile: Bool) throws {
    let site = try Site.upgraded()
    try site.scratch.removeAll("data")
    if hasFile { try site.scratch.write("", to: "data/app.db") }
    try Shell.run(
      try site.scratch.write("", to: "backups/app-0.db"), "CREATE TABLE a(b); DROP TABLE a;")

    #expect(try site.restore(to: 0).version == 0)
  }

  /// The restore waits for the lock of the data directory, and the backup is written over.
  @Test(.tags(.promise15, .O8), arguments: [false, true])
  func `makes a database only from the file that was checked`(hasFile: Bool) throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    if hasFile { try site.scratch.write("", to: "data/app.db") }
    var damaged = try #require(site.scratch.bytes("backups/app-1.db"))
    damaged.replaceSubrange(4096..<8192, with: Data(repeating: 0xee, count: 4096))
    let lock = open(site.scratch("data"), O_RDONLY | O_CLOEXEC)
    try #require(flock(lock, LOCK_EX) == 0)
    var questions = 0

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(database: site.database, target: 3).restore(
        from: site.scratch("backups"),
        isCancelled: {
          questions += 1
          // The check of the backup asks less often.
          if questions == 25 {
            _ = try? site.scratch.write(damaged, to: "backups/app-1.db")
            close(lock)
          }
          return false
        })
    }

    #expect(error?.kind == "backup")
    #expect(site.scratch.bytes("data/app.db") == (hasFile ? Data() : nil))
  }

  /// The other one may be all that is left of the rows that it has.
  ///
  /// After an earlier restore, it may be newer although its version is lower.
  @Test(.tags(.promise14, .O9), arguments: [1, 2] as [Version])
  func `keeps the other backups of a database that is lost`(restored: Version) throws {
    let site = try Site.upgraded()
    try Shell.run(site.database, "PRAGMA user_version = 2;")
    try site.scratch.write(
      try #require(site.scratch.bytes("data/app.db")), to: "backups/app-2.db")
    try site.scratch.remove("data/app.db")
    let other = restored == 1 ? "app-2" : "app-1"

    let restore = try site.restore(to: restored)

    #expect(restore.version == restored)
    #expect(
      site.scratch.names("backups") == (["app-1.db", "app-2.db", "\(other)-replaced.db"]).sorted())
    #expect(
      site.scratch.bytes("backups/\(other)-replaced.db")
        == site.scratch.bytes("backups/\(other).db"))
  }

  private static let obstacle = Mounts.obstacle

  /// Nothing can replace the others there.
  @Test(.tags(.O9), .enabled(if: obstacle == nil, "no mounts here: \(obstacle ?? "")"))
  func `takes one of several backups from a directory that cannot be written`() throws {
    let site = try Site.upgraded()
    try Shell.run(site.database, "PRAGMA user_version = 2;")
    try site.scratch.write(
      try #require(site.scratch.bytes("data/app.db")), to: "backups/app-2.db")
    try site.scratch.remove("data/app.db")

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs none "$place"
      cp '\(site.scratch("backups"))'/* "$place"
      mount -o remount,ro "$place"
      '\(Command.product("uplift").path)' restore --database '\(site.database)' \\
        --migrations "$scripts" --seed "$seed" --backup "$place" --to 1
      """)

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Shell.version(site.database) == 1)
  }

  /// Without hard links, the second name is a backup's only name.
  @Test(.tags(.promise14, .O9)) func `gives no second names before it has the lock`() throws {
    let site = try Site.upgraded()
    let backups = site.scratch.names("backups")
    try Shell.run(
      site.database, "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_master WHERE type = 'table';"
    ).split(separator: "\n").forEach { try Shell.run(site.database, String($0)) }
    try site.scratch.write(
      try #require(site.scratch.bytes("backups/app-1.db")), to: "backups/app-2.db")
    try Shell.run(site.scratch("backups/app-2.db"), "PRAGMA user_version = 2;")
    let service = try site.hold("BEGIN IMMEDIATE;", end: "COMMIT;")

    #expect(throws: UpgradeError.self) { try site.restore(to: 1) }

    #expect(site.scratch.names("backups") == (backups + ["app-2.db"]).sorted())
    try site.letGo()
    _ = try service.wait()
  }

  /// A program drops them in a transaction for which the restore waits.
  @Test(.tags(.promise14, .O9)) func `keeps the other backups if all tables are lost meanwhile`()
    throws
  {
    let site = try Site.upgraded()
    try site.scratch.write(
      try #require(site.scratch.bytes("backups/app-1.db")), to: "backups/app-2.db")
    try Shell.run(site.scratch("backups/app-2.db"), "PRAGMA user_version = 2;")
    let drops = try Shell.run(
      site.database,
      "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_master WHERE type = 'table';")
    let service = try site.hold("BEGIN IMMEDIATE; \(drops)", end: "COMMIT;")
    var options = Upgrader.Options()
    options.patience = .seconds(60)
    let questions = Atomic(0)

    try Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ).restore(
      from: site.scratch("backups"), to: 1,
      isCancelled: {
        if questions.add(1, ordering: .relaxed).newValue == 5 { try? site.letGo() }
        return false
      })

    _ = try service.wait()
    #expect(site.scratch.names("backups").contains("app-2-replaced.db"))
  }

  @Test(.tags(.promise15, .O12))
  func `waits for a script in a database that was made meanwhile`() throws {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    let directory = open(site.scratch("data"), O_RDONLY)
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    let hasBooted = Atomic(false)
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3, options: options
    ) { _ in
      guard !hasBooted.exchange(true, ordering: .relaxed) else { return }
      try site.upgrader(target: 1).upgrade()
      // A program that another test starts has the lock of the upgrade for a moment.
      try waitUntil { flock(directory, LOCK_EX | LOCK_NB) == 0 }
    }

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("backups"))
    }
    // The programs that other tests have started may have the directory open too.
    flock(directory, LOCK_UN)
    close(directory)

    #expect(error?.kind == "busy")
    #expect(try site.names() == ["seeded"])
  }

  /// The mode of a new database would let others read its rows.
  @Test(.tags(.O9)) func `makes a database that is not there, with the mode of the backup`() throws
  {
    let site = try Site.upgraded()
    try site.scratch.remove("data/app.db")
    try site.mode("backups/app-1.db", 0o600)

    let restore = try site.restore()

    #expect(restore.replaced == nil)
    #expect(try site.names() == ["seeded", "mine"])
    #expect(try site.mode("data/app.db") == 0o600)
  }
}
