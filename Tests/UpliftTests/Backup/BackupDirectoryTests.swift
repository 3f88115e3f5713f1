import Foundation
import TestSupport
import Testing
import Uplift

/// The directory of backups, and the files in it that are not ours.
struct BackupDirectoryTests {
  private func siteInUse() throws -> Site {
    let site = try Site()
    try site.place(Site.seed + "INSERT INTO item VALUES (7, 'mine');")
    return site
  }

  private func error(_ site: Site, backups: String) -> UpgradeError? {
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch(backups))
    do {
      try Upgrader(
        database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
        target: 3, options: options
      ).upgrade()
      return nil
    } catch {
      return error
    }
  }

  /// Nobody can read the rows in a backup who cannot reach them in the database.
  @Test(.tags(.O11, .O18), arguments: [0o700, 0o755])
  func `has the mode and the owner of the directory of the database`(mode: Int) throws {
    let site = try siteInUse()
    try site.mode("data", mode)
    if geteuid() == 0 { chown(site.scratch("data"), 65534, 65534) }

    #expect(error(site, backups: "backups") == nil)

    let facts = try FileManager.default.attributesOfItem(atPath: site.scratch("backups"))
    #expect(facts[.posixPermissions] as? Int == mode)
    #expect(facts[.ownerAccountID] as? Int == (geteuid() == 0 ? 65534 : Int(geteuid())))
  }

  @Test(.tags(.O11)) func `must be a directory, and not one of the release`() throws {
    let site = try siteInUse()
    try site.scratch.write("", to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("dangling"), withDestinationPath: "nowhere")
    let before = site.scratch.bytes("data/app.db")

    for name in ["file", "dangling"] {
      #expect(error(site, backups: name) == .path(site.scratch(name), .notADirectory))
    }
    let scripts = "resources/scripts"
    #expect(error(site, backups: scripts) == .path(site.scratch(scripts), .holdsScripts))
    #expect(error(site, backups: "file/below")?.description.hasSuffix("is not a directory") == true)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  /// A backup would replace it.
  @Test(.tags(.O5, .promise2)) func `keeps a database of another version that has the name`() throws
  {
    let site = try siteInUse()
    let path = try site.scratch.write("", to: "backups/app-1.db")
    try Shell.run(path, "CREATE TABLE precious(x); PRAGMA user_version = 7;")
    let bytes = site.scratch.bytes("backups/app-1.db")

    let error = error(site, backups: "backups")

    #expect(error?.description == "\"\(path)\" holds a database at 7")
    #expect(site.scratch.bytes("backups/app-1.db") == bytes)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.O5)) func `keeps what is no file, under the name of a backup or of a part`() throws {
    let site = try siteInUse()
    mkfifo(try site.scratch.write("", to: "fifos/x").dropLast() + "app-1.db", 0o600)
    try site.scratch.write("", to: "directories/app-1.db/keep")
    try site.scratch.write("", to: "parts/app-1.db.uplift-part/keep")

    let fifo = error(site, backups: "fifos")
    let directory = error(site, backups: "directories")
    let part = error(site, backups: "parts")

    #expect(fifo == .path(site.scratch("fifos/app-1.db"), .notAFile))
    #expect(directory == .path(site.scratch("directories/app-1.db"), .isDirectory))
    #expect(part == .path(site.scratch("parts/app-1.db.uplift-part"), .isDirectory))
    #expect(try Shell.version(site.database) == 1)
  }

  /// SQLite could not open a backup in it.
  @Test(.tags(.O11)) func `needs a path that SQLite can open`() throws {
    let site = try siteInUse()
    let long = Array(repeating: String(repeating: "d", count: 90), count: 5).joined(separator: "/")
    try site.scratch.write("", to: long + "/mine")

    let error = error(site, backups: long)

    #expect(
      error?.description.contains("/app-2147483647-replaced_999.db.uplift-part\" is ") == true)
    #expect(error?.description.hasSuffix(" bytes long, SQLite takes 504") == true)
    #expect(error?.exitCode == 64)
    #expect(site.scratch.names(long) == ["mine"])
    #expect(try Shell.version(site.database) == 1)
  }

  /// The longest name is that of the content that a restore replaces.
  @Test func `needs a name of the database that leaves room for a number`() throws {
    let site = try Site()
    let name = String(repeating: "x", count: 240) + ".db"
    try site.scratch.write("", to: "data/" + name)
    try Shell.run(site.scratch("data/" + name), Site.seed)
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("backups"))

    let error = #expect(throws: UpgradeError.self) {
      try Upgrader(
        database: site.scratch("data/" + name), seed: .file(site.seed),
        migrations: .directory(site.scripts), target: 3, options: options
      ).upgrade()
    }

    #expect(error == .path(site.scratch("data/" + name), .nameTooLong))
    #expect(try Shell.version(site.scratch("data/" + name)) == 1)
  }
}
