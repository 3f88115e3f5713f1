import Foundation
import TestSupport
import Testing
import Uplift

/// The path of a new database is checked before anything is made.
struct NewDatabaseFileTests {
  private func upgrader(_ site: Site, _ database: String) -> Upgrader {
    Upgrader(
      database: database, seed: .file(site.seed), migrations: .directory(site.scripts), target: 3)
  }

  private func link(_ site: Site, _ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch(name), withDestinationPath: target)
  }

  @Test(.tags(.F12)) func `is followed through a link to a directory`() throws {
    let site = try Site()
    try site.makeData()
    try link(site, "volume", to: "data")

    let upgrade = try upgrader(site, site.scratch("volume/deep/er/app.db")).upgrade()

    #expect(upgrade.end == 3)
    #expect(site.scratch.names("data/deep/er") == ["app.db"])
  }

  @Test(.tags(.F12, .F15), arguments: ["volume/app.db", "volume/deep/app.db"])
  func `is refused if a link in it leads nowhere`(database: String) throws {
    let site = try Site()
    try link(site, "volume", to: "nowhere")

    expectError(
      .missing, "\"\(site.scratch("volume"))\" links to \"nowhere\", which is not there"
    ) { try upgrader(site, site.scratch(database)).upgrade() }

    #expect(site.scratch.names() == ["resources", "volume"])
  }

  /// SQLite follows links before it measures a path.
  @Test(.tags(.F12), arguments: [504, 505])
  func `is measured after its links are followed`(length: Int) throws {
    let site = try Site()
    let names = Array(repeating: String(repeating: "d", count: 100), count: 4)
    let deep = names.joined(separator: "/")
    try site.scratch.write("", to: deep + "/keep")
    try link(site, "short", to: deep)
    let rest = length - site.scratch(deep).utf8.count - 1
    let database = site.scratch("short/" + String(repeating: "f", count: rest))

    if length == 504 {
      #expect(try upgrader(site, database).upgrade().end == 3)
    } else {
      expectError(.path, "\"\(database)\" is 505 bytes long, SQLite takes 504") {
        try upgrader(site, database).upgrade()
      }
      #expect(site.scratch.names(deep) == ["keep"])
    }
  }

  @Test(.tags(.F12), arguments: ["new/", "new/.", "new/..", "new/deep/"])
  func `is refused if it is written as a directory`(database: String) throws {
    let site = try Site()
    let path = site.scratch(database)

    #expect(throws: UpgradeError.isDirectory(path)) { try upgrader(site, path).upgrade() }

    #expect(site.scratch.names() == ["resources"])
  }

  @Test(.tags(.F12), arguments: ["deep/er/app.db", "./app.db", "../data/app.db"])
  func `may be relative`(database: String) throws {
    let site = try Site()
    try site.makeData()

    let outcome = try Command.product("BootHelper").run(
      arguments: [
        database, "--seed", site.seed, "--migrations", site.scripts, "--target", "3",
      ], in: site.scratch("data"))

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    let found = site.scratch("data/" + database)
    #expect(try Shell.version(found) == 3)
  }

  @Test(
    .tags(.F12),
    arguments: ["a b", "100%41", "what?mode=memory", "#1", "new\nline", "ü'\"", "file:x"])
  func `may have any characters, with an empty file to fill`(name: String) throws {
    let site = try Site()
    try site.scratch.write("", to: "data/\(name)/\(name).db")
    let seed = try site.scratch.write(
      try #require(site.scratch.bytes("resources/app.db")), to: "\(name)/\(name).db")
    let upgrader = Upgrader(
      database: site.scratch("data/\(name)/\(name).db"), seed: .file(seed),
      migrations: .directory(site.scripts), target: 3)

    let upgrade = try upgrader.upgrade()

    #expect(upgrade.start == .seeded(1))
    #expect(site.scratch.names("data") == [name])
    #expect(site.scratch.names("data/" + name) == [name + ".db"])
    #expect(site.scratch.names(name) == [name + ".db"])
  }

  @Test(.tags(.F12)) func `is refused if a directory far above is a file`() throws {
    let site = try Site()
    try site.scratch.write("", to: "file")
    let path = site.scratch("file/deep/er/app.db")

    #expect(throws: UpgradeError.self) { try upgrader(site, path).upgrade() }

    #expect(site.scratch.names() == ["file", "resources"])
  }

  @Test(.tags(.F13)) func `is refused if its directory may not be written`() throws {
    let site = try Site()
    try site.makeData()
    try site.mode("data", 0o555)

    let outcome = try Command.product("BootHelper").run(
      arguments: [
        site.scratch("data/deep/app.db"), "--seed", site.seed, "--migrations", site.scripts,
        "--target", "3",
      ] + Site.unprivileged)

    #expect(outcome.output.hasPrefix("denied\n\"\(site.scratch("data/deep"))\""))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F9, .F13)) func `may lie below a directory that others may enter and not read`()
    throws
  {
    let site = try Site()
    try site.makeData()
    try site.mode("", 0o711)

    let outcome = try Command.product("BootHelper").run(
      arguments: [
        site.database, "--seed", site.seed, "--migrations", site.scripts, "--target", "3",
      ] + Site.unprivileged)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
  }

  @Test(.tags(.F10)) func `is opened by SQLite alone, whatever a crash left beside it`() throws {
    let emptied = try Site()
    try emptied.scratch.write("", to: "data/app.db")
    try emptied.scratch.write("changes", to: "data/app.db-journal")
    let torso = try Site()
    _ = try torso.boot(rules: "killed call copy_file_range")
    let second = try Site()
    try second.place(Site.seed)
    try FileManager.default.linkItem(
      atPath: second.database, toPath: second.scratch(Site.copy))

    for site in [emptied, torso, second] {
      #expect(try site.boot().status == 0)
    }

    for site in [emptied, torso, second] {
      let opened = site.calls().filter { $0.name == "open" && $0.path == "data/app.db" }
      #expect(!opened.isEmpty && opened.allSatisfy { $0.caller == "sqlite" })
    }
    let torn = second.calls().filter { $0.isOfCopy }
    #expect(torn.map(\.name) == ["lstat", "unlink"])
  }
}
