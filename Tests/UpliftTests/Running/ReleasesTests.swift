import Foundation
import TestSupport
import Testing
import Uplift

/// Users boot some releases and skip others; each release has a seed with other rows.
struct ReleasesTests {
  /// The seed, the scripts and the words of one release.
  private struct Release {
    let version: Int
    let columns: [String]
    /// Words that users refer to are never removed.
    let rows: [Int: String]

    var schema: String {
      """
      CREATE TABLE word(\((["id INTEGER PRIMARY KEY", "text"] + columns).joined(separator: ", ")));
      CREATE TABLE note(id INTEGER PRIMARY KEY, word REFERENCES word(id), text);
      """
    }

    var seed: String {
      let inserts = rows.sorted { $0.key < $1.key }
        .map { "INSERT INTO word(id, text) VALUES(\($0.key), '\($0.value)');" }
      let fills = columns.map { "UPDATE word SET \($0) = text || '\($0)';" }
      return schema + (inserts + fills).joined() + "PRAGMA user_version = \(version);"
    }

    var refresh: String {
      let names = (["id", "text"] + columns).joined(separator: ", ")
      let values = ["text"] + columns
      return """
        -- uplift: reads-seed
        INSERT INTO word (\(names)) SELECT \(names) FROM seed.word WHERE true
          ON CONFLICT (id) DO UPDATE
          SET \(values.map { "\($0) = excluded.\($0)" }.joined(separator: ", "));
        DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
        """
    }
  }

  /// Releases with random words; some of them add a column first.
  private static func releases(_ dice: inout Dice) -> [Release] {
    var releases: [Release] = []
    var version = 1
    var columns: [String] = []
    for index in 0..<dice.number(2...5) {
      if index > 0 {
        if dice.once(in: 2) {
          version += 1
          columns.append("c\(version)")
        }
        version += 1
      }
      var rows = [1: "w\(dice.number(0...3))", 2: "w\(dice.number(0...3))"]
      for id in 3...9 where dice.once(in: 2) { rows[id] = "w\(dice.number(0...3))" }
      releases.append(Release(version: version, columns: columns, rows: rows))
    }
    return releases
  }

  @Test(.tags(.promise13, .R11), arguments: 1...4)
  func `every path through the releases ends with the last words and all notes`(seed: Int) throws {
    var dice = Dice(UInt64(seed))
    for _ in 0..<15 {
      let releases = Self.releases(&dice)
      let last = releases[releases.count - 1]
      let site = try Site(seed: nil, scripts: [:])
      var notes: [String] = []
      var booted: [Int] = []
      for (index, release) in releases.enumerated() {
        guard release.version == last.version || dice.once(in: 2) else { continue }
        try site.scratch.removeAll("resources/scripts")
        try site.ship(seed: release.seed)
        for (older, newer) in zip(releases, releases[...index].dropFirst()) {
          guard let added = newer.columns.last, newer.columns != older.columns else { continue }
          try site.ship("\(newer.version - 1)_column.sql", "ALTER TABLE word ADD COLUMN \(added);")
        }
        try site.ship("\(release.version)_words.sql", release.refresh)

        _ = try site.upgrade(target: nil)

        booted.append(release.version)
        notes.append("\(notes.count + 1)|\(dice.number(1...2))|mine")
        let fields = notes[notes.count - 1].split(separator: "|")
        try Shell.run(
          site.database, "INSERT INTO note VALUES(\(fields[0]), \(fields[1]), '\(fields[2])');")
      }

      let words = "SELECT * FROM word ORDER BY id;"
      #expect(try Shell.run(site.database, words) == Shell.run(site.seed, words), "\(booted)")
      #expect(
        try Shell.run(site.database, "SELECT * FROM note ORDER BY id;")
          == notes.joined(separator: "\n"), "\(booted)")
      #expect(try Shell.version(site.database) == last.version, "\(booted)")
    }
  }
}
