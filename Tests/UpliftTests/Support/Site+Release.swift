import Foundation
import TestSupport

extension Site {
  /// Replaces the shipped seed by one that is made by SQL, as a release does.
  ///
  /// It is a new file, and the old one may still be open somewhere.
  func ship(seed sql: String) throws {
    let made = scratch("resources/next.db")
    try scratch.write("", to: "resources/next.db")
    try Shell.run(made, sql)
    try scratch.move("resources/next.db", to: "resources/app.db")
  }

  /// Adds a script to the shipped ones.
  func ship(_ name: String, _ text: String) throws {
    try scratch.write(text, to: "resources/scripts/" + name)
  }

  /// A dictionary whose words come with the program, and notes of its users.
  static func words(_ rows: String, version: Int, more: String = "") -> String {
    """
    CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT);
    CREATE TABLE note(id INTEGER PRIMARY KEY, word REFERENCES word(id), text);
    INSERT INTO word VALUES \(rows);
    \(more)
    PRAGMA user_version = \(version);
    """
  }

  /// Brings the words to those of the seed.
  static let refresh = """
    -- uplift: reads-seed
    INSERT INTO word (id, text, gloss) SELECT id, text, gloss FROM seed.word WHERE true
      ON CONFLICT (id) DO UPDATE SET text = excluded.text, gloss = excluded.gloss
      WHERE (text, gloss) IS NOT (excluded.text, excluded.gloss);
    DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
    """

  /// A site whose database is at version 1 and has a user's note, and whose next release brings
  /// the words of version 2.
  static func withNextWords(
    note: String = "(1, 1, 'mine')", more: String = "", script: String = refresh
  ) throws -> Site {
    let site = try Site(
      seed: words("(1, 'ant', 'an insect'), (2, 'bee', 'buzzes')", version: 1, more: more),
      scripts: ["1_first.sql": "SELECT 1;"])
    _ = try site.upgrade(target: nil)
    try Shell.run(site.database, "INSERT INTO note VALUES \(note);")
    try site.ship(
      seed: words("(1, 'ant', 'works'), (3, 'cat', 'sleeps')", version: 2, more: more))
    try site.ship("2_words.sql", script)
    return site
  }
}
