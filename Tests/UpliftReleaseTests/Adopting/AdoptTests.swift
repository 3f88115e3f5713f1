import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// A database that has lost its version gets it back, if its schema proves which one it is.
struct AdoptTests: AdoptSuite {
  @Test(.tags(.promise16, .O15), arguments: [1, 2, 3, 4] as [Version], ["delete", "wal"])
  func `writes the only version that fits`(version: Version, journal: String) throws {
    let site = try site(at: version, "PRAGMA journal_mode = \(journal);")
    let before = try Shell.dump(site.database)

    let adoption = try upgrader(site).adopt()

    #expect(adoption.version == version && adoption.others == [])
    #expect(try Shell.version(site.database) == Int(version.number))
    #expect(try Shell.dump(site.database) == before)
    #expect(site.scratch.names("data") == ["app.db"])
    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == journal)
    #expect(try upgrader(site).upgrade().start == .existing(version))
  }

  /// The script of new content changes rows only, so the schema does not tell whether it has run.
  @Test(.tags(.promise16, .O15)) func `does not assume that a script with new rows has run`() throws
  {
    let site = try Site(
      seed: Site.seed.replacing("user_version = 1", with: "user_version = 3"),
      scripts: [
        "2_word.sql": "CREATE TABLE word(id INTEGER PRIMARY KEY);",
        "3_refresh.sql": "-- uplift: reads-seed\nUPDATE item SET name = name;",
      ])
    try site.place(Site.seed + "PRAGMA user_version = 0;")

    let error = try failure(site)

    #expect(error?.versions == [2, 3])
    #expect(try upgrader(site).adopt(version: 2).version == 2)
    #expect(try upgrader(site).upgrade().applied.map(\.version) == [3])
  }

  /// With an older seed, the script that reads the seed cannot run, and it changes no schema.
  @Test(.tags(.O15), arguments: [2, 3, 4] as [Version])
  func `compares with the history of an older seed`(version: Version) throws {
    let site = try Site(
      seed: Site.seed,
      scripts: [
        "2_word.sql": "ALTER TABLE item ADD COLUMN b;", "3_other.sql": "CREATE TABLE other(x);",
        "4_refresh.sql": "-- uplift: reads-seed\nUPDATE item SET name = name;",
      ])
    let changes = "ALTER TABLE item ADD COLUMN b;" + (version > 2 ? "CREATE TABLE other(x);" : "")
    try site.place(Site.seed + changes + "PRAGMA user_version = 0;")

    if version == 2 {
      #expect(try upgrader(site).adopt().version == 2)
    } else {
      #expect(try failure(site)?.versions == [3, 4])
      #expect(try upgrader(site).adopt(version: version).version == version)
    }
  }

  @Test func `a script that drops a table changes more than rows`() throws {
    let site = try Site(
      seed: Site.seed.replacing("user_version = 1", with: "user_version = 3"),
      scripts: ["2_one.sql": "SELECT 1;", "3_drop.sql": "DROP TABLE word;"])
    try site.place(Site.seed + "PRAGMA user_version = 0;")

    #expect(try upgrader(site).adopt().version == 3)
  }

  @Test func `recognises a dump, and gives it its application back`() throws {
    let site = try site(at: 3, seed: Site.seed + "PRAGMA application_id = 77;")
    let dump = try Shell.dump(site.database)
    try site.scratch.remove("data/app.db")
    try site.place(dump)

    #expect(try upgrader(site).adopt().version == 3)

    #expect(try Shell.run(site.database, "PRAGMA application_id;") == "77")
    #expect(try upgrader(site).upgrade().start == .existing(3))
  }

  @Test func `knows the history from an empty database, too`() throws {
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let scripts = Self.scripts.merging(["0001_item.sql": table]) { $1 }
    // The seed has something that the scripts do not make.
    let site = try Site(
      seed: table + "ALTER TABLE item ADD COLUMN kind TEXT; CREATE VIEW v AS SELECT 1;"
        + "PRAGMA user_version = 2;", scripts: scripts)
    let both = try self.site(at: 3, seed: nil, scripts: scripts)
    let first = try self.site(at: 1, seed: nil, scripts: scripts)
    for other in [both, first] {
      try site.scratch.write(
        try #require(other.scratch.bytes("data/app.db")), to: "data/app.db")

      let adoption = try upgrader(site).adopt()

      #expect(adoption.version == (other.database == both.database ? 3 : 1))
    }
    try site.place("DELETE FROM item; CREATE VIEW v AS SELECT 1; PRAGMA user_version = 0;")
    #expect(try differences(failure(site, 1)) == ["view v is not in version 1"])
  }

  @Test func `goes by the other history if one cannot be run`() throws {
    let scripts = ["1_one.sql": "CREATE INDEX i ON item(gone);", "2_two.sql": "CREATE TABLE a(b);"]
    let site = try site(at: 2, scripts: scripts)

    #expect(try upgrader(site).adopt().version == 2)

    try Shell.run(site.database, "PRAGMA user_version = 0;")
    try site.scratch.write("SELECT nope;", to: "resources/scripts/2_two.sql")
    let error = try failure(site)
    #expect(error?.error.kind == .scripts && error?.error.exitCode == 65)
    #expect(
      error?.error.description
        == "\(site.scripts)/2_two.sql:1:8: no such column: nope (SQLITE_ERROR, 1); the scripts do not lead from "
        + "\(site.seed) to 2")
  }

  @Test(.tags(.O15)) func `writes nothing if no version fits, and shows the nearest`() throws {
    let site = try site(at: 3, "ALTER TABLE item ADD COLUMN mine; DROP INDEX item_name;")

    let error = try failure(site)

    #expect(error?.error.exitCode == 78)
    #expect(
      error?.error.description
        == "\"\(site.database)\" has the schema of no version, and is nearest to 2: "
        + "column item.mine is not in version 2")
    #expect(
      error?.error.remedy
        == "change the schema until it is that of the version that the database had, then run "
        + "uplift adopt again; or if the differences are to stay, set PRAGMA user_version to that "
        + "version")
  }

  /// A script that brings new content is known by its statements, not by a word in a name or a
  /// comment.
  @Test(.tags(.O15, .promise16), arguments: ["created_at", "text"])
  func `does not take a database for one with new content`(column: String) throws {
    let site = try Site(
      seed: """
        CREATE TABLE word(id INTEGER PRIMARY KEY, \(column) TEXT);
        INSERT INTO word VALUES(1, 'old'); PRAGMA user_version = 1;
        """, scripts: ["0001_words.sql": "SELECT 1;"])
    _ = try site.overwrite("word")
    try Shell.run(site.seed, "UPDATE word SET \(column) = 'new';")
    try site.place("CREATE TABLE word(id INTEGER PRIMARY KEY, \(column) TEXT);")
    try site.bake { $0.hasNewContent = true }

    #expect(try failure(site)?.versions == [1, 2])
  }

  @Test(.tags(.O15)) func `writes nothing if several versions fit, but the one that is named`()
    throws
  {
    var scripts = Self.scripts
    scripts["0005_rows.sql"] = Site.script(5)
    scripts["0006_rows.sql"] = Site.script(6)
    let site = try site(at: 5, scripts: scripts)

    let error = try failure(site)
    let other = try failure(site, 3)

    #expect(error?.versions == [4, 5, 6])
    #expect(error?.error.exitCode == 78)
    #expect(error?.error.description == "\"\(site.database)\" has the schema of 4, 5, 6")
    #expect(
      error?.error.remedy == "find out which one it is, then name it: uplift adopt --to N")
    #expect(
      other?.error.description
        == "\"\(site.database)\" does not have the schema of 3: table note is not "
        + "in version 3, index item_name is missing")
    #expect(try upgrader(site).adopt(version: 5).version == 5)
    #expect(try Shell.version(site.database) == 5)
  }

  @Test func `refuses a version that no script makes`() throws {
    let site = try site(at: 3)

    #expect(try failure(site, 7)?.error == .unknownVersion(7))
    #expect(try failure(site, 7)?.error.exitCode == 66)
    try site.scratch.move(
      "resources/scripts/0004_no_index.sql", to: "resources/scripts/0009_no_index.sql")
    #expect(
      try failure(site, 4)?.error.description
        == "neither the seed nor a script leads to 4, so its schema is not known")
  }

  @Test(.tags(.promise7, .promise16)) func `recognises that a database is newer than the target`()
    throws
  {
    let site = try site(at: 3)

    let newer = try failure(site, upgrader: upgrader(site, target: 2))
    let named = try failure(site, 3, upgrader: upgrader(site, target: 2))
    let adoption = try upgrader(site, target: 4).adopt()

    #expect(newer?.error == .newer(3, than: 2))
    #expect(named?.error == .newer(3, than: 2))
    #expect(adoption.version == 3)
  }

  @Test func `leaves an operator's indexes and Litestream's tables out of it`() throws {
    let site = try site(
      at: 3,
      """
      CREATE UNIQUE INDEX by_kind ON ITEM(kind);
      CREATE TABLE _Litestream_seq(id INTEGER PRIMARY KEY, seq INTEGER);
      CREATE INDEX _litestream_index ON _litestream_seq(seq);
      INSERT INTO item(name) VALUES ('a'); ANALYZE;
      """)

    let adoption = try upgrader(site).adopt()

    #expect(adoption.version == 3)
    #expect(adoption.others == ["index by_kind on item", "table _Litestream_seq"])
  }

  @Test func `leaves the tables of an operator and of other tools out of it`() throws {
    let sql = "CREATE TABLE tool(version); CREATE UNIQUE INDEX tools ON tool(version);"
    let site = try site(at: 3, sql)
    let own = try self.site(
      at: 3, scripts: Self.scripts.merging(["0005_own.sql": "CREATE TABLE tool(version);"]) { $1 },
      sql)

    let adoption = try upgrader(site).adopt()

    #expect(adoption.version == 3)
    #expect(adoption.others == ["table tool"])
    #expect(try upgrader(site).verify()?.others == ["table tool"])
    #expect(try differences(failure(own, 3)) == ["table tool is not in version 3"])
  }

  @Test(
    arguments: [
      ("CREATE VIEW extra AS SELECT 1;", ["view extra is not in version 2"]),
      (
        "CREATE TRIGGER extra AFTER DELETE ON item BEGIN SELECT 1; END;",
        ["trigger extra is not in version 2"]
      ),
      // The scripts make an index of this name at another version.
      ("CREATE INDEX Item_Name ON item(name);", ["index Item_Name is not in version 2"]),
      // At another version the scripts make a table of this name.
      ("CREATE TABLE NOTE(a);", ["table NOTE is not in version 2"]),
    ])
  func `counts everything else that no script makes`(sql: String, expected: [String]) throws {
    let site = try site(at: 2, sql)

    #expect(try differences(failure(site, 2)) == expected)
  }

  @Test func `tells apart indexes that sort in different ways`() throws {
    let scripts = [
      "2_two.sql": "CREATE TABLE a(b TEXT COLLATE NOCASE); CREATE INDEX i ON a(b);",
      "3_three.sql": "DROP INDEX i; CREATE INDEX i ON a(b COLLATE BINARY);",
    ]

    for version in [2, 3] as [Version] {
      let site = try site(at: version, scripts: scripts)
      #expect(try upgrader(site).adopt().version == version)
    }
  }

  @Test(arguments: ["fts5(text)", "rtree(id, a, b)"])
  func `is not confused by the tables of virtual tables`(module: String) throws {
    var scripts = Self.scripts
    scripts["0005_search.sql"] = "CREATE VIRTUAL TABLE search USING \(module);"
    let site = try site(at: 5, scripts: scripts)

    #expect(try upgrader(site).adopt().version == 5)
  }

  /// A rebuild that runs twice sets the user's value back.
  private static let orders = """
    CREATE TABLE orders(id INTEGER PRIMARY KEY, what TEXT);
    PRAGMA user_version = 1;
    """
  private static let status = """
    CREATE TABLE new_orders(id INTEGER PRIMARY KEY, what TEXT, status TEXT NOT NULL);
    INSERT INTO new_orders SELECT id, what, 'open' FROM orders;
    DROP TABLE orders; ALTER TABLE new_orders RENAME TO orders;
    """

  /// The seed is at 2, and the database has the schema of 2, as after `.dump`.
  private func orders(_ database: String) throws -> Site {
    let site = try Site(seed: Self.orders, scripts: ["0002_status.sql": Self.status])
    try site.scratch.copy("resources/app.db", to: "old/app-1.db")
    try site.bake()
    try site.place(database + "PRAGMA user_version = 0;")
    return site
  }

  @Test(.tags(.promise16, .T4)) func `never writes a version whose schema is not known`() throws {
    let site = try orders(
      "CREATE TABLE orders(id INTEGER PRIMARY KEY, what TEXT, status TEXT NOT NULL);"
        + "INSERT INTO orders VALUES (1, 'tea', 'sent');")

    let unknown = try failure(site, 1)
    try site.scratch.copy("old/app-1.db", to: "Released/app-1.db")
    let known = try failure(site, 1)
    let adoption = try upgrader(site).adopt()
    try upgrader(site).upgrade()

    #expect(unknown?.error == .unknownVersion(1) && unknown?.versions == [])
    #expect(
      known?.error.description
        == "\"\(site.database)\" does not have the schema of 1: column orders.status is not in "
        + "version 1")
    #expect(adoption.version == 2)
    #expect(try Shell.run(site.database, "SELECT status FROM orders;") == "sent")
  }

  @Test(.tags(.promise16, .T4), arguments: ["Released", "old"])
  func `knows a version below the seed from an older database only`(directory: String) throws {
    let site = try orders("CREATE TABLE orders(id INTEGER PRIMARY KEY, what TEXT);")
    let refused = try failure(site)
    if directory == "Released" {
      try site.scratch.copy("old/app-1.db", to: "Released/app-1.db")
    }
    let fixtures = directory == "old" ? [site.scratch("old")] : []

    let adoption = try upgrader(site).adopt(fixtures: fixtures)

    #expect(refused?.versions == [2])
    #expect(
      refused?.error.remedy.hasPrefix(
        "if the database is older than 2, name a directory with the seed of its release: "
          + "uplift adopt --fixtures DIR; otherwise ") == true)
    #expect(adoption.version == 1)
    #expect(try upgrader(site).verify(fixtures: fixtures)?.fits == true)
    #expect(try upgrader(site).upgrade().applied.map(\.version) == [2])
  }

  @Test(.tags(.promise16, .T4))
  func `knows no version below the seed of a program with steps in Swift`() throws {
    let site = try orders(
      "CREATE TABLE orders(id INTEGER PRIMARY KEY, what TEXT, status TEXT NOT NULL);")
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: [.code(2, "status") { database in try database.execute(Self.status) }])

    let unknown = try failure(site, 1, upgrader: upgrader)

    #expect(unknown?.error == .unknownVersion(1))
    #expect(try upgrader.adopt().version == 2)
  }

  @Test(.tags(.T4)) func `says that the lowest is right if only content lies between`() throws {
    let site = try Site(
      seed: Site.dictionary, scripts: ["2_kind.sql": "ALTER TABLE Word ADD kind;"])
    try site.bake()
    _ = try site.overwrite("Word")
    try site.bake { $0.hasNewContent = true }
    try site.upgrader().upgrade()
    try Shell.run(site.database, "PRAGMA user_version = 0;")

    let error = try failure(site)?.error

    #expect(error?.description == "\"\(site.database)\" has the schema of 2, 3")
    #expect(
      error?.remedy
        == "only new content lies between them, so the lowest is right: uplift adopt --to 2")
  }

  @Test func `runs steps in Swift, on a seed in the program`() throws {
    let site = try Site(seed: Site.seed, scripts: [:])
    let upgrader = Upgrader(
      database: site.database,
      seed: .bytes(Array(try #require(site.scratch.bytes("resources/app.db")))),
      migrations: [
        .code(2, "two") { database in try database.execute("CREATE TABLE two(a)") },
        .code(3, "three") { database in try database.execute("CREATE TABLE three(a)") },
      ])
    try upgrader.upgrade()
    try Shell.run(site.database, "DROP TABLE three; PRAGMA user_version = 0;")

    #expect(try upgrader.adopt().version == 2)
    #expect(try upgrader.verify()?.fits == true)
  }
}
