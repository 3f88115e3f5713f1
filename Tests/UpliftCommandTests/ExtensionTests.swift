import Foundation
import TestSupport
import Testing

/// `--load-extension FILE`, as its users see it.
struct ExtensionTests {
  /// A program whose seed needs the extension, with two scripts.
  private static func service(_ own: SmallExtension) throws -> Service {
    let service = try Service(scripts: [
      "0002_rename.sql": "ALTER TABLE other RENAME COLUMN a TO c;",
      "0003_use.sql":
        "INSERT INTO item(name) SELECT 'Row ' || n FROM digits WHERE slug('A B') = 'a-b';",
    ])
    try service.scratch.remove("Resources/app.db")
    try Shell.run(
      service.scratch("Resources/app.db"), ".load \(own.path)\n" + SmallExtension.schema)
    return service
  }

  @Test func `runs scripts on tables that need an extension`() throws {
    let own = try SmallExtension()
    let service = try Self.service(own)

    let without = try service.uplift()
    let with = try service.uplift("up", "--load-extension", own.path)
    let current = try service.uplift("up", "--load-extension", "not-there.so")

    #expect(without.status == 1)
    #expect(
      without.errors.contains("error in index item_name: no such collation sequence: SHELVED"))
    #expect(without.errors.contains("--load-extension"))
    #expect(
      with
        == Outcome(
          status: 0,
          output: "applied 0002_rename.sql\napplied 0003_use.sql\ndata/app.db is at 3\n",
          errors: ""))
    #expect(current == Outcome(status: 0, output: "data/app.db is at 3\n", errors: ""))
    #expect(
      try Shell.run(
        service.database, ".load \(own.path)\nSELECT name FROM item ORDER BY name COLLATE SHELVED;")
        == "one three\nOne Two\nRow 0\nRow 1\nRow 2")
  }

  @Test(
    arguments: [
      ("writes", "error during initialization: attempt to write a readonly database", 65),
      ("fails", "error during initialization: no licence", 65),
      ("text", "file too short", 65),
      ("missing", "is not there", 66),
      ("directory", "is not a file", 64),
    ] as [(String, String, Int32)])
  func `says why an extension cannot be loaded, and runs nothing`(
    kind: String, words: String, status: Int32
  ) throws {
    let service = try Self.service(SmallExtension())
    _ = try service.uplift("up", "--target", "1")
    let before = service.data
    let path = service.scratch("own.so")
    let broken: SmallExtension? =
      switch kind {
      case "writes": try SmallExtension(.writes)
      case "fails": try SmallExtension(.fails)
      default: nil
      }
    if kind == "text" { try service.scratch.write("text", to: "own.so") }
    if kind == "directory" { try service.scratch.removeAll("own.so") }

    let outcome = try service.uplift("up", "--load-extension", broken?.path ?? path)

    #expect(outcome.status == status)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.errors.contains(".so\""))
    let remedy: [Int32: String] = [
      64: "name a file", 65: "use an extension that is built for this machine and writes nothing; ",
      66: "install the extension, or write its path with its ending, such as .so",
    ]
    #expect(outcome.errors.contains("\n" + (remedy[status] ?? "")), "\(outcome.errors)")
    #expect(service.data == before)
  }

  @Test func `lets an extension change nothing when it is loaded`() throws {
    let own = try SmallExtension(.meddles)
    let service = try Self.service(SmallExtension())
    try service.ship("0004_load.sql", "SELECT load_extension('\(own.path)');")

    let outcome = try service.uplift("up", "--load-extension", own.path)

    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("not authorized"))
    let facts = try Shell.run(
      service.database,
      "SELECT count(*) FROM item NOT INDEXED; PRAGMA user_version; PRAGMA application_id;"
        + "PRAGMA journal_mode; SELECT name FROM sqlite_master WHERE name = 'planted';")
    #expect(facts == "5\n3\n0\ndelete")
    #expect(!service.scratch.names().contains("attached.db"))
  }

  @Test func `loads an extension by a bare name, and several`() throws {
    let own = try SmallExtension()
    let service = try Self.service(own)
    try FileManager.default.copyItem(atPath: own.path, toPath: service.scratch("small"))

    let outcome = try service.uplift(
      "up", "--load-extension", "small", "--load-extension", own.path)

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try Shell.version(service.database) == 3)
  }

  @Test func `checks, bakes and restores with an extension`() throws {
    let own = try SmallExtension()
    let service = try Self.service(own)
    let option = ["--load-extension", own.path]
    _ = try service.uplift(["up", "--target", "1"] + option)

    let blind = try service.uplift(["check"])
    let check = try service.uplift(["check"] + option)
    let up = try service.uplift(["up", "--backup", "old"] + option)
    let blindRestore = try service.uplift(["restore", "--backup", "old"])
    let restore = try service.uplift(["restore", "--backup", "old"] + option)
    let blindBake = try service.uplift(["bake"])
    let bake = try service.uplift(["bake"] + option)
    let same = try service.uplift(["bake", "--check"] + option)
    let release = try service.uplift(["release"] + option)

    #expect(blind.status == 65)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(up.status == 0)
    #expect(blindRestore.status == 0, "a restore needs no extension: \(blindRestore.errors)")
    #expect(restore.output.hasPrefix("restored data/app.db to 1 from "), "\(restore.errors)")
    #expect(blindBake.status != 0)
    #expect(bake.output.hasSuffix("Resources/app.db is now at 3\n"), "\(bake.errors)")
    #expect(same.status == 0, "\(same.errors)")
    #expect(release.output.hasSuffix("3 is released\n"), "\(release.output)\(release.errors)")
  }

  @Test func `a check says what is wrong with an extension, and makes no findings of it`() throws {
    let service = try Self.service(SmallExtension())
    let own = try SmallExtension(.fails)

    let check = try service.uplift("check", "--load-extension", own.path)
    let bake = try service.uplift("bake", "--load-extension", own.path)

    #expect([check.status, bake.status] == [65, 65])
    #expect(check.output == "")
    #expect(check.errors.contains("no licence"))
    #expect(bake.errors.contains("no licence"))
  }
}
