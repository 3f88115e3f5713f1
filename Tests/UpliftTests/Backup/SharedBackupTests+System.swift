import Foundation
import TestSupport
import Testing
import Uplift

/// What the system and other users do to the files.
extension SharedBackupTests {
  /// Who can read a file can lock it, and a partial file that is locked is waited for.
  @Test(.tags(.P12), arguments: [(0o644, 0o600), (0o664, 0o660), (0o600, 0o600)])
  func `can be locked by nobody who only reads the database`(mode: Int, expected: Int) throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try site.mode("data/app.db", mode)
    let backup = ["--backup", site.scratch("backups")]

    _ = try site.boot(target: 2, backup, rules: "kill call fsync path app-1.db.uplift-part")
    let partial = try site.mode("backups/app-1.db.uplift-part")
    _ = try site.boot(target: 2, backup)

    #expect(partial == expected)
    #expect(site.scratch.names("backups") == ["app-1.db"])
    #expect(try site.mode("backups/app-1.db") == mode)
  }

  /// In WAL mode beside a reader, SQLite opens the partial file by its name.
  @Test(.tags(.promise2, .F12)) func `are not written through a link`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2)])
    try site.place("PRAGMA journal_mode = wal;")
    let service = try site.hold(
      "PRAGMA wal_autocheckpoint = 0; INSERT INTO item VALUES (8, 'in the log'); "
        + "BEGIN; SELECT count(*) FROM item;", end: "COMMIT;")
    try Shell.run(
      site.database, "PRAGMA wal_autocheckpoint = 0; INSERT INTO item VALUES (9, 'later');")
    let victim = try site.scratch.write("", to: "victim.db")
    try Shell.run(victim, "CREATE TABLE precious(a);")
    let before = site.scratch.bytes("victim.db")
    let partial = site.scratch("backups/app-1.db.uplift-part")

    let boot = try site.start(
      target: 2, ["--backup", site.scratch("backups")],
      rules: "delay 3000 call fdatasync path app.db-wal")
    try waitUntil {
      site.calls().count { $0.name == "open" && $0.path.hasSuffix("app-1.db.uplift-part") } >= 2
        || !boot.isRunning
    }
    // The log is about to be written into the database. SQLite has not opened the partial file yet.
    usleep(100_000)
    try FileManager.default.removeItem(atPath: partial)
    try FileManager.default.createSymbolicLink(atPath: partial, withDestinationPath: victim)
    let outcome = try boot.wait()
    try site.letGo()
    _ = try service.wait()

    #expect(outcome.status != 0)
    #expect(outcome.output.contains("app-1.db.uplift-part\" is a link"))
    #expect(site.scratch.bytes("victim.db") == before)
    #expect(try site.names() == ["seeded", "mine", "in the log", "later"])
  }

  #if os(Linux)
    /// NFS locks no file that is open for reading only.
    @Test(.tags(.promise14)) func `are locked on NFS, too`() throws {
      let site = try siteInUse(["2_two.sql": Site.script(2)])
      let backup = site.scratch("backups/app-1.db")
      var modes: [Int32] = []

      try upgrader(site, target: 2).upgrade { event in
        guard case .committed = event else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
          let path = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/" + name)
          guard path == backup, let descriptor = Int32(name) else { continue }
          modes.append(fcntl(descriptor, F_GETFL) & O_ACCMODE)
        }
      }

      #expect(modes == [O_WRONLY])
    }
  #endif
}
