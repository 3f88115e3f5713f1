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
    try occupy(site, "backups/app-1-earlier.db", by: occupant)
    let before = try number(of: earlier)
    let names = site.scratch.names("backups")

    try fail(site, 2)

    #expect(try Shell.run(site.database, "SELECT count(*) FROM item;") == "2")
    #expect(try number(of: earlier) == before)
    // No copy is made for nothing, and no older one is replaced.
    #expect(site.scratch.names("backups") == names)
  }

  private func occupy(_ site: Site, _ name: String, by occupant: Occupant) throws {
    switch occupant {
    case .link:
      try site.scratch.write("", to: "backups/notes")
      try #require(symlink("no archive.db", site.scratch(name)) == 0)
    case .directory: try site.scratch.write("", to: name + "/notes")
    case .database, .application, .journal:
      try site.scratch.write("", to: name)
      let version = occupant == .database ? 7 : 1
      let application = occupant == .application ? 7 : 0
      try Shell.run(
        site.scratch(name),
        """
        PRAGMA user_version = \(version); PRAGMA application_id = \(application);
        CREATE TABLE other(a);
        """)
    }
    if occupant == .journal { try site.scratch.write("pages", to: name + "-journal") }
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

  /// The files are not Uplift's, and the backup beside them is the only one of its version.
  @Test(.tags(.promise14), arguments: [Occupant.link, .directory, .database])
  func `a restore of an older backup leaves another file that has the second name`(
    occupant: Occupant
  ) throws {
    let site = try siteInUse(["2_two.sql": "CREATE TABLE two(a);"])
    try upgrader(site).upgrade()
    try site.ship("3_three.sql", "CREATE TABLE three(a);")
    try upgrader(site, target: 3).upgrade()
    try occupy(site, "backups/app-2-earlier.db", by: occupant)
    let before = site.scratch.names("backups")

    _ = try site.restore(to: 1)
    #expect(site.scratch.names("backups").filter { !$0.contains("replaced") } == before)
    if occupant == .link {
      // It may lead to an earlier backup, in an archive that is not mounted.
      #expect(throws: UpgradeError.self) { try site.restore(to: 2) }
    } else {
      #expect(try site.restore(to: 2).version == 2)
    }
  }

  @Test(.tags(.promise14), arguments: [Occupant.link, .directory, .database])
  func `a database that is lost leaves another file that has the second name`(
    occupant: Occupant
  ) throws {
    let site = try siteInUse(["2_two.sql": "CREATE TABLE two(a);"])
    try occupy(site, "backups/app-1-earlier.db", by: occupant)
    let before = site.scratch.names("backups")
    try site.scratch.remove("data/app.db")

    try upgrader(site, target: 1).upgrade()

    #expect(site.scratch.names("backups") == before)
  }
}
