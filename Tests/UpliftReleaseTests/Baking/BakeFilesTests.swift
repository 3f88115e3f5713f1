import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The files that `bake` writes, and those that it leaves as they are.
struct BakeFilesTests {
  @Test func `keeps the owner and the mode of the file, and the journal mode`() throws {
    let site = try Site.release()
    let owner = geteuid() == 0 ? 65534 : Int(geteuid())
    try Shell.run(site.seed, "PRAGMA journal_mode = WAL;")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o440, .ownerAccountID: owner], ofItemAtPath: site.seed)

    try site.bake()

    let facts = try FileManager.default.attributesOfItem(atPath: site.seed)
    #expect(facts[.posixPermissions] as? Int == 0o440)
    #expect(facts[.ownerAccountID] as? Int == owner)
    #expect(site.scratch.bytes("resources/app.db")?[18..<20] == Data([2, 2]))
    try site.scratch.removeAll("data")
    _ = try site.upgrader().upgrade()
    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == "wal")
  }

  @Test func `replaces the file that a link leads to`() throws {
    let site = try Site.release()
    try site.scratch.move("resources/app.db", to: "elsewhere/real.db")
    try FileManager.default.createSymbolicLink(
      atPath: site.seed, withDestinationPath: site.scratch("elsewhere/real.db"))

    try site.bake()

    #expect(try Shell.version(site.scratch("elsewhere/real.db")) == 3)
    let link = try FileManager.default.attributesOfItem(atPath: site.seed)[.type]
    #expect(link as? FileAttributeType == .typeSymbolicLink)
  }

  /// SQLite would put the pages of another database into the new file.
  @Test(arguments: ["-wal", "-journal"])
  func `writes no database beside a log that has lost its file`(suffix: String) throws {
    let site = try Site.release()
    let before = site.resources
    try site.scratch.write("a log", to: "out.db" + suffix)

    #expect(
      site.failure { $0.output = site.scratch("out.db") }
        == .orphaned(site.scratch("out.db" + suffix)))
    #expect(site.failure { $0.output = ":memory:" } == .address(":memory:"))
    #expect(site.scratch.bytes("out.db") == nil && site.resources == before)
  }

  @Test func `writes a database at any version, and leaves the seed as it is`() throws {
    let site = try Site.release()
    let before = site.resources
    #expect(
      site.failure { $0.output = site.scratch("out/at2.db") }
        == .missingDirectory(site.scratch("out")))
    try site.scratch.removeAll("out")

    let bake = try site.bake(target: 2) { $0.output = site.scratch("out/at2.db") }

    #expect(bake.version == 2)
    #expect(try Shell.version(site.scratch("out/at2.db")) == 2)
    #expect(site.resources == before)
    #expect(
      site.failure(target: 2) { $0.output = site.scratch("out/at2.db") }
        == .taken(site.scratch("out/at2.db")))
    let notShipped = site.failure(target: 7) { $0.output = site.scratch("out/at7.db") }
    #expect(notShipped?.kind == .scripts)
    #expect(notShipped?.description == "there is no script 7, the newest is 3")
    #expect(site.scratch.names("out") == ["at2.db"])
  }

  @Test(.tags(.F6)) func `writes a database that only those may read whom the umask lets`() throws {
    let site = try Site.release()
    let bake = "umask 027; exec '\(Command.product("uplift").path)' \"$@\""

    let outcome = try Command("/bin/sh").run(
      "-c", bake, "sh", "bake", "--seed", site.seed, "--migrations", site.scripts,
      "--output", site.scratch("new.db"))

    #expect(outcome.status == 0)
    #expect(try site.mode("new.db") == 0o640)
  }

  @Test func `only checks, and changes nothing`() throws {
    let site = try Site.release()
    let before = site.resources

    #expect(
      site.failure { $0.isCheck = true }?.message
        == "\"\(site.seed)\" is not what uplift bake would write")
    #expect(site.resources == before)

    try site.bake()
    try site.bake { $0.isCheck = true }
  }

  @Test func `removes what a killed bake has left, and nothing else`() throws {
    let site = try Site.release()
    try site.scratch.write("torso", to: "resources/.app.db.ghjkmnpqrstvwxyz.uplift")
    try site.scratch.write("mine", to: "resources/.app.db.backup.uplift")

    try site.bake()

    #expect(site.scratch.names("resources") == [".app.db.backup.uplift", "app.db", "scripts"])
  }

  @Test func `leaves nothing in the directory of temporary files`() throws {
    let site = try Site.release()
    let outcome = try Command.product("uplift").run(
      "bake", "--seed", site.seed, "--migrations", site.scripts,
      environment: ["SQLITE_TMPDIR": site.scratch.path])

    #expect(outcome.status == 0)
    #expect(site.scratch.names() == ["resources"])
  }
}
