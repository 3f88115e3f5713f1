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

  @Test func `says that a seed that a script reads may need a number`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.overwrite("word")
    let baked = try site.bake { $0.hasNewContent = true }
    let same = try site.bake()
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'works' WHERE id = 1;")

    let check = site.failure { $0.isCheck = true }
    let other = try site.bake { $0.output = site.scratch("other.db") }
    let changed = try site.bake()

    #expect([baked, same, other, changed].map(\.mayNeedNumber) == [false, false, false, true])
    #expect(
      check?.remedy
        == "if its rows have changed, run uplift bake --content, otherwise uplift bake")
    #expect(
      check?.remedy == "if its rows have changed, run uplift bake --content, otherwise uplift bake")
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
  @Test(.tags(.R1)) func `refuses new content that a script above the target comes before`() throws
  {
    let site = try Site.releaseWithContent()
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")
    let before = site.resources

    let error = expectError(
      .scripts,
      "\"\(site.scripts)/0005_next.sql\" is above the target 4, and the new content would come after it"
    ) {
      try site.bake(target: 4) { $0.hasNewContent = true }
    }

    #expect(error?.remedy == "raise the target, or leave it out")
    #expect(site.resources == before)
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

  @Test func `ends the renaming that a killed bake has begun`() throws {
    let site = try Site.releaseWithContent()
    // Killed before the seed was replaced: the script has a second name.
    try site.ship("0005_refresh_Word.sql", try #require(site.text("0004_refresh_Word.sql")))

    let bake = try site.bake { $0.hasNewContent = true }

    #expect(bake.version == 5)
    #expect(site.scriptNames.suffix(1) == ["0005_refresh_Word.sql"])
    // Killed after it: the script still has its old name.
    try site.ship("0004_refresh_Word.sql", try #require(site.text("0005_refresh_Word.sql")))
    #expect(try site.bake().isChanged == false)
    #expect(site.scriptNames.suffix(1) == ["0005_refresh_Word.sql"])
  }
}

extension Site {
  fileprivate func text(_ script: String) -> String? {
    scratch.bytes("resources/scripts/" + script).map { String(decoding: $0, as: UTF8.self) }
  }
}
