import Foundation
import TestSupport
import Testing
import Uplift

/// The second name of the backup, if another file has it.
extension FailedScriptBackupTests {
  /// What somebody has given the name to.
  enum Occupant: CaseIterable {
    case link, directory, database, application, journal
  }

  /// Otherwise the next backup would replace the rows from before the script.
  @Test(.tags(.O4, .promise14), arguments: Occupant.allCases)
  func `the script does not run if another file has the second name`(occupant: Occupant) throws {
    let site = try siteInUse(["2_two.sql": Self.failing])
    let earlier = site.scratch("backups/app-1-earlier.db")
    switch occupant {
    case .link:
      try site.scratch.write("", to: "backups/notes")
      try #require(symlink("no archive.db", earlier) == 0)
    case .directory: try site.scratch.write("", to: "backups/app-1-earlier.db/notes")
    case .database, .application, .journal:
      try site.scratch.write("", to: "backups/app-1-earlier.db")
      let version = occupant == .database ? 7 : 1
      let application = occupant == .application ? 7 : 0
      try Shell.run(
        earlier,
        """
        PRAGMA user_version = \(version); PRAGMA application_id = \(application);
        CREATE TABLE other(a);
        """)
    }
    if occupant == .journal {
      try site.scratch.write("pages", to: "backups/app-1-earlier.db-journal")
    }
    let before = try number(of: earlier)

    try fail(site, 2)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "2")
    #expect(try number(of: earlier) == before)
  }

  private func number(of file: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
  }

  @Test(.tags(.O4, .promise14)) func `a file that is no database does not keep the second name`()
    throws
  {
    let site = try siteInUse(["2_two.sql": Self.failing])
    try site.scratch.write("notes", to: "backups/app-1-earlier.db")

    try fail(site, 2)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "0")
    let earlier = site.scratch("backups/app-1-earlier.db")
    #expect(try Shell.run(earlier, "SELECT count(*) FROM item;") == "2")
    #expect(site.scratch.bytes("backups/app-1-replaced.db") == Data("notes".utf8))
  }
}
