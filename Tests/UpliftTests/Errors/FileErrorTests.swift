import Foundation
import TestSupport
import Testing
import Uplift

/// An error about a file names its real cause.
///
/// Only a full disk is reported as full, and only a missing permission leads to advice about
/// permissions.
struct FileErrorTests {
  private func link(_ site: Site, _ name: String, to target: String) throws -> String {
    let link = site.scratch(name)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    return link
  }

  @Test(.tags(.F12)) func `a link that leads to itself leads to no file`() throws {
    let site = try Site()
    try site.makeData()
    let database = try link(site, "data/app.db", to: "app.db")
    let script = try link(site, "resources/scripts/4.sql", to: "4.sql")
    let seed = try link(site, "resources/loop.db", to: "loop.db")

    func words(_ path: String) -> String { "\"\(path)\" is a link that leads back to itself" }
    expectError(.missing, words(database)) { _ = try site.upgrade() }
    try site.scratch.remove("data/app.db")
    expectError(.missing, words(script)) { _ = try site.upgrade(target: 4) }
    expectError(.missing, words(seed)) {
      try Upgrader(database: site.database, seed: .file(seed)).upgrade()
    }
  }

  @Test(.tags(.F12, .S16)) func `a link that leads nowhere is named with its target`() throws {
    let site = try Site()
    let script = try link(site, "resources/scripts/4.sql", to: "nowhere")
    let seed = try link(site, "resources/link.db", to: "nowhere")

    let words = "links to \"nowhere\", which is not there"
    expectError(.missing, "\"\(script)\" \(words)") { _ = try site.upgrade(target: 4) }
    expectError(.missing, "\"\(seed)\" \(words)") {
      try Upgrader(database: site.database, seed: .file(seed)).upgrade()
    }
  }

  @Test(.tags(.F12)) func `a name that is too long is an error of the path`() throws {
    let site = try Site()
    let path = site.scratch("data/" + String(repeating: "x", count: 256))

    #expect(throws: UpgradeError.nameTooLong(path)) {
      try Upgrader(database: path, seed: .file(site.seed)).upgrade()
    }
  }

  @Test(.tags(.F13), arguments: ["open path .uplift", "open path data/app.db on", "opendir"])
  func `too many open files are no failure of the disk`(call: String) throws {
    let site = try Site()
    if call.contains("app.db") { try site.place(Site.seed) }

    let outcome = try site.boot(rules: "fail 24 call \(call)")

    #expect(outcome.output.hasPrefix("tooManyFiles\n"))
    #expect(outcome.output.contains("Too many open files"))
  }

  @Test(.tags(.F6, .S16), arguments: ["app.db", "scripts", "scripts/2_two.sql"])
  func `a seed, script or directory that may not be read is named`(name: String) throws {
    let site = try Site()
    try site.makeData()
    try site.mode("resources/" + name, 0)

    let outcome = try site.boot(Site.unprivileged)

    try site.mode("resources/" + name, 0o755)
    #expect(
      outcome.output == "denied\n\"\(site.scratch("resources/" + name))\": Permission denied\n")
  }

  @Test(.tags(.F12)) func `a working directory that was removed is named as the cause`() throws {
    let site = try Site()
    let outcome = try Command("/bin/sh").run(
      "-c",
      "mkdir gone; cd gone; rmdir ../gone; exec '\(Command.product("uplift").path)' "
        + "up --database x.db --seed '\(site.seed)'", in: site.scratch.path)

    #expect(outcome.status == 66)
    #expect(
      outcome.errors == """
        uplift: "x.db" begins in the working directory, which is not there any more
        start in a directory that is there, or write a path from the root

        """)
  }

  @Test(.tags(.F12), arguments: ["-journal", "-wal"])
  func `a directory with the name of the journal is an error of the path`(suffix: String) throws {
    let site = try Site()
    try site.place(Site.seed + (suffix == "-wal" ? "PRAGMA journal_mode=wal;" : ""))
    try site.scratch.write("", to: "data/app.db\(suffix)/file")

    expectError(.path, "has a directory where SQLite puts its journal") { _ = try site.upgrade() }

    #expect(try Shell.run(site.seed, "PRAGMA user_version;") == "1")
  }

  @Test(.tags(.S16)) func `a script that is written while it is read is refused`() throws {
    let site = try Site()
    let boot = try site.start(rules: "delay 3000 call read path 2_two.sql")
    try waitUntil { site.calls().contains { $0.name == "fstat" && $0.path.hasSuffix("2_two.sql") } }

    try boot.whileStopped {
      _ = try site.scratch.write(Site.script(2) + "-- more", to: "resources/scripts/2_two.sql")
    }

    let outcome = try boot.wait()
    #expect(outcome.output.hasPrefix("scripts\n"))
    #expect(outcome.output.contains("the file changed while it was read"))
    #expect(site.scratch.names("data") == [])
  }

  /// Uplift does not have to open the directories above the data directory.
  @Test(.tags(.F9, .F13)) func `a directory far above need not be readable`() throws {
    let site = try Site()
    try site.scratch.write("", to: "outer/data/keep")
    try site.mode("outer/data", 0o777)
    try site.mode("outer", 0o711)

    let outcome = try Command.product("BootHelper").run(
      arguments: [site.scratch("outer/data/app.db"), "--seed", site.seed, "--target", "1"]
        + Site.unprivileged)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 1\n"))
  }
}
