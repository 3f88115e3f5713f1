import Foundation
import TestSupport
import Testing
import Uplift

/// A seed is copied as it is, or refused.
struct SeedTests {
  @Test(.tags(.F1), arguments: [false, true])
  func `a seed without tables gives its version to an empty file as well`(hasFile: Bool) throws {
    let site = try Site(
      seed: "PRAGMA user_version = 1;", scripts: ["2.sql": "CREATE TABLE item(id, name);"])
    if hasFile { try site.scratch.write("", to: "data/app.db") }

    let upgrade = try site.upgrade(target: 2)

    #expect(upgrade.start == .seeded(1))
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(
    .tags(.F1),
    arguments: ["ANALYZE;", "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE t;"],
    [false, true])
  func `a seed with only SQLite's own tables is empty`(seed: String, hasFile: Bool) throws {
    let site = try Site(seed: seed, scripts: ["1.sql": "CREATE TABLE item(id, name);"])
    if hasFile { try site.scratch.write("", to: "data/app.db") }
    var events = 0

    // If the database were filled again and again, there would be no end.
    let upgrade = try site.upgrader(target: 1).upgrade(
      isCancelled: { events > 10 }, onEvent: { _ in events += 1 })

    #expect(upgrade.end == 1)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.F1), arguments: [false, true])
  func `a seed at version 0 gives its tables to an empty file as well`(hasFile: Bool) throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA user_version = 0;", scripts: ["1.sql": Site.script(1)])
    if hasFile { try site.scratch.write("", to: "data/app.db") }

    let upgrade = try site.upgrade(target: 1)

    #expect(upgrade.start == .seeded(0))
    #expect(try site.names() == ["seeded", "script 1"])
  }

  @Test(.tags(.F5, .F2)) func `a seed of a later file format is refused`() throws {
    let site = try Site()
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(18..<20, with: [3, 3])
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(throws: UpgradeError.seed(site.seed, "is damaged: a file format of 3 and 3")) {
      try site.upgrade()
    }
  }

  /// A newer SQLite may have made it.
  ///
  /// The database would stay when the seed is corrected.
  @Test(.tags(.F2, .promise7), arguments: [false, true])
  func `a seed that SQLite cannot read is not published`(hasEmptyFile: Bool) throws {
    let site = try Site()
    let good = try #require(site.scratch.bytes("resources/app.db"))
    try Shell.run(
      site.seed,
      """
      CREATE TABLE later(a);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE later(a) FUTURE' WHERE name = 'later';
      """)
    if hasEmptyFile { try site.scratch.write("", to: "data/app.db") }

    let error = #expect(throws: UpgradeError.self) { try site.upgrade() }

    #expect(error?.kind == .seed && error?.exitCode == 65)
    #expect(error?.description.contains("malformed database schema (later)") == true)
    #expect(site.scratch.bytes("data/app.db") == (hasEmptyFile ? Data() : nil))
    try site.scratch.write(good, to: "resources/app.db")
    _ = try site.upgrade()
    #expect(try site.names().contains("seeded"))
  }

  @Test(.tags(.F2)) func `a seed with bytes after its last page is refused`() throws {
    let site = try Site()
    let bytes = try #require(site.scratch.bytes("resources/app.db"))
    try site.scratch.write(bytes + Data(count: 4096), to: "resources/app.db")

    #expect(
      throws: UpgradeError.seed(
        site.seed, "has \(bytes.count + 4096) bytes, not \(bytes.count)")
    ) { try site.upgrade() }
  }

  @Test(.tags(.promise7)) func `a seed that changes before it is copied is not published`() throws {
    let site = try Site()
    let boot = try site.start(rules: "delay 3000 call flock")
    try waitUntil { site.calls().contains { $0.name == "mkdir" } }

    try boot.whileStopped { _ = try Shell.run(site.seed, "PRAGMA user_version = 9;") }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise3)) func `a seed that is written while it is copied is not published`() throws
  {
    let site = try Site()
    let boot = try site.start(rules: "delay 3000 call fstat path .uplift")
    try waitUntil { site.calls().contains { $0.name == "copy_file_range" } }

    try boot.whileStopped { _ = try Shell.run(site.seed, "UPDATE item SET name = 'later';") }

    #expect(try boot.wait().output.hasPrefix("seed\n"))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F4), arguments: ["-wal", "-journal"])
  func `a seed is refused if the file that it links to has a journal`(suffix: String) throws {
    let site = try Site()
    let real = site.scratch("resources/app-1.2.db")
    try FileManager.default.moveItem(atPath: site.seed, toPath: real)
    try FileManager.default.createSymbolicLink(
      atPath: site.seed, withDestinationPath: "app-1.2.db")
    try site.scratch.write("changes", to: "resources/app-1.2.db" + suffix)

    expectError(
      .seed, "the seed \"\(site.seed)\" has changes outside it, in \"\(real)\(suffix)\""
    ) { _ = try site.upgrade() }

    try site.scratch.remove("resources/app-1.2.db" + suffix)
    #expect(try site.upgrade().start == .seeded(1))
  }

  /// Before SQLite 3.7.0 the header had no page count, and no field that says that it is valid.
  ///
  /// If such an SQLite writes a newer database, it leaves the count as it was.
  @Test(.tags(.F2), arguments: [0, 1])
  func `a seed in the format of an old SQLite is copied`(count: UInt8) throws {
    let site = try Site(seed: Site.seed + "CREATE TABLE more AS SELECT randomblob(9000) AS bytes;")
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(28..<32, with: [0, 0, 0, count])
    bytes.replaceSubrange(92..<100, with: Data(count: 8))
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(try site.upgrade().start == .seeded(1))
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")

    try site.scratch.write(bytes.dropLast(100), to: "resources/app.db")
    try site.scratch.remove("data")
    #expect(
      throws: UpgradeError.seed(
        site.seed, "has \(bytes.count - 100) bytes, not \(bytes.count)")
    ) { try site.upgrade() }
  }

  @Test(.tags(.F2, .F5)) func `a seed whose first page is overwritten is refused`() throws {
    let site = try Site()
    var bytes = try #require(site.scratch.bytes("resources/app.db"))
    bytes.replaceSubrange(100..<4096, with: Data(count: 3996))
    try site.scratch.write(bytes, to: "resources/app.db")

    #expect(throws: UpgradeError.seed(site.seed, "is damaged: a first page of kind 0")) {
      try site.upgrade()
    }

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
