import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The next script has the next number, in the style of the directory.
struct NewScriptTests {
  private func write(_ site: Site, _ words: String...) throws -> String {
    let seed = site.scratch.bytes("resources/app.db") == nil ? nil : Seed.file(site.seed)
    let path = try NewScript(
      in: site.scripts,
      for: Upgrader(
        database: site.database, seed: seed, migrations: .directory(site.scripts))
    ).write(
      words)
    return URL(fileURLWithPath: path).lastPathComponent
  }

  @Test(
    arguments: [
      (["0005_count.sql"], "0006_add_town.sql"),
      (["5_count.sql"], "6_add_town.sql"),
      (["9.sql"], "10_add_town.sql"),
      (["099-x.sql"], "100-add-town.sql"),
      (["07 x y.sql", "06_x.sql"], "08 add town.sql"),
      (["1.4.2_words.sql"], "1.4.2-1_add_town.sql"),
      (["1.4.2-9_words.sql", "1.4_x.sql"], "1.4.2-10_add_town.sql"),
      (["2999010199_x.sql"], nil),
      (["2100010107_x.sql"], "2100010108_add_town.sql"),
      (["21000101.sql"], "21000102_add_town.sql"),
      (["1.4.2-99_words.sql"], nil),
      (["2147483647_last.sql"], nil),
    ] as [([String], String?)])
  func `writes the next number as the newest script writes its own`(
    names: [String], expected: String?
  ) throws {
    var scripts: [String: String] = [:]
    for name in names { scripts[name] = "SELECT 1;" }
    let site = try Site(seed: nil, scripts: scripts)
    guard let expected else {
      #expect(throws: UpgradeError.self) { try write(site, "add", "town") }
      #expect(site.scriptNames == names)
      return
    }

    #expect(try write(site, "add", "town") == expected)
    #expect(
      site.scratch.bytes("resources/scripts/" + expected) == Data("-- uplift: unfinished\n".utf8))
  }

  @Test func `begins a new day with the count 1`() throws {
    let site = try Site(seed: nil, scripts: ["2017070107_x.sql": "SELECT 1;"])

    let name = try write(site, "x")

    let today = Date().formatted(
      Date.VerbatimFormatStyle(
        format: "\(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)",
        timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    #expect(name == today + "01_x.sql")
  }

  @Test func `begins after the seed, if there is no script`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["1_x.sql": ""])
    try site.scratch.remove("resources/scripts/1_x.sql")

    #expect(try write(site, "first") == "0002_first.sql")
  }

  /// Databases are at this version already, and would never run the script.
  @Test func `begins after the released versions`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["0002_x.sql": "SELECT 1;"])
    try site.scratch.write("newest 5\n", to: "resources/scripts/uplift.lock")

    #expect(try write(site, "next") == "0006_next.sql")
  }

  @Test func `counts the steps of the program, and writes the name like the newest script`() throws
  {
    let site = try Site(seed: nil, scripts: ["002-x.sql": "SELECT 1;"])
    let migrations = .directory(site.scripts) + [.code(6, "6 slugs") { _ in }]

    let path = try NewScript(
      in: site.scripts, for: Upgrader(database: site.database, migrations: migrations)
    ).write(["add", "town"])

    #expect(path == site.scripts + "/007-add-town.sql")
  }

  @Test func `writes a script that is refused until it is written`() throws {
    let site = try Site.release()
    let name = try write(site, "more")

    expectError(
      .scripts, "\(site.scripts)/\(name):1:1: the script says that it is unfinished"
    ) { try site.upgrader().upgrade() }
  }

  @Test(arguments: ["a/b", "../x", "a\nb", "2 3", "x.down"])
  func `refuses words that make no name`(word: String) throws {
    let site = try Site.release()
    let before = site.resources

    let error = #expect(throws: UpgradeError.self) { try write(site, word) }

    #expect(error?.kind == .path && error?.exitCode == 64)
    #expect(site.resources == before)
  }

  @Test func `waits for a writer that has the directory`() async throws {
    let site = try Site.release()
    let other = try Command("/bin/sh").start([
      "-c",
      "exec 9<'\(site.scripts)'; flock 9; touch '\(site.scratch("locked"))'; sleep 1; "
        + "echo 'SELECT 1;' > '\(site.scripts)/0004_theirs.sql'",
    ])
    try waitUntil { site.scratch.bytes("locked") != nil }

    let name = try write(site, "mine")

    _ = try other.wait()
    #expect(name.hasSuffix("0005_mine.sql"))
  }

  @Test func `gives two writers at the same moment two numbers`() async throws {
    let site = try Site.release()
    try await withThrowingTaskGroup(of: String.self) { group in
      for index in 1...8 { group.addTask { try write(site, "w\(index)") } }
      try await group.waitForAll()
    }

    let numbers = Set(site.scriptNames.map { $0.prefix(4) })
    #expect(numbers.count == 10 && site.scriptNames.count == 10)
  }
}
