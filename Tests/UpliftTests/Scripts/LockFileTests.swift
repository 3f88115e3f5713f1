import Foundation
import TestSupport
import Testing
import Uplift

/// A released script that is missing or edited stops an upgrade that needs it.
struct LockFileTests {
  private static let scripts = (2...5).map { ("000\($0)_x.sql", Site.script($0)) }

  /// A site whose scripts 2 to 5 are released.
  private func site() throws -> Site {
    let site = try Site(scripts: Dictionary(uniqueKeysWithValues: Self.scripts))
    try site.scratch.write(
      Self.scripts.map { "\($0) \(SHA256.hexadecimal(Array($1.dropLast().utf8)))\n" }.joined(),
      to: "resources/scripts/uplift.lock")
    return site
  }

  private func upgrader(_ site: Site, target: Version? = nil) -> Upgrader {
    Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: target)
  }

  @Test(.tags(.T3)) func `refuses an upgrade past a released script that is missing`() throws {
    let site = try site()
    try upgrader(site, target: 2).upgrade()
    try site.scratch.remove("resources/scripts/0004_x.sql")

    let error = expectError(.scripts, "\"0004_x.sql\" was released, and is not there", line: 3) {
      try upgrader(site).upgrade()
    }
    let refusal = try upgrader(site).status().refusal

    #expect(error?.place?.file == site.scripts + "/uplift.lock" && error?.exitCode == 65)
    #expect(refusal == error)
    #expect(try site.names() == ["seeded", "script 2"])
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.T3)) func `makes no database if a released script is missing`() throws {
    let site = try site()
    try site.scratch.remove("resources/scripts/0004_x.sql")

    expectError(.scripts, "was released, and is not there") { try upgrader(site).upgrade() }

    #expect(site.scratch.bytes("data/app.db") == nil)
  }

  @Test(.tags(.T3)) func `refuses a released script that was edited`() throws {
    let site = try site()
    try upgrader(site, target: 2).upgrade()
    try site.scratch.write("SELECT 3;", to: "resources/scripts/0003_x.sql")

    let error = expectError(
      .scripts, "\(site.scripts)/0003_x.sql: the script is not the one that was released"
    ) { try upgrader(site).upgrade() }

    #expect(
      error?.remedy == "ship the released text, and put the change into a new script")
    #expect(try upgrader(site).status().refusal == error)
    #expect(try Shell.version(site.database) == 2)
  }

  @Test(.tags(.T3)) func `asks only for the scripts that this upgrade needs`() throws {
    let site = try site()
    try upgrader(site, target: 3).upgrade()
    try site.scratch.remove("resources/scripts/0002_x.sql")
    try site.scratch.write("SELECT 3;", to: "resources/scripts/0003_x.sql")
    try site.scratch.write("SELECT 5;", to: "resources/scripts/0005_x.sql")

    #expect(try upgrader(site, target: 4).upgrade().applied.map(\.version) == [4])
    #expect(try site.names() == ["seeded", "script 2", "script 3", "script 4"])
  }

  @Test func `accepts a script with other line ends, blanks and empty lines at its end`() throws {
    let site = try site()
    for (name, text) in Self.scripts {
      try site.scratch.write(
        "\u{feff}" + text.replacing("\n", with: " \t\r\n") + "\r\n\n",
        to: "resources/scripts/" + name)
    }

    #expect(try upgrader(site).upgrade().end == 5)
  }

  @Test func `accepts scripts that are not released, and the content of the newest seed`() throws {
    let site = try site()
    try site.scratch.write("content 5\n", to: "resources/scripts/uplift.lock")
    try upgrader(site, target: 4).upgrade()
    try Shell.run(site.seed, "PRAGMA user_version = 5;")
    try site.scratch.write(
      "-- uplift: reads-seed\nDELETE FROM item;", to: "resources/scripts/0005_x.sql")

    #expect(try upgrader(site).upgrade().end == 5)
  }

  @Test(arguments: [
    ("<<<<<<< HEAD", "1:1: a merge was not finished here"),
    ("nonsense", "1:1: the line is not the name of a script and 64 hexadecimal digits"),
    ("newest 5\nnewest 6", "2:1: no such line can come after the line newest 5"),
  ])
  func `refuses a lock file that is wrong, if there is something to do`(
    text: String, words: String
  ) throws {
    let site = try site()
    try upgrader(site, target: 3).upgrade()
    try site.scratch.write(text, to: "resources/scripts/uplift.lock")

    let error = expectError(.scripts, "\(site.scripts)/uplift.lock:\(words)") {
      try upgrader(site).upgrade()
    }

    #expect(error?.exitCode == 65)
    #expect(try Shell.version(site.database) == 3)
    #expect(try upgrader(site, target: 3).upgrade().end == 3)
  }

  @Test func `refuses a lock file that cannot be read`() throws {
    let site = try site()
    try site.scratch.remove("resources/scripts/uplift.lock")
    try site.scratch.removeAll("resources/scripts/uplift.lock")

    expectError(.scripts, "\"\(site.scripts)/uplift.lock\": Is a directory") {
      try upgrader(site).upgrade()
    }
  }
}
