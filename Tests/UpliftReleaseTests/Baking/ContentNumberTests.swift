import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// New content whose number does not tell what the seed holds: after a merge, a revert, or a
/// mistake.
struct ContentNumberTests {
  /// Another branch has made a script below the number that new content took here.
  @Test(.tags(.R1, .promise16)) func `is found if the seed has not run a script below it`() throws {
    let site = try Site.release()
    try site.bake()
    try site.upgrader().release()
    _ = try site.overwrite("Word")
    for _ in 4...5 { try site.bake { $0.hasNewContent = true } }
    try site.ship("0004_next.sql", "ALTER TABLE Word ADD COLUMN next;")

    let findings = try site.upgrader().check().findings

    #expect(findings.map(\.kind) == [.schemaDiffers])
    #expect(
      findings.map(\.words) == [
        "column Word.next is there, but not after an upgrade from \(site.seed)"
      ])
  }

  /// Users at this version have the released rows, and would keep them.
  @Test(.tags(.R1)) func `gets a number above the released ones`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.overwrite("Word")
    try site.scratch.write("newest 6\n", to: "resources/scripts/uplift.lock")

    #expect(try site.bake { $0.hasNewContent = true }.version == 7)
    #expect(try site.bake { $0.hasNewContent = true }.version == 8)
  }

  /// Somebody has changed the rows and forgotten `--content`.
  @Test(
    .tags(.R1),
    arguments: [
      "UPDATE Word SET gloss = 'new' WHERE id = 2;", "DELETE FROM Word WHERE id = 2;",
      "INSERT INTO Word(id, text) VALUES (9, 'new');", "UPDATE note SET text = 'not refreshed';",
      "",
    ])
  func `changed rows are noted if an old seed has the same version`(change: String) throws {
    let site = try Site.releaseWithContent()
    let old = try site.scratch.write(
      try #require(site.scratch.bytes("resources/app.db")), to: "old/app-4.db")
    try Shell.run(site.seed, change)

    func found() throws -> [Finding] {
      try site.upgrader().check(fixtures: [site.scratch("old")]).all
        .filter { $0.kind == .contentChanged }
    }

    let isNoted = change.contains("Word")
    let findings = try found()
    #expect(
      findings.map(\.words)
        == (isNoted
          ? [
            "Word has other rows in the seed than in \(old), and both are at 4: a database at 4 "
              + "never gets the new rows"
          ] : []))
    try site.bake { $0.hasNewContent = true }
    #expect(try found() == [])
  }

  /// The scripts that have run on it would run once more.
  @Test(.tags(.R1), arguments: [true, false])
  func `is refused if the seed has lost its version`(hasNewContent: Bool) throws {
    let site = try Site.release()
    if hasNewContent {
      try site.bake()
      _ = try site.overwrite("Word")
      try site.bake { $0.hasNewContent = true }
    }
    try Shell.run(site.seed, "PRAGMA user_version = 0")
    let before = site.resources

    let error = site.failure { $0.hasNewContent = hasNewContent }

    #expect(error?.message.contains("has tables and the version 0") == true)
    #expect(
      error?.description
        == "the seed \"\(site.seed)\" has tables and the version 0: no script has run on it, or it "
        + "has lost its version"
    )
    #expect(
      error?.remedy
        == "if scripts have run on it, set PRAGMA user_version in it to the number of the last one; "
        + "otherwise leave the seed as it is: a new database is a copy of it, and runs all scripts")
    #expect(error?.exitCode == 65)
    #expect(site.resources == before)
  }

  /// A database of a user has run the other script of this number.
  @Test(.tags(.R1)) func `can be baked after a merge in which a released script has its number`()
    throws
  {
    let site = try Site.release()
    try site.bake()
    try site.upgrader().upgrade()
    let next = "ALTER TABLE Word ADD COLUMN next; UPDATE Word SET gloss = gloss || '!';"
    try Shell.run(site.database, next + "PRAGMA user_version = 4;")
    let released = site.scratch.bytes("resources/app.db") ?? Data()
    _ = try site.overwrite("Word")
    try site.bake { $0.hasNewContent = true }
    try site.ship("0004_next.sql", next)

    let error = site.failure { $0.hasNewContent = true }

    #expect(
      error?.remedy
        == "give the script that is not released, and the later ones of its branch, new numbers above "
        + "the newest, in the same order; if there is a seed, take that of the released script's "
        + "branch, repeat in it what was changed by hand in the rows of the other one, and run uplift "
        + "bake, with --content if a script reads the seed")
    try site.rename("0004_refresh_Word.sql", "0005_refresh_Word.sql")
    try released.write(to: URL(fileURLWithPath: site.seed))
    #expect(try site.bake { $0.hasNewContent = true }.version == 5)
    #expect(try site.upgrader().upgrade().applied.map(\.version) == [5])
    #expect(try Shell.run(site.database, "SELECT gloss FROM Word WHERE id = 1;") == "an insect!")
    #expect(try site.upgrader().check().findings == [])
  }

  /// The users' databases are at 1, because the script has run when they were made.
  @Test(.tags(.R1)) func `a seed whose version was always 0 stays as it is`() throws {
    let site = try Site(
      seed: Site.dictionary + "PRAGMA user_version = 0;",
      scripts: ["1.sql": "UPDATE Word SET gloss = gloss || '!';"])
    try site.upgrader().upgrade()
    let users = try Shell.run(site.database, "SELECT * FROM Word;")

    #expect(site.failure { _ in }?.message.contains("has tables and the version 0") == true)

    #expect(try site.upgrader().upgrade().applied == [])
    try site.scratch.remove("data/app.db")
    #expect(try site.upgrader().upgrade().end == 1)
    #expect(try Shell.run(site.database, "SELECT * FROM Word;") == users)
    #expect(try site.upgrader().check().findings == [])
  }

  /// `new --refresh` gives it the seed's number; it is not a script for an empty database.
  @Test func `a refresh script with the number 1 is not tried on an empty database`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["1.sql": "SELECT 1;"])
    try site.scratch.remove("resources/scripts/1.sql")
    let script = try site.overwrite("Word")

    #expect(script == "0001_refresh_Word.sql")
    #expect(try site.upgrader().check().findings == [])
    #expect(try site.upgrader().upgrade().applied == [])
  }
}
