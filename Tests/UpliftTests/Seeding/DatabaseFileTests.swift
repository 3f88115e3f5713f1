import Foundation
import TestSupport
import Testing
import Uplift

/// The path of a database leads to one file, or is refused.
struct DatabaseFileTests {
  private func upgrader(_ site: Site, _ database: String) -> Upgrader {
    Upgrader(
      database: database, seed: .file(site.seed), migrations: .directory(site.scripts), target: 3)
  }

  private func link(_ site: Site, to target: String) throws -> String {
    let link = site.scratch("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    return link
  }

  @Test(.tags(.F12)) func `follows a link to the file it names`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let link = try link(site, to: "data/app.db")

    let upgrade = try upgrader(site, link).upgrade()

    #expect(upgrade.start == .existing(1))
    #expect(try Shell.version(site.database) == 3)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "data/app.db")
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.F12)) func `is refused if it is a link that leads nowhere`() throws {
    let site = try Site()
    try site.makeData()
    let link = try link(site, to: "data/app.db")

    expectError(.missing, "\"\(link)\" links to \"data/app.db\", which is not there") {
      try upgrader(site, link).upgrade()
    }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F12)) func `is refused when it is longer than SQLite takes, before seeding`() throws
  {
    let site = try Site()
    let names = Array(repeating: String(repeating: "d", count: 100), count: 4)
    let directory = site.scratch(names.joined(separator: "/")) + "/"
    let fits = directory + String(repeating: "f", count: 504 - directory.utf8.count)
    let path = fits + "f"

    expectError(.path, "\"\(path)\" is 505 bytes long, SQLite takes 504") {
      try upgrader(site, path).upgrade()
    }
    #expect(site.scratch.names(names[0]) == [])
    #expect(try upgrader(site, fits).upgrade().end == 3)
  }

  @Test(
    .tags(.F12),
    arguments: ["a b.db", "100%41.db", "what?mode=memory", "#1.db", "new\nline.db", "ü'\".db"])
  func `may have any characters`(name: String) throws {
    let site = try Site()

    let upgrade = try upgrader(site, site.scratch("data/" + name)).upgrade()

    #expect(upgrade.end == 3)
    #expect(site.scratch.names("data") == [name])
  }

  private func boot(_ site: Site, _ name: String) throws -> Outcome {
    try Command.product("BootHelper").run(
      arguments: [
        name, "--seed", site.seed, "--migrations", site.scripts, "--target", "3",
      ], in: site.scratch("data"))
  }

  @Test(
    .tags(.F23, .F12),
    arguments: [":memory:", "file:app.db", "file:app.db?mode=memory", "sqlite:///app.db"])
  func `is refused if other programs would take it for an address`(name: String) throws {
    let site = try Site()
    try site.makeData()

    let refused = try boot(site, name)
    let names = site.scratch.names("data")

    #expect(refused.output.hasPrefix("path\n"))
    #expect(names == [])
    #expect(throws: UpgradeError.address(name)) { try upgrader(site, name).status() }
  }

  @Test(.tags(.F23, .F12), arguments: ["file:app.db?mode=memory", ":memory:", "app.db"])
  func `is a path from the working directory, not a URI`(name: String) throws {
    let site = try Site()
    try site.makeData()

    let outcome = try boot(site, "./" + name)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.scratch.names("data") == [name])
  }

  @Test(.tags(.F12)) func `is refused when it names no file`() throws {
    let site = try Site()
    try site.makeData()
    try site.scratch.write("", to: "file")
    let data = site.scratch("data")
    let below = site.scratch("file/app.db")

    expectError(.path, "\"\" is an empty path") { try upgrader(site, "").upgrade() }
    expectError(.path, "\"a\0b\" has a zero byte") { try upgrader(site, "a\0b").upgrade() }
    #expect(throws: UpgradeError.isDirectory(data)) { try upgrader(site, data).upgrade() }
    #expect(throws: UpgradeError.notAFile("/dev/null")) {
      try upgrader(site, "/dev/null").upgrade()
    }
    #expect(throws: UpgradeError.parentNotADirectory(below, site.scratch("file"))) {
      try upgrader(site, below).upgrade()
    }
  }
}
