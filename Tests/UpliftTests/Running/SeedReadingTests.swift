import Foundation
import TestSupport
import Testing
import Uplift

/// A script with the directive `reads-seed` brings the rows of the seed to databases that exist.
struct SeedReadingTests {
  @Test(.tags(.promise13, .R11))
  func `a release brings its rows, and users keep theirs`() throws {
    let site = try Site.withNextWords()

    let upgrade = try site.upgrade(target: nil)

    #expect(upgrade.start == .existing(1))
    #expect(upgrade.applied.map(\.version) == [2])
    #expect(try Shell.run(site.database, "SELECT * FROM word;") == "1|ant|works\n3|cat|sleeps")
    #expect(try Shell.run(site.database, "SELECT * FROM note;") == "1|1|mine")
    #expect(try Shell.version(site.database) == 2)
  }

  /// The scripts before it are one unit with it, so they do not change the answer.
  @Test(.tags(.E3, .promise13)) func `the script is told where the upgrade began`() throws {
    let site = try Site(
      seed: "CREATE TABLE told(version); CREATE TABLE x(a); PRAGMA user_version = 4;",
      scripts: [
        "3_x.sql": "CREATE TABLE x(a);",
        "4_told.sql": "-- uplift: reads-seed\nINSERT INTO told VALUES (upgraded_from());",
      ])
    try site.place("CREATE TABLE told(version); PRAGMA user_version = 2;")

    _ = try site.upgrade(target: nil)

    #expect(try Shell.run(site.database, "SELECT version FROM told;") == "2")
  }

  @Test func `no other script has the function that tells it`() throws {
    let site = try Site(scripts: ["2_two.sql": "SELECT upgraded_from();"])

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(error?.message.hasPrefix("no such function: upgraded_from") == true)
    #expect(error?.remedy == "put -- uplift: reads-seed at the top: only such a script has it")
  }

  @Test(.tags(.promise8, .R3)) func `nothing is written beside the seed, and nothing to it`()
    throws
  {
    let site = try Site.withNextWords()
    let resources = try Snapshot(of: site.scratch("resources"))

    _ = try site.upgrade(target: nil)

    #expect(try Snapshot(of: site.scratch("resources")) == resources)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.promise13, .R3), arguments: ["", "PRAGMA journal_mode=wal;"])
  func `the seed is never opened for writing`(mode: String) throws {
    let site = try Site.withNextWords(more: mode)

    let outcome = try site.boot(target: 2)

    let opened = site.calls().filter { $0.name == "open" && $0.path.hasPrefix("resources/app.db") }
    #expect(outcome.output.contains("-> 2\n"))
    #expect(opened.contains { $0.caller == "sqlite" })
    #expect(opened.allSatisfy { $0.flags & 3 == 0 })
  }

  @Test(.tags(.R3)) func `the seed may be read-only, in a read-only directory and behind a link`()
    throws
  {
    let site = try Site.withNextWords()
    try site.scratch.move("resources/app.db", to: "resources/real/words.db")
    let link = site.scratch("resources/app.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real/words.db")
    for (path, mode) in [("resources/real/words.db", 0o444), ("resources/real", 0o555)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: site.scratch(path))
    }
    defer {
      try? FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: site.scratch("resources/real"))
    }

    _ = try site.upgrade(target: nil)

    #expect(try Shell.run(site.database, "SELECT gloss FROM word;") == "works\nsleeps")
    #expect(site.scratch.names("resources/real") == ["words.db"])
  }

  @Test(.tags(.R3), arguments: [false, true])
  func `the seed may be in WAL mode`(isBytes: Bool) throws {
    let site = try Site.withNextWords()
    try Shell.run(site.seed, "PRAGMA journal_mode=WAL;")
    var upgrader = site.upgrader(target: nil)
    if isBytes {
      let bytes = try #require(site.scratch.bytes("resources/app.db"))
      upgrader = Upgrader(
        database: site.database, seed: .bytes(Array(bytes)), migrations: .directory(site.scripts))
    }

    _ = try upgrader.upgrade()

    #expect(try Shell.run(site.database, "SELECT gloss FROM word;") == "works\nsleeps")
    #expect(!site.scratch.names("resources").contains { $0.hasPrefix("app.db-") })
  }

  @Test(.tags(.R13), arguments: ["PRAGMA page_size = 512;", "PRAGMA page_size = 65536;"])
  func `the seed may have another page size than the database`(size: String) throws {
    let site = try Site.withNextWords()
    try site.ship(seed: size + Site.words("(1, 'ant', 'works')", version: 2))

    _ = try site.upgrade(target: nil)

    #expect(try Shell.run(site.database, "SELECT * FROM word;") == "1|ant|works")
  }

  @Test(.tags(.R13)) func `the seed may be bytes, and the script text in the program`() throws {
    let site = try Site.withNextWords()
    let bytes = try #require(site.scratch.bytes("resources/app.db"))

    _ = try Upgrader(
      database: site.database, seed: .bytes(Array(bytes)),
      migrations: [.sql(2, "words", Site.refresh)]
    ).upgrade()

    #expect(try Shell.run(site.database, "SELECT gloss FROM word;") == "works\nsleeps")
  }

  @Test(.tags(.promise13, .promise4))
  func `a fresh database is a copy and does not run the script`()
    throws
  {
    let site = try Site(seed: Site.words("(1, 'ant', 'works')", version: 2), scripts: [:])
    try site.ship("2_words.sql", "-- uplift: reads-seed\nINSERT INTO nosuch VALUES(1);")

    let upgrade = try site.upgrade(target: nil)

    #expect(upgrade.start == .seeded(2))
    #expect(upgrade.applied == [])
  }

  @Test(.tags(.promise12, .promise13), arguments: GroupTests.intervals)
  func `shares its commit with the scripts before it, and with none after it`(interval: Duration)
    throws
  {
    let site = try Site.withNextWords()
    try site.ship("2_words.sql", "INSERT INTO note VALUES(7, 1, 'before');")
    try site.ship("3_words.sql", Site.refresh)
    try site.ship("4_late.sql", "INSERT INTO note VALUES(8, 3, 'after');")
    try site.ship(seed: Site.words("(1, 'ant', 'works'), (3, 'cat', 'sleeps')", version: 3))
    var options = Upgrader.Options()
    options.commitInterval = interval
    var commits: [Version] = []

    _ = try site.upgrader(target: nil, options: options).upgrade {
      if case .committed(let last) = $0 { commits.append(last) }
    }

    #expect(commits == [3, 4])
    #expect(try Shell.run(site.database, "SELECT text FROM note;") == "mine\nbefore\nafter")
    #expect(try Shell.run(site.database, "PRAGMA foreign_key_check;") == "")
  }

  @Test(.tags(.R10)) func `triggers fire once for each row that changes`() throws {
    let site = try Site.withNextWords(
      more: """
        CREATE TABLE log(what);
        CREATE TRIGGER added AFTER INSERT ON word BEGIN INSERT INTO log VALUES('+' || new.id); END;
        CREATE TRIGGER changed AFTER UPDATE ON word BEGIN INSERT INTO log VALUES('=' || new.id); END;
        CREATE TRIGGER removed AFTER DELETE ON word BEGIN INSERT INTO log VALUES('-' || old.id); END;
        """)

    _ = try site.upgrade(target: nil)

    #expect(try Shell.run(site.database, "SELECT what FROM log;") == "=1\n+3\n-2")
  }

  @Test(.tags(.R10)) func `a full-text index follows the rows by its triggers`() throws {
    let site = try Site.withNextWords(
      more: """
        CREATE VIRTUAL TABLE find USING fts5(text, gloss, content='word', content_rowid='id');
        INSERT INTO find(find) VALUES('rebuild');
        CREATE TRIGGER ai AFTER INSERT ON word BEGIN
          INSERT INTO find(rowid, text, gloss) VALUES(new.id, new.text, new.gloss); END;
        CREATE TRIGGER ad AFTER DELETE ON word BEGIN
          INSERT INTO find(find, rowid, text, gloss) VALUES('delete', old.id, old.text, old.gloss); END;
        CREATE TRIGGER au AFTER UPDATE ON word BEGIN
          INSERT INTO find(find, rowid, text, gloss) VALUES('delete', old.id, old.text, old.gloss);
          INSERT INTO find(rowid, text, gloss) VALUES(new.id, new.text, new.gloss); END;
        """)

    _ = try site.upgrade(target: nil)

    #expect(
      try Shell.run(site.database, "SELECT rowid FROM find('works OR sleeps OR buzzes');") == "1\n3"
    )
    try Shell.run(site.database, "INSERT INTO find(find) VALUES('integrity-check');")
  }

  @Test(arguments: [("rtree(id, x0, x1)", "id"), ("fts5(a)", "rowid"), ("fts4(a)", "rowid")])
  func `a virtual table of the seed can be read`(kind: String, key: String) throws {
    let site = try Site.withNextWords(
      more: "CREATE VIRTUAL TABLE V USING \(kind); INSERT INTO V(\(key)) VALUES(7);",
      script: "-- uplift: reads-seed\nINSERT INTO note(id) SELECT rowid * 7 FROM seed.V;")

    _ = try site.upgrade(target: nil)

    #expect(try Shell.run(site.database, "SELECT id FROM note;") == "1\n49")
  }

  @Test(.tags(.promise10, .R7))
  func `a row that the seed no longer has, and a user's row refers to, stops the script`() throws {
    let site = try Site.withNextWords(note: "(1, 2, 'about bees')")

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    let words = try #require(error).description
    #expect(words.contains("row 1 of \"note\" (\"word\") refers to no row of \"word\""))
    #expect(try Shell.run(site.database, "SELECT gloss FROM word;") == "an insect\nbuzzes")
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.R7))
  func `a row of a user that has the unique text of a new row is what the remedy names`() throws {
    let site = try Site.withNextWords(
      script: "-- uplift: reads-seed\nINSERT INTO word SELECT * FROM seed.word WHERE id = 3;")
    try Shell.run(
      site.database,
      "CREATE UNIQUE INDEX one ON word(text); INSERT INTO word VALUES(9, 'cat', 'mine');")

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(
      error?.remedy
        == "a user's row may have the same text as a row of the seed: the script must say which one "
        + "stays; see New content")
    #expect(try Shell.run(site.database, "SELECT gloss FROM word WHERE id = 9;") == "mine")
  }

  @Test(.tags(.R14)) func `an older program finds a newer database and refuses it`() throws {
    let site = try Site.withNextWords()
    _ = try site.upgrade(target: nil)
    let before = try site.snapshot()
    try site.ship(seed: Site.words("(1, 'ant', 'an insect')", version: 1))
    try site.scratch.remove("resources/scripts/2_words.sql")

    #expect(throws: UpgradeError.newer(2, than: 1)) {
      try site.upgrade(target: nil)
    }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.R2)) func `a current database boots without its seed`() throws {
    let site = try Site.withNextWords()
    _ = try site.upgrade(target: 2)
    try site.scratch.remove("resources/app.db")

    let upgrade = try site.upgrade(target: 2)

    #expect(upgrade.start == .existing(2))
  }
}
