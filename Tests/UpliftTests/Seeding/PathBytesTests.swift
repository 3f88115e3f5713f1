import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A path is bytes: it leads to the file that the operating system finds under it, and to no other.
struct PathBytesTests {
  private func upgrader(_ site: Site, _ database: String) -> Upgrader {
    Upgrader(
      database: database, seed: .file(site.seed), migrations: .directory(site.scripts), target: 3)
  }

  @Test(arguments: [
    ("/app.db", "/"), ("/data/app.db", "/data"), ("app.db", "."), ("a/b/c", "a/b"), ("/", "/"),
  ])
  func `lies in the directory before its last slash`(path: String, parent: String) {
    #expect(Path(path).parent == Path(parent))
  }

  /// For Swift a slash and a combining mark after it are one character.
  @Test(
    .tags(.F17), arguments: ["\u{301}", "\u{200d}", "\u{fe0f}", "\u{e34}"], ["sub/", "new/deep/"])
  func `may have a name that begins with a combining mark`(mark: String, directory: String) throws {
    let site = try Site()
    try site.makeData()
    try site.scratch.write("", to: "sub/keep")
    let theirs = try site.scratch.write("not ours", to: "x.db")
    let database = site.scratch(directory + mark + "x.db")

    let first = try upgrader(site, database).upgrade()
    let second = try upgrader(site, database).upgrade()

    #expect(first.start == .seeded(1))
    #expect(second.start == .existing(3))
    #expect(site.scratch.names(directory).contains(mark + "x.db"))
    #expect(FileManager.default.contents(atPath: theirs) == Data("not ours".utf8))
    #expect(!site.scratch.names().contains { $0.hasSuffix("uplift") })
  }

  @Test(.tags(.F17)) func `of a seed gives its last name to the database, in the command`() throws {
    let site = try Site()
    let seed = site.scratch("\u{301}s.db")
    try FileManager.default.copyItem(atPath: site.seed, toPath: seed)

    let outcome = try Command.product("uplift").run(
      "up", "--seed", seed, "--data", site.scratch("data"), in: site.scratch.path)

    #expect(outcome.status == 0)
    #expect(site.scratch.names("data") == ["\u{301}s.db"])
  }

  /// In a URI, the name after two slashes is that of a host.
  @Test(.tags(.F12, .R3, .O10), arguments: ["delete", "wal"])
  func `may begin with two slashes`(mode: String) throws {
    let site = try Site.withNextWords(more: "PRAGMA journal_mode=\(mode);")
    let backups = "/" + site.scratch("backups")
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: backups)
    let upgrader = Upgrader(
      database: "/" + site.database, seed: .file("/" + site.seed),
      migrations: .directory("/" + site.scripts), options: options)

    let upgrade = try upgrader.upgrade()
    let next = try upgrader.upgrade()
    let words = try Shell.run(site.database, "SELECT id FROM word;")
    try upgrader.restore(backup: backups, to: 1)

    #expect(upgrade.start == .existing(1) && next.start == .existing(2))
    #expect(words == "1\n3")
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.F12, .R3)) func `may have characters that mean something else in a URI`() throws {
    let site = try Site.withNextWords()
    let database = "data/a?b#c%41&d.db"
    let seed = "resources/s?e#e%64&d.db"
    try site.scratch.move("data/app.db", to: database)
    try site.scratch.move("resources/app.db", to: seed)

    let upgrade = try Upgrader(
      database: site.scratch(database), seed: .file(site.scratch(seed)),
      migrations: .directory(site.scripts)
    ).upgrade()

    #expect(upgrade.start == .existing(1) && upgrade.end == 2)
    #expect(site.scratch.names("data") == ["a?b#c%41&d.db"])
    #expect(try Shell.run(site.scratch(database), "SELECT id FROM word;") == "1\n3")
  }

  /// SQLite has a database in memory with this name.
  @Test(.tags(.F23)) func `of a seed may be a name that SQLite takes for another database`() throws
  {
    let site = try Site.withNextWords()
    try site.scratch.move("resources/app.db", to: "data/:memory:")
    try site.scratch.write("", to: "data/empty.db")

    let outcome = try Command("/bin/sh").run(
      "-c",
      """
      for database in app.db empty.db; do
        timeout -s KILL 60 '\(Command.product("uplift").path)' up --quiet --seed :memory: \
          --database $database --migrations ../resources/scripts
        sqlite3 $database 'SELECT id FROM word; PRAGMA user_version'
      done
      """, in: site.scratch("data"))

    #expect(outcome.output == "1\n3\n2\n1\n3\n2\n")
  }

  /// A name in Latin-1.
  ///
  /// Decoded with repair, it would be the name of another directory.
  private static let latin1 = "d=$(printf 'caf\\351'); mkdir \"$d\"; "

  private func boot(_ site: Site, _ line: String, _ database: String) throws -> Outcome {
    let helper = Command.product("BootHelper").path
    return try Command("/bin/sh").run(
      "-c",
      "\(Self.latin1)\(line) exec '\(helper)' \(database) --seed '\(site.seed)' "
        + "--migrations '\(site.scripts)' --target 3", in: site.scratch.path)
  }

  @Test(
    .tags(.F18), arguments: ["cd \"$d\";", "ln -s \"$d\" data; ln -s \"$d/app.db\" link;"],
    ["seeded at 1 -> 3", "3 -> 3", "1 -> 3"])
  func `may lead into a directory whose name is not UTF-8`(line: String, result: String) throws {
    let site = try Site()
    let database = line.hasPrefix("cd") ? "app.db" : "data/app.db"
    let version = Int(result.prefix { $0.isNumber })
    try Shell.run(site.scratch("made.db"), Site.seed + "PRAGMA user_version=\(version ?? 1);")
    let place = version == nil ? "" : "cp made.db \"$d/app.db\"; "
    let other = "mkdir 'caf\u{fffd}';"

    let outcome = try boot(site, place + other + line, database)

    #expect(outcome.output.hasPrefix(result + "\n"))
    let found = try Command("/bin/sh").run(
      "-c", "cd \"$(printf 'caf\\351')\" && sqlite3 app.db 'PRAGMA user_version'; ls",
      in: site.scratch.path)
    #expect(found.output == "3\napp.db\n")
    #expect(site.scratch.names("caf\u{fffd}") == [])
  }

  @Test(.tags(.F18)) func `may be a link to a file in a directory whose name is not UTF-8`() throws
  {
    let site = try Site()
    try Shell.run(site.scratch("made.db"), Site.seed)

    let outcome = try boot(site, "cp made.db \"$d/x.db\"; ln -s \"$d/x.db\" link.db;", "link.db")

    #expect(outcome.output.hasPrefix("1 -> 3\n"))
  }
}
