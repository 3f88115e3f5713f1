import Foundation
import TestSupport
import Testing
import Uplift

/// The directory of backups.
@Suite(.tags(.O11)) struct BackupDirectoryTests {
  private func siteInUse() throws -> Site {
    let site = try Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  private func error(_ site: Site, backups: String, target: Version = 3) -> UpgradeError? {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: backups)
    do {
      try site.upgrader(target: target, options: options).upgrade()
      return nil
    } catch {
      return error
    }
  }

  @Test func `may be behind a link, and a new one`() throws {
    let site = try siteInUse()
    try site.scratch.write("", to: "real/keep")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("link"), withDestinationPath: "real")

    #expect(error(site, backups: site.scratch("link"), target: 2) == nil)
    #expect(error(site, backups: site.scratch("new//"), target: 3) == nil)

    #expect(site.backups("real") == ["app-0001-v1.db", "keep"])
    #expect(site.backups("new") == ["app-0001-v2.db"])
  }

  /// Nobody can read the rows in a backup who cannot reach them in the database.
  @Test(.tags(.O18), arguments: [0o700, 0o755])
  func `has the mode and the owner of the directory of the database`(mode: Int) throws {
    let site = try siteInUse()
    try site.mode("data", mode)
    if geteuid() == 0 { chown(site.scratch("data"), 65534, 65534) }

    #expect(error(site, backups: site.scratch("backups")) == nil)

    let facts = try FileManager.default.attributesOfItem(atPath: site.scratch("backups"))
    #expect(facts[.posixPermissions] as? Int == mode)
    #expect(facts[.ownerAccountID] as? Int == (geteuid() == 0 ? 65534 : Int(geteuid())))
  }

  @Test(.tags(.O18)) func `has backups with the mode and the owner of the database`() throws {
    let site = try siteInUse()
    try site.mode("data/app.db", 0o640)
    if geteuid() == 0 { chown(site.database, 65534, 65534) }

    #expect(error(site, backups: site.scratch("backups")) == nil)

    let facts = try FileManager.default.attributesOfItem(atPath: site.backup("0001-v1"))
    #expect(facts[.posixPermissions] as? Int == 0o640)
    #expect(facts[.ownerAccountID] as? Int == (geteuid() == 0 ? 65534 : Int(geteuid())))
  }

  /// Otherwise the mistake would show at the first release that has a script.
  @Test(.tags(.promise2), arguments: [1, 3])
  func `is refused at each boot if it cannot be used`(target: Version) throws {
    let site = try siteInUse()
    try site.scratch.write("", to: "file")
    for (name, target) in [("dangling", "nowhere"), ("link", "data")] {
      try FileManager.default.createSymbolicLink(
        atPath: site.scratch(name), withDestinationPath: target)
    }
    let before = site.scratch.bytes("data/app.db")

    let wrong = [
      ("file", "is not a directory"), ("dangling", "is not a directory"),
      ("data", "holds the database"), ("data/", "holds the database"),
      ("link", "holds the database"), ("resources", "holds the seed"),
      ("resources/scripts", "holds the scripts"),
    ]
    for (name, problem) in wrong {
      let path = site.scratch(name)
      let error = error(site, backups: path, target: target)
      #expect(error?.says(.path, "\"\(path)\" \(problem)") == true)
    }
    let nowhere = site.scratch("not/there")
    let missing = error(site, backups: nowhere, target: target)
    let below = error(site, backups: site.scratch("file/below"), target: target)

    let words = "the directory of backups \"\(nowhere)\" cannot be made"
    #expect(missing?.says(.missing, words) == true && missing?.exitCode == 66)
    #expect(below?.exitCode == 64)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  @Test(arguments: ["data", "./data/"])
  func `is refused if it will be that of the database`(directory: String) throws {
    let site = try Site()

    let outcome = try Command.product("uplift").run(
      arguments: [
        "up", "--database", "data/app.db", "--seed", site.seed, "--migrations", site.scripts,
        "--backup", directory,
      ], in: site.scratch.path)

    #expect(outcome.status == 64)
    #expect(!site.scratch.names().contains("data"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be another user"), arguments: [1, 3])
  func `is refused at each boot if nobody may write it`(target: Int) throws {
    let site = try siteInUse()
    try site.mode("data", 0o777)
    try site.mode("data/app.db", 0o666)
    try site.scratch.write("", to: "backups/keep")
    try site.mode("backups", 0o755)

    let there = try site.boot(
      target: target, ["--backup", site.scratch("backups")] + Site.unprivileged)
    let new = try site.boot(
      target: target, ["--backup", site.scratch("backups/new")] + Site.unprivileged)

    for outcome in [there, new] {
      #expect("\(outcome)".contains("no right to make files in it"), "\(outcome)")
    }
    #expect(try Shell.version(site.database) == 1)
  }

  /// SQLite could not open a backup in it.
  @Test func `needs a path that SQLite can open`() throws {
    let site = try siteInUse()
    let long = Array(repeating: String(repeating: "d", count: 90), count: 5).joined(separator: "/")
    try site.scratch.write("", to: long + "/mine")

    let error = error(site, backups: site.scratch(long))

    #expect(error?.description.hasSuffix(" bytes long, SQLite takes 504") == true)
    #expect(error?.exitCode == 64)
    #expect(site.scratch.names(long) == ["mine"])
    #expect(try Shell.version(site.database) == 1)
  }

  @Test func `needs a name of the database that leaves room for a number`() throws {
    let site = try Site()
    let name = "data/" + String(repeating: "x", count: 230) + ".db"
    try site.scratch.write("", to: name)
    try Shell.run(site.scratch(name), Site.seed)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.scratch(name), seed: .file(site.seed),
        migrations: .directory(site.scripts), target: 3, options: options
      ).upgrade()
    }

    #expect(error == .nameTooLong(site.scratch(name)))
    #expect(try Shell.version(site.scratch(name)) == 1)
  }
}
