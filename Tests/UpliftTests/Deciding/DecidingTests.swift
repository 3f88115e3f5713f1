import Foundation
import TestSupport
import Testing
import Uplift

/// What a database is, told apart before anything is changed.
struct DecidingTests {
  private static let mark = "PRAGMA application_id = 77;"

  private func options(_ choice: Upgrader.IfMissing) -> Upgrader.Options {
    var options = Upgrader.Options()
    options.ifMissing = choice
    return options
  }

  private func refuses(
    _ site: Site, _ choice: Upgrader.IfMissing = .seed, as error: UpgradeError
  ) throws {
    let before = try site.snapshot()

    #expect(throws: error) { try site.upgrade(options: options(choice)) }
    #expect(try site.upgrader(options: options(choice)).status().refusal == error)

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.promise7)) func `what a dump has lost is a version, not an owner`() throws {
    let site = try Site(seed: Site.seed + Self.mark)
    try site.place(try Shell.dump(site.seed))

    try refuses(site, as: .unversioned(path: site.database, seed: 1))
  }

  @Test(.tags(.promise7)) func `a stranger without a version is a stranger`() throws {
    let site = try Site(seed: Site.seed + Self.mark)
    try site.place("CREATE TABLE theirs(a); PRAGMA application_id = 78;")

    try refuses(site, as: .foreign(path: site.database, applicationID: 78, expected: 77))
  }

  @Test(.tags(.promise7, .F1), arguments: [.seed, .empty] as [Upgrader.IfMissing])
  func `an empty database that bears a stranger's mark is a stranger's`(
    choice: Upgrader.IfMissing
  ) throws {
    let site = try Site(
      seed: Site.seed + Self.mark, scripts: ["1.sql": "SELECT 1;", "3.sql": "SELECT 1;"])
    try site.place("PRAGMA application_id = 78;")

    try refuses(site, choice, as: .foreign(path: site.database, applicationID: 78, expected: 77))
  }

  @Test(.tags(.promise7, .F1)) func `a stranger's mark is not lost to a seed that has none`() throws
  {
    let site = try Site()
    try site.place("PRAGMA application_id = 78;")

    try refuses(site, as: .foreign(path: site.database, applicationID: 78, expected: 0))
  }

  @Test(.tags(.promise7, .F22), arguments: ["same", "link", "hard link"])
  func `the seed is not a database of its own`(way: String) throws {
    let site = try Site()
    try site.makeData()
    let database = way == "same" ? site.seed : site.database
    if way == "link" {
      try FileManager.default.createSymbolicLink(
        atPath: site.database, withDestinationPath: site.seed)
    } else if way == "hard link" {
      try FileManager.default.linkItem(atPath: site.seed, toPath: site.database)
    }
    let before = try Snapshot(of: site.scratch("resources"))
    let upgrader = Upgrader(
      database: database, seed: .file(site.seed), migrations: .directory(site.scripts), target: 3)

    #expect(throws: UpgradeError.path(database, .isSeed)) { try upgrader.upgrade() }
    #expect(throws: UpgradeError.path(database, .isSeed)) { try upgrader.status() }

    #expect(try Snapshot(of: site.scratch("resources")) == before)
  }

  @Test(.tags(.F4)) func `a seed whose journal holds nothing is copied`() throws {
    let site = try Site(seed: "PRAGMA journal_mode=persist;" + Site.seed)
    #expect((site.scratch.bytes("resources/app.db-journal")?.count ?? 0) > 0)

    let upgrade = try site.upgrade()

    #expect(upgrade.start == .seeded(1))
  }

  @Test(.tags(.F1), arguments: [false, true])
  func `a seed without tables gives its version to an empty file as well`(hasFile: Bool) throws {
    let site = try Site(
      seed: "PRAGMA user_version = 1;", scripts: ["2.sql": "CREATE TABLE item(id, name);"])
    if hasFile { try site.scratch.write("", to: "data/app.db") }

    let upgrade = try site.upgrade(target: 2)

    #expect(upgrade.start == .seeded(1))
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.F5, .F2)) func `a seed of a later file format is refused`() throws {
    let site = try Site()
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(18..<20, with: [3, 3])
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(
      throws: UpgradeError.seed(file: site.seed, .malformed(words: "a file format of 3 and 3"))
    ) { try site.upgrade() }
  }

  @Test(.tags(.F2)) func `a seed with bytes after its last page is refused`() throws {
    let site = try Site()
    let bytes = try #require(site.scratch.bytes("resources/app.db"))
    try site.scratch.write(bytes + Data(count: 4096), to: "resources/app.db")

    #expect(
      throws: UpgradeError.seed(
        file: site.seed,
        .truncated(bytes: Int64(bytes.count) + 4096, expected: Int64(bytes.count)))
    ) { try site.upgrade() }
  }

  @Test(.tags(.F1)) func `a seed without a mark leaves that of an empty database alone`() throws {
    let site = try Site(
      seed: "PRAGMA user_version = 1;",
      scripts: ["1.sql": "CREATE TABLE t(a);", "3.sql": "SELECT 1;"]
    )
    try site.place("PRAGMA application_id = 78;")

    _ = try site.upgrade(options: options(.empty))

    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "78")
  }

  @Test(.tags(.F15, .promise7)) func `a database made empty beside a seed with a mark is ours`()
    throws
  {
    let site = try Site(
      seed: Site.seed + Self.mark,
      scripts: ["1.sql": "CREATE TABLE item(id, name);", "3.sql": Site.script(3)])

    let upgrade = try site.upgrade(options: options(.empty))
    try site.scratch.write(Site.script(4), to: "resources/scripts/4.sql")
    let next = try site.upgrade(target: 4)

    #expect(upgrade.start == .created)
    #expect(next.start == .existing(3))
    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "77")
  }

  @Test(.tags(.promise7)) func `a seed that changes under the copy is not published`() throws {
    let site = try Site()
    let boot = try site.start(rules: "delay 3000 call flock")
    while !site.calls().contains(where: { $0.name == "mkdir" }) { usleep(200) }

    try boot.whileStopped { _ = try Shell.run(site.seed, "PRAGMA user_version = 9;") }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise3)) func `a seed that is written while it is copied is not published`() throws
  {
    let site = try Site()
    let boot = try site.start(rules: "delay 3000 call fstat path .uplift")
    while !site.calls().contains(where: { $0.name == "copy_file_range" }) { usleep(200) }

    try boot.whileStopped { _ = try Shell.run(site.seed, "UPDATE item SET name = 'later';") }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F4), arguments: ["-wal", "-journal"])
  func `a log beside the file that a seed links to is seen`(suffix: String) throws {
    let site = try Site()
    let real = site.scratch("resources/app-1.2.db")
    try FileManager.default.moveItem(atPath: site.seed, toPath: real)
    try FileManager.default.createSymbolicLink(
      atPath: site.seed, withDestinationPath: "app-1.2.db")
    try site.scratch.write("changes", to: "resources/app-1.2.db" + suffix)

    #expect(throws: UpgradeError.seed(file: site.seed, .journalBeside(real + suffix))) {
      try site.upgrade()
    }

    try site.scratch.remove("resources/app-1.2.db" + suffix)
    #expect(try site.upgrade().start == .seeded(1))
  }

  /// Before SQLite 3.7.0 the header had no page count: the field is not valid for the counter.
  @Test(.tags(.F2)) func `a seed in the format of an old SQLite is copied`() throws {
    let site = try Site(seed: Site.seed + "CREATE TABLE more AS SELECT randomblob(9000) AS bytes;")
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, 0])
    bytes.replaceSubrange(92..<100, with: Data(count: 8))
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(try site.upgrade().start == .seeded(1))
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")

    try site.scratch.write(bytes.dropLast(100), to: "resources/app.db")
    try site.scratch.remove("data")
    #expect(
      throws: UpgradeError.seed(
        file: site.seed,
        .truncated(bytes: Int64(bytes.count) - 100, expected: Int64(bytes.count)))
    ) { try site.upgrade() }
  }

  @Test(.tags(.F2, .F5)) func `a seed without a first page is damaged`() throws {
    let site = try Site()
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(100..<4096, with: Data(count: 3996))
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(
      throws: UpgradeError.seed(file: site.seed, .malformed(words: "a first page of kind 0"))
    ) { try site.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F4), arguments: ["delete", "wal"])
  func `a seed in the program itself is copied byte for byte`(journal: String) throws {
    let site = try Site()
    try Shell.run(site.seed, "PRAGMA journal_mode=\(journal);")
    let bytes = try #require(site.scratch.bytes("resources/app.db"))
    let upgrader = Upgrader(database: site.database, seed: .bytes(Array(bytes)), target: 1)

    let upgrade = try upgrader.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(site.scratch.bytes("data/app.db") == bytes)
  }
}
