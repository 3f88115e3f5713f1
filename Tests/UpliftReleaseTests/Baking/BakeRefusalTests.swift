import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What is refused leaves every file as it was.
struct BakeRefusalTests {
  @Test func `refuses a script that fails, and keeps the seed`() throws {
    let site = try Site.release()
    try site.ship("0004_bad.sql", "SELECT nosuch;")
    let before = site.resources

    let failure = site.failure()

    #expect(failure?.kind == .failed)
    #expect(failure?.place?.file == site.scripts + "/0004_bad.sql" && failure?.place?.line == 1)
    #expect(failure?.exitCode == 1)
    #expect(site.resources == before)
  }

  @Test func `refuses a seed with changes in its log`() throws {
    let site = try Site.release()
    try site.scratch.write("log", to: "resources/app.db-wal")
    let before = site.resources

    let failure = site.failure()
    #expect(failure?.kind == .seed)
    #expect(
      failure?.description
        == "the seed \"\(site.seed)\" has changes outside it, in \"\(site.seed)-wal\"")
    #expect(site.resources == before)
  }

  @Test func `refuses a target below the seed`() throws {
    let site = try Site.release()
    try site.bake()

    expectError(.seed, "the target is 2, below the seed's 3") {
      try site.bake(target: 2) { $0.output = site.scratch("two.db") }
    }
    #expect(site.scratch.bytes("two.db") == nil)
  }

  @Test func `refuses a seed whose foreign keys lead nowhere`() throws {
    let site = try Site.release()
    try Shell.run(site.seed, "INSERT INTO note VALUES(5, 9, 'lost');")
    let before = site.resources

    expectError(
      .seed, "the new seed is not sound: row 5 of note refers to a row of Word that is not there"
    ) { try site.bake() }
    #expect(site.resources == before)
  }

  @Test(arguments: [true, false])
  func `refuses a seed with a row that its own constraint forbids`(hasScripts: Bool) throws {
    let site = try Site(
      seed: """
        CREATE TABLE Word(id INTEGER PRIMARY KEY, length INT CHECK(length < 5));
        PRAGMA ignore_check_constraints = ON; INSERT INTO Word VALUES(1, 99);
        PRAGMA user_version = 1;
        """,
      scripts: hasScripts ? ["2_more.sql": "CREATE TABLE more(x);"] : ["1_one.sql": "SELECT 1;"])
    let before = site.resources

    expectError(.seed, "the new seed is not sound: CHECK constraint failed in Word") {
      try site.bake()
    }
    #expect(site.resources == before)
  }

  /// SQLite 3.40.1 says "NULL value in setting.value" of the table, which is sound.
  @Test func `refuses no sound seed of which SQLite complains`() throws {
    let site = try Site.release()
    try Shell.run(
      site.seed,
      """
      CREATE TABLE setting(value TEXT NOT NULL, name TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO setting VALUES ('de', 'lang');
      """)

    #expect(try site.bake().isChanged)
  }

  @Test(arguments: [true, false])
  func `refuses a seed whose index has lost a row`(hasComplaint: Bool) throws {
    let site = try Site.release()
    let complaint = """
      CREATE TABLE setting(value TEXT NOT NULL, name TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO setting VALUES ('de', 'lang');
      """
    try Shell.run(
      site.seed,
      """
      \(hasComplaint ? complaint : "")
      CREATE INDEX gloss ON Word(gloss);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE INDEX gloss ON Word(text)' WHERE name = 'gloss';
      """)
    let before = site.resources

    expectError(.seed, "the new seed is not sound: ") { try site.bake() }
    #expect(site.resources == before)
  }

  @Test func `keeps rows that somebody adds to the seed meanwhile`() throws {
    let site = try Site.release()
    let upgrader = Upgrader(
      database: "", seed: .file(site.seed),
      migrations: .directory(site.scripts)
        + [
          .code(4, "meanwhile") { _ in
            try Shell.run(site.seed, "INSERT OR IGNORE INTO Word VALUES(9, 'late', '');")
          }
        ])

    #expect(throws: UpgradeError.changedSeed(site.seed)) {
      try upgrader.bake()
    }
    #expect(try Shell.run(site.seed, "SELECT text FROM Word WHERE id = 9;") == "late")
    #expect(site.scratch.names("resources") == ["app.db", "scripts"])
  }

  @Test func `needs a file as seed`() throws {
    #expect(throws: UpgradeError.noSeed) {
      try Upgrader(database: "x", migrations: [.sql(1, "one", "SELECT 1;")]).bake()
    }
    let site = try Site.release()
    try site.scratch.remove("resources/app.db")
    #expect(site.failure() == .missingSeed(site.seed))
  }

  @Test func `stops if it is asked to, and keeps the seed`() throws {
    let site = try Site.release()
    let before = site.resources

    #expect(throws: UpgradeError.stopped) {
      try site.upgrader().bake(isCancelled: { true })
    }
    #expect(site.resources == before)
  }
}
