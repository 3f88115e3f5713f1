import Foundation
import TestSupport
import Testing
import Uplift

/// Backups of an old and a new release that boot at the same moment.
extension SharedBackupTests {
  /// The old release has made one, and has ended, before the new one makes its own.
  @Test(.tags(.O4, .promise14)) func `stay if they are made while a new release waits`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)])
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")
    var hasWaited = false

    try upgrader(site, target: 3, keep: 1).upgrade { event in
      guard case .waiting = event, !hasWaited else { return }
      hasWaited = true
      #expect(throws: Never.self) {
        try site.letGo()
        _ = try writer.wait()
        try upgrader(site, target: 2, keep: 1).upgrade()
      }
    }

    #expect(hasWaited)
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
  }

  /// The new release cannot even open the database, and the old one has ended when it can.
  ///
  /// Some file systems have times in whole seconds.
  @Test(.tags(.O4, .promise14), arguments: [false, true])
  func `stay if they are made while a new release waits to begin`(hasSeconds: Bool) throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)])
    let before = try #require(site.scratch.bytes("data/app.db"))
    let old = try site.hold("BEGIN EXCLUSIVE;", end: "PRAGMA user_version = 2; COMMIT;")
    var hasWaited = false

    try upgrader(site, target: 3, keep: 1).upgrade { event in
      guard case .waiting = event, !hasWaited else { return }
      hasWaited = true
      #expect(throws: Never.self) {
        let backup = try site.scratch.write(before, to: "backups/app-1.db")
        if hasSeconds { try setTime(of: backup, to: time(nil)) }
        try site.letGo()
        _ = try old.wait()
      }
    }

    #expect(hasWaited)
    #expect(site.scratch.names("backups") == ["app-1.db", "app-2.db"])
  }

  /// The clock was wrong when they were made.
  @Test(.tags(.O4)) func `are deleted if their time is far in the future`() throws {
    let site = try siteInUse(["2_two.sql": Site.script(2), "3_three.sql": Site.script(3)])
    try upgrader(site, target: 2).upgrade()
    try setTime(of: site.scratch("backups/app-1.db"), to: time(nil) + 86_400)

    try upgrader(site, target: 3, keep: 1).upgrade()

    #expect(site.scratch.names("backups") == ["app-2.db"])
  }

  private func setTime(of file: String, to seconds: Int) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    try #require(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
  }
}
