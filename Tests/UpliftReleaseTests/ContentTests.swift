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
    let script = try site.refresh("word")
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
    _ = try site.refresh("Word")
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
    _ = try site.refresh("word")
    let baked = try site.bake { $0.hasNewContent = true }
    let same = try site.bake()
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'works' WHERE id = 1;")

    let check = site.failure { $0.isCheck = true }
    let other = try site.bake { $0.output = site.scratch("other.db") }
    let changed = try site.bake()

    #expect([baked, same, other, changed].map(\.mayNeedNumber) == [false, false, false, true])
    #expect(check == .outdated(path: site.seed, isReadByScript: true))
    #expect(
      check?.remedy == "if its rows have changed, run uplift bake --content, otherwise uplift bake")
  }

  @Test func `a second file may have the scripts after the one that reads the seed`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("word")
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
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")
    let before = site.resources

    let error = #expect(throws: ReleaseError.self) {
      try site.bake(target: 4) { $0.hasNewContent = true }
    }

    #expect(error == .stepAboveTarget(site.scripts + "/0005_next.sql", target: 4))
    #expect(
      error?.description
        == "\"\(site.scripts)/0005_next.sql\" is above the target 4, and the new content would come after it"
    )
    #expect(error?.remedy == "raise the target, or leave it out")
    #expect(site.resources == before)
  }

  /// Another branch has made a script with the number that new content took here, or with a lower
  /// one.
  @Test(.tags(.R1), arguments: [4, 5], [true, false])
  func `refuses new content if the seed has not run a script below it`(
    content: Int32, isReleased: Bool
  ) throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    for _ in 4...content { try site.bake { $0.hasNewContent = true } }
    try site.ship("0004_next.sql", "ALTER TABLE Word ADD COLUMN next;")
    if content == 4 { try site.rename("0004_refresh_Word.sql", "0005_refresh_Word.sql") }
    let before = site.resources

    let error = site.failure { $0.hasNewContent = true }

    let script = site.scripts + "/0004_next.sql"
    #expect(error == .stepNotInSeed(script, seed: Version(integerLiteral: content)))
    #expect(
      error?.description
        == "\"\(script)\" is not above the seed, which is at \(content) and has not run it")
    #expect(
      error?.remedy
        == "if it is released, set PRAGMA user_version in the seed to the number before the first "
        + "script that the seed has not run; otherwise give all such scripts the next numbers, in "
        + "their order; then run uplift bake --content")
    #expect(site.resources == before)
    if content == 5 {
      let findings = try site.upgrader().check()
      #expect(findings.map(\.kind) == [.seedNumber])
      #expect(
        findings.map(\.words)
          == ["the script is not above the seed, which is at 5 and has not run it"])
      #expect(findings.map(\.remedy) == [error?.remedy])
      #expect(findings.map(\.place.file) == [script])
    }
    if isReleased {
      try Shell.run(site.seed, "PRAGMA user_version = 3")
    } else {
      try site.rename("0004_next.sql", "0006_next.sql")
    }
    #expect(try site.bake { $0.hasNewContent = true }.version == (isReleased ? 5 : 7))
    #expect(
      try Shell.run(site.seed, "SELECT count(*) FROM pragma_table_info('Word') WHERE name = 'next'")
        == "1")
  }

  /// The seed has run the script, although it changes the schema each time it runs.
  @Test(
    .tags(.R1),
    arguments: [
      "ALTER TABLE Word RENAME COLUMN text TO t; ALTER TABLE Word RENAME COLUMN gloss TO text; ALTER TABLE Word RENAME COLUMN t TO gloss;",
      "DROP TABLE IF EXISTS old; CREATE TABLE old AS SELECT * FROM note; ALTER TABLE note RENAME COLUMN word TO x; DROP TABLE note; CREATE TABLE note(id INTEGER PRIMARY KEY, word REFERENCES Word(id), text, y);",
    ])
  func `is baked if the last script can run twice`(script: String) throws {
    let site = try Site.release()
    try site.ship("0004_twice.sql", script)
    try site.bake()
    _ = try site.refresh("Word")

    #expect(try site.bake { $0.hasNewContent = true }.version == 5)
    #expect(try site.bake { $0.hasNewContent = true }.version == 6)
    #expect(try site.upgrader().check().filter { $0.severity == .error } == [])
  }

  /// Users at this version have the released rows, and would keep them.
  @Test(.tags(.R1)) func `gets a number above the released ones`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
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
  func `is missed if an old seed has its number`(change: String) throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    let old = try site.scratch.write(
      try #require(site.scratch.bytes("resources/app.db")), to: "old/app-4.db")
    try Shell.run(site.seed, change)

    func found() throws -> [Finding] {
      try site.upgrader().check(fixtures: [site.scratch("old")])
        .filter { $0.kind == .contentChanged }
    }

    let isMissed = change.contains("Word")
    let findings = try found()
    #expect(
      findings.map(\.words)
        == (isMissed
          ? [
            "Word has other rows in the seed than in \(old), and both are at 4: a database at 4 "
              + "never gets the new rows"
          ] : []))
    #expect(findings.allSatisfy { $0.severity == .note })
    try site.bake { $0.hasNewContent = true }
    #expect(try found() == [])
  }

  /// Its scripts would run once more; and its users' databases are at 0 and would be refused.
  @Test(.tags(.R1), arguments: [true, false])
  func `is refused if the seed has lost its version`(hasNewContent: Bool) throws {
    let site = try Site.release()
    if hasNewContent {
      try site.bake()
      _ = try site.refresh("Word")
      try site.bake { $0.hasNewContent = true }
    }
    try Shell.run(site.seed, "PRAGMA user_version = 0")
    let before = site.resources

    let error = site.failure { $0.hasNewContent = hasNewContent }

    #expect(error == .seedUnversioned(path: site.seed))
    #expect(
      error?.description
        == "the seed \"\(site.seed)\" has tables and the version 0, which says that no script has run on it"
    )
    #expect(
      error?.remedy
        == "set PRAGMA user_version in it to the version that it has: 1 for a first seed, whose "
        + "scripts begin with 2")
    #expect(error?.exitCode == 65)
    #expect(site.resources == before)
  }

  /// A database of a user has run the other script of this number.
  @Test(.tags(.R1)) func `of a script with a released script's number can be baked again`() throws {
    let site = try Site.release()
    try site.bake()
    try site.upgrader().upgrade()
    let next = "ALTER TABLE Word ADD COLUMN next;"
    try Shell.run(site.database, next + "PRAGMA user_version = 4;")
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    try site.ship("0004_next.sql", next)

    let error = site.failure { $0.hasNewContent = true }

    #expect(
      error?.remedy
        == "give the one that is not released the next number; if that one reads the seed, also "
        + "set PRAGMA user_version in the seed to the number before the first script that the seed "
        + "has not run, and run uplift bake --content")
    try site.rename("0004_refresh_Word.sql", "0005_refresh_Word.sql")
    try Shell.run(site.seed, "PRAGMA user_version = 3")
    #expect(try site.bake { $0.hasNewContent = true }.version == 5)
    #expect(try site.upgrader().upgrade().applied.map(\.version) == [5])
    #expect(try site.upgrader().check().filter { $0.severity == .error } == [])
  }

  /// `new --refresh` gives it the seed's number; it is not a script for an empty database.
  @Test func `with the number 1 does not make the tables`() throws {
    let site = try Site(seed: Site.dictionary, scripts: ["1.sql": "SELECT 1;"])
    try site.scratch.remove("resources/scripts/1.sql")
    let script = try site.refresh("Word")

    #expect(script == "0001_refresh_Word.sql")
    #expect(try site.upgrader().check().filter { $0.severity == .error } == [])
    #expect(try site.upgrader().upgrade().applied == [])
  }

  @Test(.tags(.R1)) func `does not leave the script behind`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")
    let before = site.resources

    #expect(
      site.failure()
        == .contentNotBaked(
          script: site.scripts + "/0004_refresh_Word.sql", number: 4, seed: 5))
    #expect(site.resources == before)

    let bake = try site.bake { $0.hasNewContent = true }
    #expect(bake.version == 6)
    #expect(site.scriptNames.suffix(2) == ["0005_next.sql", "0006_refresh_Word.sql"])
  }

  @Test func `runs the scripts around the script that reads the seed, and not that one`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    try site.ship("0005_next.sql", "CREATE TABLE next(x);")

    let bake = try site.bake { $0.hasNewContent = true }

    #expect(bake.version == 6)
    #expect(bake.renamed == site.scripts + "/0006_refresh_Word.sql")
    #expect(
      try Shell.run(site.seed, "SELECT count(*) FROM next; SELECT count(*) FROM Word;") == "0\n2")
  }

  @Test func `needs a script that reads the seed, and only one`() throws {
    let site = try Site.release()
    #expect(site.failure { $0.hasNewContent = true } == .noSeedScript(seed: 1))

    let text = "-- uplift: reads-seed\nDELETE FROM Word;"
    try site.ship("0004_a.sql", text)
    try site.ship("0005_b.sql", text + " ")
    let before = site.resources
    #expect(
      site.failure { $0.hasNewContent = true }
        == .severalSeedScripts(
          first: site.scripts + "/0004_a.sql", second: site.scripts + "/0005_b.sql"))
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

    let error = #expect(throws: ReleaseError.self) { try bake(3) }
    #expect(error?.kind == "duplicate")
    #expect(try bake(4).version == 4)
    #expect(throws: ReleaseError.seedStepInProgram(name: "words", number: 5)) { try bake(4) }
  }

  @Test func `ends the renaming that a killed bake has begun`() throws {
    let site = try Site.release()
    try site.bake()
    _ = try site.refresh("Word")
    try site.bake { $0.hasNewContent = true }
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
