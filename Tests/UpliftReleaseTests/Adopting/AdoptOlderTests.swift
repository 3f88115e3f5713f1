import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// A database that is older than the seed and has its schema.
///
/// The scripts cannot show its history, because the seed is above it and no script is the first.
struct AdoptOlderTests: AdoptSuite {
  /// Scripts that change rows and leave the schema as it is.
  static let changesOfRows = [
    "UPDATE t SET price = price * 100;",
    """
    CREATE TEMP TABLE rate(f); INSERT INTO rate VALUES(100);
    UPDATE t SET price = price * (SELECT f FROM rate); DROP TABLE rate;
    """,
    """
    DROP TRIGGER tu; UPDATE t SET price = price * 100;
    CREATE TRIGGER tu AFTER UPDATE OF price ON t BEGIN SELECT 1; END;
    """,
    "DROP TABLE IF EXISTS cache; UPDATE t SET price = price * 100;",
    "CREATE TABLE IF NOT EXISTS t(a); UPDATE t SET price = price * 100;",
    // The seed has this row already.
    "CREATE TEMP TABLE x(y); INSERT INTO t(id, price) VALUES(7, 1);",
    "-- uplift: reads-seed\nCREATE TEMP TABLE x AS SELECT 1; DELETE FROM t;",
  ]

  private func site(script: String, seed: String = "") throws -> Site {
    let table = """
      CREATE TABLE t(id INTEGER PRIMARY KEY, price INTEGER);
      CREATE TRIGGER tu AFTER UPDATE OF price ON t BEGIN SELECT 1; END;
      """
    let site = try Site(
      seed: table + "ALTER TABLE t ADD COLUMN currency; INSERT INTO t VALUES(7, 1, 'EUR');\(seed)"
        + "PRAGMA user_version = 3;",
      scripts: [
        "2_currency.sql": "ALTER TABLE t ADD COLUMN currency;", "3_change.sql": script,
      ])
    try site.place(table + "ALTER TABLE t ADD COLUMN currency; \(seed)")
    return site
  }

  @Test(.tags(.promise16, .O15), arguments: changesOfRows)
  func `may lack the rows of a script that leaves the schema as it is`(script: String) throws {
    let site = try site(script: script)

    let error = try failure(site)

    #expect(error == .severalVersions(path: site.database, [2, 3]))
    #expect(try upgrader(site).adopt(version: 2).version == 2)
    #expect(try upgrader(site).upgrade().applied.map(\.version) == [3])
  }

  /// Scripts 2 and 3, of which the second undoes what the first has changed in the schema.
  static let undone: [[String]] = [
    ["CREATE INDEX i ON t(state);", "UPDATE t SET state = 'in'; DROP INDEX i;"],
    ["CREATE VIEW v AS SELECT state FROM t;", "UPDATE t SET state = 'in'; DROP VIEW v;"],
    [
      "CREATE TABLE map(a); INSERT INTO map VALUES (1);", "UPDATE t SET state = 1; DROP TABLE map;",
    ],
    ["ALTER TABLE t ADD COLUMN x;", "UPDATE t SET state = x; ALTER TABLE t DROP COLUMN x;"],
    ["ALTER TABLE t RENAME TO u;", "UPDATE u SET state = 1; ALTER TABLE u RENAME TO t;"],
  ]

  /// The seed is at 2 or 3, and the database at 1.
  @Test(.tags(.promise16, .O15), arguments: undone, [2, 3])
  func `may lack the changes of scripts of which one undoes another`(
    scripts: [String], seed: Int32
  ) throws {
    let site = try Site(
      seed: "CREATE TABLE t(id INTEGER PRIMARY KEY, state); INSERT INTO t VALUES (1, NULL);"
        + "PRAGMA user_version = 1;",
      scripts: [
        "2_make.sql": scripts[0], "3_undo.sql": scripts[1],
        "4_clean.sql": "DELETE FROM t WHERE state IS NULL; CREATE TABLE next(a);",
      ])
    try site.place("CREATE TABLE t(id INTEGER PRIMARY KEY, state); INSERT INTO t VALUES (7, NULL);")
    _ = try upgrader(site, target: Version(integerLiteral: seed)).bake()

    #expect(try failure(site) == .severalVersions(path: site.database, [1, 3]))
    #expect(try upgrader(site).adopt(version: 1).version == 1)
    #expect(try upgrader(site).upgrade().applied.map(\.version) == [2, 3, 4])
  }

  /// The history from an empty database, which would know it, fails.
  @Test(.tags(.promise16, .O15))
  func `may lack the changes of undone scripts although there is a script 1`() throws {
    let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, state);"
    let site = try Site(
      seed: table + "INSERT INTO t VALUES (1, 'in'); PRAGMA user_version = 3;",
      scripts: [
        "1_t.sql": table + "INSERT INTO nowhere VALUES (1);", "2_make.sql": Self.undone[0][0],
        "3_undo.sql": Self.undone[0][1],
      ])
    try site.place(table)

    #expect(try failure(site) == .severalVersions(path: site.database, [1, 3]))
  }

  /// The words are the trigger's, and it speaks of a row.
  @Test(.tags(.promise16, .O15)) func `may lack the rows of a script that a trigger stops`() throws
  {
    let table = """
      CREATE TABLE t(id INTEGER PRIMARY KEY);
      CREATE TRIGGER twice BEFORE INSERT ON t WHEN EXISTS (SELECT 1 FROM t WHERE id = new.id)
      BEGIN SELECT RAISE(ABORT, 'this row already exists'); END;
      """
    let site = try Site(
      seed: table + "INSERT INTO t VALUES (7); PRAGMA user_version = 3;",
      scripts: [
        "2_two.sql": "SELECT 2;",
        "3_three.sql": "CREATE TEMP TABLE x(y); INSERT INTO t VALUES (7);",
      ])
    try site.place(table)

    #expect(try failure(site) == .severalVersions(path: site.database, [1, 2, 3]))
  }

  /// A script of the seed cannot run on a database that has the schema of a later version.
  @Test(
    .tags(.promise16, .O15),
    arguments: [
      ("ALTER TABLE t ADD COLUMN c;", "ALTER TABLE t RENAME COLUMN c TO d;"),
      (
        "CREATE TABLE u(id INTEGER PRIMARY KEY, state, c); INSERT INTO u SELECT *, 1 FROM t; "
          + "DROP TABLE t; ALTER TABLE u RENAME TO t;", "ALTER TABLE t ADD COLUMN d;"
      ),
      (
        "INSERT INTO t(state) VALUES (1); CREATE TABLE n(a);",
        "ALTER TABLE t RENAME COLUMN state TO s;"
      ),
      ("UPDATE t SET state = 'in';", "ALTER TABLE t ADD COLUMN d;"),
    ])
  func `is known to be above the seed`(second: String, third: String) throws {
    let site = try Site(
      seed: "CREATE TABLE t(id INTEGER PRIMARY KEY, state); PRAGMA user_version = 1;",
      scripts: ["2_two.sql": second, "3_three.sql": third])
    try upgrader(site).upgrade()
    _ = try upgrader(site, target: 2).bake()
    try Shell.run(site.database, "PRAGMA user_version = 0;")

    #expect(try failure(site, 1) == .unknownVersion(1, target: 3))
    #expect(try upgrader(site).adopt().version == 3)
  }

  /// A script of the seed drops the object, so the database is older.
  @Test(
    .tags(.promise16, .O15),
    arguments: [
      ("CREATE INDEX i ON t(state);", "DROP INDEX i;", "index i"),
      (
        "CREATE TABLE schema_migrations(version);", "DROP TABLE \"schema_migrations\";",
        "table schema_migrations"
      ),
    ])
  func `is not at the version of a script that drops what it has`(
    made: String, dropped: String, object: String
  ) throws {
    let site = try Site(
      seed: "CREATE TABLE t(id INTEGER PRIMARY KEY, state); PRAGMA user_version = 3;",
      scripts: ["3_drop.sql": dropped + "UPDATE t SET state = 'in';"])
    try site.place("CREATE TABLE t(id INTEGER PRIMARY KEY, state);" + made)

    #expect(differences(try failure(site)) == ["\(object) is not in version 3"])
    try Shell.run(site.database, "PRAGMA user_version = 3;")
    let verification = try upgrader(site).verify()
    #expect(verification?.differences.map(\.description) == ["\(object) is not in version 3"])
  }

  /// Before `DROP TABLE IF EXISTS`, the table may have been there.
  @Test(.tags(.O15)) func `has no known schema before a script that may change it`() throws {
    let site = try site(script: "DROP TABLE IF EXISTS cache;")
    try Shell.run(site.database, "CREATE TABLE cache(a);")

    #expect(try failure(site, 2) == .unknownVersion(2, target: 3))
    let error = try failure(site)
    #expect(differences(error) == ["table cache is not in version 3"])
    #expect(nearest(error) == [3])
    #expect(
      error?.remedy
        == "if the database is older than 3, name an older seed: uplift adopt --database FILE "
        + "--seed FILE --migrations DIR; if the additional objects are to stay, look up the "
        + "version of the release that used this database, and set PRAGMA user_version in the database "
        + "to that version; otherwise change the schema until it is that of 3, then run uplift adopt again"
    )
  }

  /// Version 3 has other rows than version 2.
  @Test(.tags(.O15)) func `names no version if several are as near`() throws {
    let site = try Site(
      seed: nil,
      scripts: [
        "1_a.sql": "CREATE TABLE guests(name TEXT, paid INT);",
        "2_b.sql": "CREATE INDEX by_name ON guests(name);",
        "3_c.sql": """
        DROP INDEX by_name; CREATE INDEX by_name ON guests(name, paid);
        UPDATE guests SET paid = paid * 100;
        """,
      ])
    try site.place(
      """
      CREATE TABLE guests(name TEXT, paid INT);
      CREATE INDEX by_name ON guests(name COLLATE NOCASE);
      """)

    let error = try failure(site)

    #expect(nearest(error) == [1, 2, 3])
    #expect(
      error?.remedy
        == "find out which of 1, 2 and 3 the database had, change the schema until it is that of "
        + "this version, then run uplift adopt --to N; or name the right database")
  }

  @Test(
    .tags(.O15),
    arguments: [
      ("CREATE TABLE more(a);", "CREATE TABLE more(a);"),
      ("ALTER TABLE t ADD COLUMN note;", "ALTER TABLE t ADD COLUMN note;"),
      ("DROP INDEX gone;", ""), ("DROP TABLE gone;", ""), ("DROP VIEW gone;", ""),
      ("UPDATE t SET old = 1; ALTER TABLE t DROP COLUMN old;", ""),
      ("CREATE INDEX i ON t(price);", "CREATE INDEX i ON t(price);"),
      // On the seed it fails only because of the new name.
      ("ALTER TABLE t RENAME TO u;", "ALTER TABLE t RENAME TO u;"),
    ])
  func `is not thought of if the script needs another schema`(script: String, change: String)
    throws
  {
    let site = try site(script: script, seed: change)

    #expect(try upgrader(site).adopt().version == 3)
  }

  @Test(.tags(.promise16, .O15), arguments: [true, false])
  func `may lack the rows of a step in Swift`(changesSchema: Bool) throws {
    let site = try Site(seed: Site.seed.replacing("user_version = 1", with: "user_version = 3"))
    try site.place(Site.seed + "PRAGMA user_version = 0;")
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: [
        .sql(2, "nothing", "SELECT 1;"),
        .code(3, "change") { database in
          if changesSchema { try database.execute("DROP TABLE gone") }
          try database.execute("UPDATE item SET name = name")
        },
      ])

    if changesSchema {
      #expect(try upgrader.adopt().version == 3)
    } else {
      let error = try failure(site, upgrader: upgrader)
      #expect(error == .severalVersions(path: site.database, [1, 2, 3]))
    }
  }

  /// Nobody would drop all tables to have the schema of an empty database.
  @Test(.tags(.O15)) func `is compared with no version without tables`() throws {
    let site = try Site(
      seed: nil, scripts: ["1_one.sql": "CREATE TABLE one(a CHECK(a LIKE '%@%'));"])
    try site.place("CREATE TABLE one(a CHECK(a LIKE '%@%.%'));")

    let error = try failure(site)
    #expect(nearest(error) == [1])
    #expect(
      error?.remedy
        == "change the schema until it is that of 1, then run uplift adopt again; "
        + "or name the right database")
  }

  private func nearest(_ error: ReleaseError?) -> [Version] {
    guard case .notRecognised(let found) = error else { return [] }
    return found.nearest
  }
}
