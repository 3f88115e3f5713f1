import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftRelease

struct BakeTests {
  private func site(_ site: Site) -> Data? { site.scratch.bytes("resources/app.db") }

  @Test func `puts the pending scripts into the seed`() throws {
    let site = try Site.release()

    let bake = try site.bake()

    #expect(bake.path == site.seed && bake.version == 3 && bake.isChanged)
    #expect(bake.renamed == nil && bake.varying == [])
    #expect(try Shell.version(site.seed) == 3)
    #expect(
      try Shell.run(site.seed, "SELECT name FROM sqlite_master WHERE name = 'note_word';")
        == "note_word")
    #expect(try Shell.run(site.seed, "SELECT id, text, kind FROM Word;") == "1|ant|\n2|bee|")
    #expect(site.scratch.names("resources") == ["app.db", "scripts"])
  }

  @Test func `keeps the row identifiers that a full-text index refers to`() throws {
    let site = try Site(
      seed: """
        CREATE TABLE Word(text TEXT CHECK(text <> ''), upper AS (upper(text)));
        INSERT INTO Word VALUES('ant'), ('bee'), ('cat');
        DELETE FROM Word WHERE text = 'ant';
        CREATE VIRTUAL TABLE find USING fts5(text, content='Word');
        INSERT INTO find(find) VALUES('rebuild');
        PRAGMA user_version = 1;
        """, scripts: ["2_more.sql": "CREATE TABLE more(x);"])

    try site.bake()

    #expect(
      try Shell.run(site.seed, "SELECT rowid, text, upper FROM Word;") == "2|bee|BEE\n3|cat|CAT")
    #expect(try Shell.run(site.seed, "SELECT text FROM find WHERE find MATCH 'cat';") == "cat")
    // Again, without a script: the same bytes.
    #expect(try !site.bake().isChanged)
  }

  @Test func `gives a database that boots as the same scripts do`() throws {
    let site = try Site.release()
    _ = try site.upgrader().upgrade()
    let before = try Shell.dump(site.database)

    try site.bake()
    try site.scratch.removeAll("data")
    let upgrade = try site.upgrader().upgrade()

    #expect(upgrade.start == .seeded(3))
    #expect(try Shell.dump(site.database) == before)
  }

  @Test(arguments: [
    "", "PRAGMA page_size = 1024;", "PRAGMA encoding = 'UTF-16le';", "PRAGMA auto_vacuum = FULL;",
    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA page_size = 65536;",
  ])
  func `gives the same bytes each time, and again if it starts from them`(settings: String) throws {
    let more = """
      CREATE VIRTUAL TABLE Found USING fts5(text, content='Word', content_rowid='id');
      INSERT INTO Found(Found) VALUES('rebuild');
      CREATE TABLE Pair(A TEXT COLLATE NOCASE, b, PRIMARY KEY(A, b)) WITHOUT ROWID;
      INSERT INTO Pair VALUES('x', 1), ('Y', x'00ff'), ('z', 1.5);
      CREATE INDEX Pair_b ON Pair(b DESC) WHERE b IS NOT NULL;
      CREATE TABLE many(x, y TEXT AS (x || '!') STORED);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO many SELECT i * 7919 % 3001 FROM n;
      CREATE INDEX many_x ON many(x, y);
      DELETE FROM many WHERE x % 3 = 0;
      """
    let sites = try (1...2).map { _ in
      try Site(
        seed: settings + Site.dictionary + more,
        scripts: ["2_next.sql": "CREATE TABLE next(x); INSERT INTO next SELECT x FROM many;"])
    }

    for site in sites { try site.bake() }
    let first = site(sites[0])
    let again = try sites[0].bake()

    #expect(first == site(sites[1]))
    #expect(!again.isChanged && site(sites[0]) == first)
    #expect(try Shell.run(sites[0].seed, "PRAGMA integrity_check;") == "ok")
  }

  @Test(arguments: [("delete", "wal"), ("wal", "delete"), ("wal", nil), ("delete", nil)])
  func `has the journal mode that upgraded databases have`(old: String, new: String?) throws {
    let site = try Site(
      seed: Site.dictionary + "PRAGMA journal_mode = \(old);",
      scripts: ["2_two.sql": "CREATE TABLE two(a);"])
    if let new {
      try site.ship("3_mode.sql", "-- uplift: no-transaction\nPRAGMA journal_mode = \(new);")
    }
    _ = try site.upgrader().upgrade()

    try site.bake()

    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == new ?? old)
    #expect(try Shell.run(site.seed, "PRAGMA journal_mode;") == new ?? old)
  }

  @Test func `has the journal mode of the scripts if it begins empty`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1;",
      scripts: [
        "1_one.sql": "CREATE TABLE a(b);",
        "2_mode.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = wal;",
      ])

    try site.bake { $0.beginsEmpty = true }

    #expect(try Shell.run(site.seed, "PRAGMA journal_mode;") == "wal")
    // No script sets the mode now, so the seed's own counts.
    try site.ship("2_mode.sql", "CREATE TABLE two(a);")
    try site.bake { $0.beginsEmpty = true }
    #expect(try Shell.run(site.seed, "PRAGMA journal_mode;") == "wal")
  }

  @Test func `begins empty, and keeps the application_id`() throws {
    let site = try Site.release()
    try Shell.run(site.seed, "PRAGMA application_id = 77;")
    try site.ship(
      "0001_begin.sql", "CREATE TABLE Word(id INTEGER PRIMARY KEY); CREATE TABLE note(word);")

    let bake = try site.bake { $0.beginsEmpty = true }

    #expect(bake.version == 3)
    #expect(try Shell.run(site.seed, "SELECT count(*) FROM Word;") == "0")
    #expect(try Shell.run(site.seed, "PRAGMA application_id;") == "77")
  }

  /// The word `date` is in `updated`, so the script runs twice.
  @Test(arguments: ["UPDATE word SET a = 1;", "SELECT random();"])
  func `begins empty again, although there is a seed`(script: String) throws {
    let site = try Site(
      seed: nil, scripts: ["1_word.sql": "CREATE TABLE word(a);", "2_change.sql": script])
    try site.bake { $0.beginsEmpty = true }

    #expect(try !site.bake { $0.beginsEmpty = true }.isChanged)
    try site.bake {
      $0.beginsEmpty = true
      $0.isCheck = true
    }
    try site.bake(target: 1) {
      $0.beginsEmpty = true
      $0.output = site.scratch("at1.db")
    }

    #expect(try Shell.version(site.scratch("at1.db")) == 1)
    try Shell.run(site.seed, "CREATE INDEX i ON word(a);")
    let error = site.failure {
      $0.beginsEmpty = true
      $0.isCheck = true
    }
    #expect(
      error?.message == "\"\(site.seed)\" is not what uplift bake --empty would write")
    #expect(error?.remedy == "run uplift bake --empty")
  }

  @Test func `does not begin empty if a script reads the seed`() throws {
    let site = try Site.releaseWithContent()
    let before = site.resources

    let error = site.failure { $0.beginsEmpty = true }

    #expect(error?.exitCode == 65)
    #expect(
      error?.message.hasSuffix("reads the seed, and an empty database does not have its rows")
        == true)
    #expect(site.resources == before)
  }

  @Test func `makes the first seed from the scripts alone`() throws {
    let site = try Site(seed: nil, scripts: ["1_begin.sql": "CREATE TABLE t(x);"])

    let bake = try site.bake { $0.beginsEmpty = true }

    #expect(bake.isChanged && bake.version == 1)
    #expect(try Shell.version(site.seed) == 1)
    #expect(site.scratch.names("resources") == ["app.db", "scripts"])
  }

  @Test func `names the first script that gives other rows each time`() throws {
    let site = try Site.release()
    try site.ship("0004_random.sql", "INSERT INTO note(text) VALUES(hex(randomblob(9)));")
    try site.ship("0005_same.sql", "INSERT INTO note(text) VALUES(coalesce('x', random()));")
    try site.ship(
      "0006_time.sql",
      "CREATE TABLE seen(at DEFAULT CURRENT_TIMESTAMP, x); INSERT INTO seen(x) VALUES(1);")

    let bake = try site.bake()

    #expect(bake.varying == ["0004_random.sql"])
    #expect(bake.version == 6)
  }

  @Test func `notices a clock in a default that an earlier script has declared`() throws {
    let site = try Site(
      seed: "CREATE TABLE seen(at DEFAULT CURRENT_TIMESTAMP, x); PRAGMA user_version = 1;",
      scripts: ["0002_same.sql": "SELECT 1;", "0003_seen.sql": "INSERT INTO seen(x) VALUES(1);"])

    #expect(try site.bake().varying == ["0003_seen.sql"])
    #expect(try site.bake().varying == [])
  }

  /// The second bake waits for a second.
  @Test(arguments: ["UPDATE note SET text = 'time';", "-- at random\nDELETE FROM note;"])
  func `does not bake twice for a script that only looks as if it gave other rows`(script: String)
    throws
  {
    #expect(try connections(toBake: script) == connections(toBake: "DELETE FROM note;"))
    #expect(
      try connections(toBake: script) < connections(toBake: "UPDATE note SET text = random();"))
  }

  /// The number of connections that a bake with this script opens for steps.
  private func connections(toBake script: String) throws -> Int {
    let site = try Site.release()
    try site.ship("0004_note.sql", script)
    let count = Mutex(0)
    let upgrader = Upgrader(
      database: "", seed: .file(site.seed), migrations: .directory(site.scripts),
      prepare: { _ in count.withLock { $0 += 1 } })
    _ = try upgrader.bake()
    return count.withLock { $0 }
  }

  @Test func `runs steps in Swift`() throws {
    let site = try Site.release()
    let upgrader = Upgrader(
      database: "", seed: .file(site.seed),
      migrations: .directory(site.scripts)
        + [.code(4, "in Swift") { try $0.execute("UPDATE Word SET kind = 'noun'") }])

    let bake = try upgrader.bake()

    #expect(bake.version == 4 && bake.varying == [])
    #expect(try Shell.run(site.seed, "SELECT DISTINCT kind FROM Word;") == "noun")
  }
}
