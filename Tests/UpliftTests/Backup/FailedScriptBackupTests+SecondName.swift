import Foundation
import TestSupport
import Testing
import Uplift

/// The second name of the backup, if the script meets other processes or a disk that fails.
extension FailedScriptBackupTests {
  /// SQLite counts no change if the directory cannot be synced after the commit.
  @Test(.tags(.O4, .promise14), arguments: 1...12)
  func `leaves a second name if the disk fails after a change`(sync: Int) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])

    _ = try site.boot(
      target: 2, ["--backup", site.scratch("backups")], rules: "fail 5 call fdatasync at \(sync)")

    if try Shell.run(site.database, "SELECT count(*) FROM item;") == "0" {
      #expect(site.scratch.names("backups").contains("app-1-earlier.db"))
    }
  }

  /// The script waits because a program has the database open.
  ///
  /// A restore removes the second name meanwhile.
  @Test(.tags(.O4, .promise14)) func `gets its second name again after a wait`() throws {
    let site = try siteInUse([
      "2_two.sql": """
      -- uplift: no-transaction
      DELETE FROM item; PRAGMA journal_mode = DELETE; SELECT nope;
      """
    ])
    try Shell.run(site.database, "PRAGMA journal_mode = WAL;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    let earlier = "backups/app-1-earlier.db"
    var hasWaited = false

    #expect(throws: UpgradeError.self) {
      try upgrader(site).upgrade { event in
        guard case .waiting = event, !hasWaited, site.scratch.bytes(earlier) != nil else { return }
        hasWaited = (try? site.scratch.remove(earlier)) != nil
        try? site.letGo()
        _ = try? service.wait()
      }
    }

    #expect(hasWaited)
    #expect(try Shell.run(site.scratch(earlier), "SELECT count(*) FROM item;") == "2")
  }
}
