import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// New rows of the seed for existing databases.
struct ContentTests {
  @Test(.tags(.R1)) func `gives the seed and its script the next number`() throws {
    let site = try Site.release()
    try site.bake()
    let script = try site.overwrite("word")
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'works' WHERE id = 1;")

    let first = try site.bake { $0.hasNewContent = true }
    let second = try site.bake { $0.hasNewContent = true }

    #expect(script == "0004_refresh_Word.sql")
    #expect(first.version == 4 && first.renamed == nil)
    #expect(second.version == 5)
    #expect(second.renamed == site.scripts + "/0005_refresh_Word.sql")
    #expect(try Shell.version(site.seed) == 5)
    #expect(
      site.scriptNames
        == ["0002_add_kind.sql", "0003_index_notes.sql", "0005_refresh_Word.sql"])
  }

  @Test(.tags(.R1, .promise13))
  func `brings the rows to a database in the field, and keeps its own`() throws {
    let site = try Site.release()
    _ = try site.upgrader().upgrade()
    try Shell.run(site.database, "INSERT INTO note VALUES (1, 2, 'mine');")
    try site.bake()
    _ = try site.overwrite("Word")
    try Shell.run(
      site.seed,
      """
      UPDATE Word SET gloss = 'stings' WHERE id = 2;
      DELETE FROM Word WHERE id = 1;
      INSERT INTO Word VALUES (7, 'ant', 'came back', 'noun');
      """)
    try site.bake { $0.hasNewContent = true }

    let upgrade = try site.upgrader().upgrade()

    #expect(upgrade.start == .existing(3) && upgrade.end == 4)
    let words = "SELECT * FROM Word ORDER BY id;"
    #expect(try Shell.run(site.database, words) == "2|bee|stings|\n7|ant|came back|noun")
    #expect(try Shell.run(site.database, "SELECT * FROM note;") == "1|2|mine")
  }

  @Test func `a second file may have the scripts after the one that reads the seed`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.overwrite("word")
    try site.bake { $0.hasNewContent = true }
    try site.ship("0005_more.sql", "CREATE TABLE more(x);")

    #expect(try site.bake { $0.output = site.scratch("other.db") }.version == 5)
  }

  @Test func `counts on from a date, so that the number is the same on any day`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["2017070101_first.sql": "SELECT 1;"])
    try site.bake()
    try site.ship("2017070102_words.sql", "-- uplift: reads-seed\nDELETE FROM Word;")
    try site.bake { $0.hasNewContent = true }

    #expect(try site.bake { $0.hasNewContent = true }.version == 2_017_070_103)
    #expect(site.scriptNames == ["2017070101_first.sql", "2017070103_words.sql"])
  }

  /// The seed would count as one that has run the script, and new users would lack the column.
  @Test(.tags(.R1)) func `runs all scripts before new content, also those above the target`() throws
  {
    let site = try Site.releaseWithContent()
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")

    let bake = try site.bake(target: 4) { $0.hasNewContent = true }

    #expect(bake.version == 6)
    #expect(try Shell.run(site.seed, "SELECT count(*) FROM next;") == "0")
  }

  @Test(.tags(.R1)) func `does not leave the script behind`() throws {
    let site = try Site.releaseWithContent()
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")
    let before = site.resources

    expectError(
      .scripts,
      "\"\(site.scripts)/0004_refresh_Word.sql\" reads the seed and has the number 4, but the seed "
        + "would be at 5"
    ) { try site.bake() }
    #expect(site.resources == before)

    let bake = try site.bake { $0.hasNewContent = true }
    #expect(bake.version == 6)
    #expect(site.scriptNames.suffix(2) == ["0005_next.sql", "0006_refresh_Word.sql"])
  }

  @Test func `runs the scripts around the script that reads the seed, and not that one`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.overwrite("Word")
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")

    let bake = try site.bake { $0.hasNewContent = true }

    #expect(bake.version == 6)
    #expect(bake.renamed == site.scripts + "/0006_refresh_Word.sql")
    #expect(
      try Shell.run(site.seed, "SELECT count(*) FROM next; SELECT count(*) FROM Word;") == "0\n2")
  }

  @Test func `needs a script that reads the seed, and only one`() throws {
    let site = try Site.release()
    expectError(.scripts, "no script reads the seed, which is at 1") {
      try site.bake { $0.hasNewContent = true }
    }

    let text = "-- uplift: reads-seed\nDELETE FROM Word;"
    try site.ship("0004_a.sql", text)
    try site.ship("0005_b.sql", text + " ")
    let before = site.resources
    expectError(
      .scripts,
      "\"\(site.scripts)/0004_a.sql\" and \"\(site.scripts)/0005_b.sql\" both read the seed"
    ) { try site.bake { $0.hasNewContent = true } }
    #expect(site.resources == before)
  }

  @Test func `says which number a step in the program needs`() throws {
    let site = try Site.release()
    try site.bake()
    func bake(_ number: Version) throws -> Bake {
      var options = Upgrader.BakeOptions()
      options.hasNewContent = true
      return try Upgrader(
        database: "", seed: .file(site.seed),
        migrations: .directory(site.scripts)
          + [.sql(number, "words", "-- uplift: reads-seed\nDELETE FROM Word;")]
      ).bake(options)
    }

    let error = #expect(throws: UpgradeError.self) { try bake(3) }
    #expect(error?.kind == .scripts)
    #expect(error?.description.contains("have the same number, 3") == true)
    #expect(try bake(4).version == 4)
    expectError(
      .scripts, "the step \"words\" reads the seed, and the new seed would be at 5"
    ) { _ = try bake(4) }
  }

  /// The crash tests stop a bake at each of its calls.
  @Test(.tags(.R1, .R12)) func `goes on where a bake was stopped, and ships nothing until then`()
    throws
  {
    let site = try Site.releaseWithContent()
    // Stopped before the seed was replaced: the script has its new name.
    try site.rename("0004_refresh_Word.sql", "0005_refresh_Word.sql")

    let found = try site.upgrader().check().findings
    #expect(throws: UpgradeError.self) { try site.upgrader().upgrade() }
    #expect(throws: UpgradeError.self) { try site.bake() }
    let bake = try site.bake { $0.hasNewContent = true }

    #expect(found.map(\.kind) == [.seedNumber])
    #expect(found.map(\.remedy) == ["run uplift bake --content, which gives both the same number"])
    #expect(bake.version == 5 && bake.renamed == nil)
    #expect(site.scriptNames.suffix(1) == ["0005_refresh_Word.sql"])
    #expect(try site.upgrader().check().findings == [])
  }
}
