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

  @Test func `keeps the old seed, and replaces no file for it`() throws {
    let site = try Site.release()
    let old = site.scratch.bytes("resources/app.db")

    let bake = try site.bake { $0.archive = site.scratch("old") }

    #expect(bake.archived == site.scratch("old/app-1.db"))
    #expect(site.scratch.bytes("old/app-1.db") == old)
    // Nothing has changed, so nothing is kept.
    #expect(try site.bake { $0.archive = site.scratch("old") }.archived == nil)
    #expect(site.scratch.names("old") == ["app-1.db"])

    let other = try Site.release()
    try other.scratch.write("mine", to: "old/app-1.db")
    let before = other.resources
    #expect(
      other.failure { $0.archive = other.scratch("old") }
        == .taken(other.scratch("old/app-1.db")))
    #expect(other.resources == before)
    #expect(other.scratch.bytes("old/app-1.db") == Data("mine".utf8))
  }

  /// SQLite would put the pages of another database into the new file.
  @Test(arguments: ["-wal", "-journal"])
  func `writes no database beside a log that has lost its file`(suffix: String) throws {
    let site = try Site.release()
    let before = site.resources
    for name in ["old/app-1.db", "out.db"] {
      try site.scratch.write("a log", to: name + suffix)
      #expect(
        site.failure {
          if name == "out.db" { $0.output = site.scratch(name) }
          $0.archive = site.scratch("old")
        } == .orphaned(site.scratch(name + suffix)))
      #expect(site.scratch.bytes(name) == nil && site.resources == before)
      try site.scratch.removeAll("old")
    }
  }

  @Test func `leaves the seed if the schema or the old seed cannot be written`() throws {
    let site = try Site.release()
    let before = site.resources

    #expect(
      site.failure { $0.archive = site.scratch("no/old") }
        == .missingDirectory(site.scratch("no")))
    #expect(site.resources == before)
    // Nobody can make a file there.
    #expect(site.failure { $0.schema = "/proc/schema.sql" } != nil)
    #expect(site.resources == before)
  }

  @Test func `writes the schema into the file that a link leads to`() throws {
    let site = try Site.release()
    try site.scratch.write("", to: "texts/schema.sql")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("schema.sql"), withDestinationPath: site.scratch("texts/schema.sql"))

    try site.bake { $0.schema = site.scratch("schema.sql") }

    #expect(site.scratch.bytes("texts/schema.sql")?.starts(with: Data("PRAGMA".utf8)) == true)
    let link = try FileManager.default.attributesOfItem(atPath: site.scratch("schema.sql"))[.type]
    #expect(link as? FileAttributeType == .typeSymbolicLink)
    #expect(
      site.failure { $0.output = ":memory:" } == .address(":memory:"))
  }

  /// A FIFO stands for a device.
  ///
  /// If this test fails, the file may be replaced, so it must not be `/dev/null`.
  @Test func `leaves a device that is named for the schema`() throws {
    let site = try Site.release()
    let before = site.resources
    let device = site.scratch("device")
    #expect(mkfifo(device, 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("schema.sql"), withDestinationPath: device)

    #expect(site.failure { $0.schema = site.scratch("schema.sql") } == .taken(device))

    #expect(site.resources == before)
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

  @Test func `writes the schema as text`() throws {
    let site = try Site.release()

    #expect(
      site.failure { $0.schema = site.scratch("no/schema.sql") }
        == .missingDirectory(site.scratch("no")))
    #expect(try Shell.version(site.seed) == 1)

    try site.bake { $0.schema = site.scratch("schema.sql") }

    #expect(
      site.scratch.bytes("schema.sql").map { String(decoding: $0, as: UTF8.self) } == """
        PRAGMA user_version = 3;

        CREATE TABLE note(id INTEGER PRIMARY KEY, word INTEGER REFERENCES Word(id), text);

        CREATE INDEX note_word ON note(word);

        CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT, kind TEXT);

        """)
  }

  @Test func `only checks, and changes nothing`() throws {
    let site = try Site.release()
    let before = site.resources

    #expect(
      site.failure { $0.isCheck = true }?.message
        == "\"\(site.seed)\" is not what uplift bake would write")
    #expect(site.resources == before)

    try site.bake { $0.schema = site.scratch("schema.sql") }
    try site.bake {
      $0.isCheck = true
      $0.schema = site.scratch("schema.sql")
    }
    let other = "PRAGMA user_version = 1;\n"
    try site.scratch.write(other, to: "schema.sql")
    #expect(
      site.failure {
        $0.isCheck = true
        $0.schema = site.scratch("schema.sql")
      }?.remedy == "run uplift bake with the same --schema")
    #expect(site.scratch.bytes("schema.sql") == Data(other.utf8))
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
