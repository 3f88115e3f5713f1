import Foundation
import TestSupport
import Testing
import Uplift

/// A script that reads the seed is refused, or fails, if it could not give what a fresh copy has.
struct SeedReadingRefusalTests {
  /// What stays as it was when the upgrade is refused.
  private func error(_ site: Site) throws -> UpgradeError {
    let before = try Shell.dump(site.database)
    let seed = site.scratch.bytes("resources/app.db")
    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }
    #expect(try Shell.dump(site.database) == before)
    #expect(try Shell.version(site.database) == 1)
    #expect(site.scratch.bytes("resources/app.db") == seed)
    return try #require(error)
  }

  @Test(.tags(.promise13, .R1), arguments: [3, 9])
  func `a number that is not the seed's is refused before anything runs`(seed: Int) throws {
    let site = try Site.withNextWords(script: "INSERT INTO note VALUES(5, 1, 'too early');")
    try site.ship("4_words.sql", "-- The new words\n  " + Site.refresh)
    try site.ship(seed: Site.words("(1, 'ant', 'works')", version: seed))
    try site.ship("\(seed)_last.sql", "SELECT 1;")

    let error = try error(site)

    let words = "the script reads the seed, and its number is 4, not the seed's \(seed)"
    #expect(error.says(.scripts, "\(site.scripts)/4_words.sql:2:3: \(words)"))
  }

  @Test(.tags(.R2)) func `a script without a seed is refused before anything runs`() throws {
    let site = try Site.withNextWords()
    try site.scratch.remove("resources/app.db")

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    let words = "\(site.scripts)/2_words.sql:1:1: the script reads the seed, and there is none"
    #expect(error?.says(.scripts, words) == true)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.R4), arguments: ["UTF-16le", "UTF-16be"])
  func `a seed of another encoding is refused before anything runs`(encoding: String) throws {
    let site = try Site.withNextWords(script: "INSERT INTO note VALUES(5, 1, 'too early');")
    try site.ship("3_words.sql", Site.refresh)
    try site.ship(
      seed: "PRAGMA encoding = '\(encoding)';" + Site.words("(1, 'ant', 'works')", version: 3))

    let error = try error(site)

    let words = "the seed \"\(site.seed)\" is in \(encoding) and the database in UTF-8"
    #expect(error.says(.seed, words))
  }

  @Test(
    .tags(.promise13, .R9),
    arguments: [
      ("CREATE TABLE extra(x);", "CREATE TABLE extra"),
      ("CREATE INDEX by_gloss ON word(gloss);", "CREATE INDEX by_gloss"),
      ("CREATE VIEW short AS SELECT text FROM word;", "CREATE VIEW short"),
      ("CREATE VIRTUAL TABLE find USING fts5(text);", "CREATE VIRTUAL TABLE find"),
      (
        "CREATE TRIGGER t AFTER INSERT ON word BEGIN DELETE FROM note; END;", "CREATE TRIGGER t"
      ),
      ("ALTER TABLE word ADD COLUMN origin;", "ALTER TABLE word"),
      ("DROP TABLE note;", "DROP TABLE note"),
      ("ANALYZE main;", "CREATE TABLE sqlite_stat1"),
    ])
  func `a change of the schema is refused`(sql: String, name: String) throws {
    let site = try Site.withNextWords(script: "-- uplift: reads-seed\n" + sql)

    let error = try error(site)

    #expect(error.kind == .failed)
    #expect(error.message == "\(name) is not allowed in a script that reads the seed")
  }

  private static let ofWord = "the script changes \"word\" of the seed, which can only be read"
  private static let ofSeed = "the script changes the seed, which can only be read"

  @Test(
    .tags(.promise13, .R5),
    arguments: [
      ("DELETE FROM seed.word;", ofWord),
      ("UPDATE main.word SET gloss = ''; UPDATE seed.word SET gloss = '';", ofWord),
      ("INSERT INTO seed.word VALUES(9, 'x', 'y');", ofWord),
      ("DELETE FROM SEED.Word;", ofWord),
      ("CREATE TABLE seed.extra(x);", ofSeed),
      ("DROP TABLE seed.note;", ofSeed),
      ("ALTER TABLE seed.word ADD COLUMN origin;", ofSeed),
      ("CREATE INDEX seed.by_gloss ON word(gloss);", ofSeed),
      ("PRAGMA seed.user_version = 7;", ofSeed),
      ("PRAGMA seed.user_version = 2;", ofSeed),
      ("PRAGMA seed.application_id = 7;", ofSeed),
      ("PRAGMA seed.journal_mode = DELETE;", ofSeed),
      ("PRAGMA seed.optimize;", ofSeed),
      ("ANALYZE seed;", ofSeed),
      ("REINDEX seed.sqlite_autoindex_word_1;", ofSeed),
      ("DETACH seed;", "DETACH is not allowed in a script"),
      ("ATTACH 'other.db' AS other;", "ATTACH is not allowed in a script"),
    ])
  func `a change of the seed is refused`(sql: String, words: String) throws {
    let site = try Site.withNextWords(script: "-- uplift: reads-seed\n" + sql)

    let error = try error(site)

    #expect(error.kind == .failed && error.message == words)
  }

  @Test(.tags(.R5)) func `a table that only the seed has cannot be written without its side`()
    throws
  {
    let site = try Site.withNextWords(
      script: "-- uplift: reads-seed\nINSERT INTO extra VALUES(1);")
    try site.ship(
      seed: Site.words("(1, 'ant', 'works')", version: 2, more: "CREATE TABLE extra(x);"))

    let error = try error(site)

    #expect(error.says(.failed, "the script changes \"extra\" of the seed"))
  }

  @Test(.tags(.promise13, .R6), arguments: [false, true])
  func `a seed that changes while the script runs leaves nothing`(isReplaced: Bool) throws {
    let site = try Site.withNextWords()
    let next = Site.words("(1, 'ant', 'works'), (4, 'dog', 'barks')", version: 2)

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader(target: nil).upgrade {
        guard case .started = $0 else { return }
        if isReplaced {
          try! site.ship(seed: next)
        } else {
          try! Shell.run(site.seed, "INSERT INTO word VALUES(4, 'dog', 'barks');")
        }
      }
    }

    #expect(error == .changedSeed(site.seed))
    #expect(try Shell.run(site.database, "SELECT gloss FROM word;") == "an insect\nbuzzes")
    #expect(try Shell.version(site.database) == 1)
    _ = try site.upgrade(target: nil)
    #expect(try Shell.run(site.database, "SELECT max(text) FROM word;") == "dog")
  }

  @Test(
    .tags(.S22),
    arguments: [
      ("-- uplift: reads-seed\n-- uplift: no-transaction\nSELECT 1;", 2),
      ("-- uplift: no-transaction\n\n-- uplift: reads-seed\nSELECT 1;", 3),
    ])
  func `cannot be outside a transaction as well`(text: String, line: Int) throws {
    let site = try Site.withNextWords(script: text)

    let error = try error(site)

    #expect(error.says(.scripts, "\(site.scripts)/2_words.sql:\(line):1: the directives "))
    #expect(error.message.hasSuffix(" exclude each other"))
  }
}
