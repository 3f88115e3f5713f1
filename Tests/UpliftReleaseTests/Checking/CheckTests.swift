import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What `check` tells before a release.
struct CheckTests {
  func findings(
    _ seed: String?, _ scripts: [String: String], fixtures: [String: String] = [:],
    target: Version? = nil
  ) throws -> [Finding] {
    let site = try Site(seed: seed, scripts: scripts)
    for (name, sql) in fixtures {
      try site.scratch.write("", to: "fixtures/" + name)
      try Shell.run(site.scratch("fixtures/" + name), sql)
    }
    let upgrader = Upgrader(
      database: site.database, seed: seed == nil ? nil : .file(site.seed),
      migrations: .directory(site.scripts), target: target)
    let all = try upgrader.check(fixtures: fixtures.isEmpty ? [] : [site.scratch("fixtures")]).all
    #expect(site.scratch.bytes("data/app.db") == nil)
    return all
  }

  @Test(.tags(.promise16)) func `finds nothing if there is nothing to find`() throws {
    let scripts = ["2_two.sql": Site.script(2), "3_three.sql": "ALTER TABLE item ADD COLUMN x;"]

    #expect(try findings(Site.seed, scripts) == [])
    #expect(try findings(Site.seed, scripts, fixtures: ["a.db": Site.seed]) == [])
  }

  @Test func `starts from an empty database if the scripts reach back to it`() throws {
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let scripts = ["1_one.sql": table + "CREATE INDEX i ON item(name);", "2_two.sql": "SELECT 1;"]

    let withoutSeed = try findings(
      nil, ["1_one.sql": "CREATE TABLE a(b);", "2.sql": "SELECT nope;"])
    let withSeed = try findings(table + "PRAGMA user_version = 1;", scripts)
    let tooYoung = try findings(
      table + "PRAGMA user_version = 5;", ["6_six.sql": "CREATE TABLE a(b);"])

    #expect(withoutSeed.map(\.kind) == [.scriptFails])
    #expect(withSeed.map(\.kind) == [.schemaDiffers])
    #expect(withSeed.first?.place.file == "an empty database")
    #expect(tooYoung == [])
  }

  @Test func `says where to write an option that a rebuild loses`() throws {
    let rebuild = """
      CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO new SELECT * FROM item; DROP TABLE item; ALTER TABLE new RENAME TO item;
      """

    let lost = try findings(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT) STRICT; PRAGMA user_version = 1;",
      ["2_two.sql": rebuild])

    #expect(lost.map(\.remedy) == ["write STRICT into the definition of the new table"])
  }

  @Test func `tries the scripts on steps in Swift, too`() throws {
    let site = try Site(seed: Site.seed, scripts: [:])
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: [
        .code(2, "longer names") { database in
          try database.execute("CREATE TABLE long(name TEXT NOT NULL CHECK (length(name) > 9))")
        },
        .code(3, "copy") { database in
          try database.execute("INSERT INTO long SELECT name FROM item")
        },
      ])

    let findings = try upgrader.check().all

    #expect(findings.map(\.kind) == [.scriptFails])
    #expect(findings.first?.words.contains("CHECK constraint failed: length(name) > 9") == true)
  }

  @Test func `names the rows that make a script fail after another one has`() throws {
    let findings = try findings(
      "CREATE TABLE a(id INTEGER PRIMARY KEY, x TEXT); PRAGMA user_version = 1;",
      [
        "2.sql": "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL;",
        "3.sql": "CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id));"
          + "CREATE INDEX b_a ON b(a);",
        "4.sql": "ALTER TABLE b ADD COLUMN z INTEGER NOT NULL;",
        "5.sql": "CREATE TABLE c(z TEXT NOT NULL); INSERT INTO c SELECT x FROM a;",
      ])

    #expect(findings.map(\.kind) == [.failsOnRows, .failsOnRows, .failsOnRows])
    let heads: [String] = findings.map { String($0.words.prefix { $0 != ":" }) }
    #expect(
      heads == [
        "fails if there is a row of a (id 1, x 'x 1')",
        "fails if there is a row of b (id 1, a 1)",
        "fails if there is a row of a (id 2, x NULL, y 102)",
      ])
  }

  /// Every database of that release would refuse the new seed.
  @Test(arguments: [0, 5])
  func `finds that released databases have another application_id`(number: Int) throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1; PRAGMA application_id = 77;",
      scripts: ["2.sql": "SELECT 2;"])
    try site.scratch.write("", to: "fixtures/app-1.db")
    try Shell.run(
      site.scratch("fixtures/app-1.db"),
      "CREATE TABLE a(b); PRAGMA user_version = 1; PRAGMA application_id = \(number);")

    let findings = try site.upgrader().check(fixtures: [site.scratch("fixtures")]).all

    #expect(findings.map(\.kind) == [.refused])
  }

  @Test(arguments: [true, false])
  func `names bake only if it can make the seed anew`(hasFirst: Bool) throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); CREATE INDEX i ON a(b); PRAGMA user_version = 1;",
      scripts: [hasFirst ? "1.sql" : "2.sql": hasFirst ? "CREATE TABLE a(b);" : "SELECT 2;"])
    try site.scratch.write("", to: "fixtures/old.db")
    try Shell.run(
      site.scratch("fixtures/old.db"), "CREATE TABLE a(b); PRAGMA user_version = 1;")

    let findings = try site.upgrader().check(fixtures: [site.scratch("fixtures")]).all

    #expect(Set(findings.map(\.kind)) == [.schemaDiffers])
    #expect(findings.contains { $0.remedy.contains("uplift bake --empty") } == hasFirst)
    #expect(findings.allSatisfy { $0.remedy.contains("makes the two schemas equal") })
    if hasFirst {
      try site.bake { $0.beginsEmpty = true }
      #expect(try site.upgrader().check(fixtures: [site.scratch("fixtures")]).all == [])
    }
  }

  @Test func `stops when it is asked to`() throws {
    let site = try Site.release()
    var calls = 0

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().check(isCancelled: {
        calls += 1
        return calls > 3
      }).all
    }

    #expect(error?.kind == .cancelled)
  }

  @Test(arguments: [
    "day TEXT NOT NULL CHECK (day = date(day))",
    "flag BOOLEAN NOT NULL CHECK (flag IN (0, 1))",
    "\"odd \"\"name\" TEXT NOT NULL, \"Ä\" VARCHAR(3) NOT NULL CHECK (length(\"Ä\") <= 3)",
    "a NOT NULL UNIQUE ON CONFLICT ROLLBACK",
  ])
  func `makes up rows that meet the constraints`(columns: String) throws {
    let findings = try findings(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns)); PRAGMA user_version = 1;",
      ["2.sql": "ALTER TABLE t ADD COLUMN added INTEGER NOT NULL;"])

    #expect(findings.map(\.kind) == [.failsOnRows], "\(findings)")
  }

  @Test func `names a table whose constraint no plain row meets`() throws {
    let findings = try findings(
      "CREATE TABLE t(code TEXT NOT NULL CHECK (code IN ('red', 'green'))); PRAGMA user_version = 1;",
      ["2.sql": "ALTER TABLE t ADD COLUMN added INTEGER NOT NULL;"])

    #expect(findings.map(\.kind) == [.notTried])
    #expect(findings.first?.words.hasPrefix("no row could be made up for t, ") == true)
  }

  @Test func `makes up rows that respect references, and fires triggers`() throws {
    let findings = try findings(
      """
      CREATE TABLE team(name TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE player(id INTEGER PRIMARY KEY, team TEXT NOT NULL REFERENCES team, mate INTEGER
        REFERENCES player);
      CREATE INDEX player_team ON player(team);
      CREATE INDEX player_mate ON player(mate);
      CREATE TABLE log(player INTEGER NOT NULL);
      CREATE TRIGGER logged AFTER INSERT ON player BEGIN INSERT INTO log VALUES (new.id); END;
      CREATE TABLE closed(id INTEGER PRIMARY KEY);
      CREATE TRIGGER refused BEFORE INSERT ON closed BEGIN SELECT raise(ABORT, 'closed'); END;
      PRAGMA user_version = 1;
      """,
      [
        "2.sql": """
        CREATE TABLE tried(teams INTEGER NOT NULL CHECK (teams < 0));
        INSERT INTO tried SELECT count(DISTINCT team) FROM player JOIN log ON player = player.id
          HAVING count(*) > 0;
        """
      ])

    #expect(findings.map(\.kind) == [.failsOnRows, .notTried])
    #expect(findings.first?.words.contains(" a row of player (") == true)
    #expect(findings.last?.words.hasSuffix("was tried on its rows: closed") == true)
  }
}
