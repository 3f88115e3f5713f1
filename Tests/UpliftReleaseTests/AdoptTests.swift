import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// A database that has lost its version gets it back, if its schema proves which one it is.
struct AdoptTests {
  private static let scripts = [
    "0002_add_kind.sql": "ALTER TABLE item ADD COLUMN kind TEXT;",
    "0003_index.sql": "CREATE INDEX item_name ON item(name);",
    "0004_no_index.sql": "DROP INDEX item_name; CREATE TABLE note(text TEXT);",
  ]

  /// A site whose database was at a version, and has lost it.
  private func site(
    at version: Version, seed: String? = Site.seed, scripts: [String: String] = scripts,
    _ sql: String = ""
  ) throws -> Site {
    let site = try Site(seed: seed, scripts: scripts)
    try upgrader(site, target: version).upgrade()
    try Shell.run(site.database, "PRAGMA user_version = 0;" + sql)
    return site
  }

  private func upgrader(
    _ site: Site, target: Version? = nil, patience: Duration = .milliseconds(300)
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.patience = patience
    let hasSeed = site.scratch.bytes("resources/app.db") != nil
    return Upgrader(
      database: site.database, seed: hasSeed ? .file(site.seed) : nil,
      migrations: .directory(site.scripts), target: target, options: options)
  }

  /// The error of an adoption, which has changed nothing.
  private func failure(
    _ site: Site, _ version: Version? = nil, upgrader: Upgrader? = nil
  ) throws -> ReleaseError? {
    let before = try Snapshot(of: site.scratch.path)
    let error = #expect(throws: ReleaseError.self) {
      try (upgrader ?? self.upgrader(site)).adopt(version: version)
    }
    #expect(try Snapshot(of: site.scratch.path) == before)
    return error
  }

  private func differences(_ error: ReleaseError?) -> [String] {
    guard case .notRecognised(let found) = error else { return [] }
    return found.differences.map(\.description)
  }

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
  @Test(.tags(.promise16, .O15)) func `takes no content release for granted`() throws {
    let site = try Site(
      seed: Site.seed.replacing("user_version = 1", with: "user_version = 3"),
      scripts: [
        "2_word.sql": "CREATE TABLE word(id INTEGER PRIMARY KEY);",
        "3_refresh.sql": "-- uplift: reads-seed\nUPDATE item SET name = name;",
      ])
    try site.place(Site.seed + "PRAGMA user_version = 0;")

    let error = try failure(site)

    #expect(error == .severalVersions(path: site.database, [2, 3]))
    #expect(try upgrader(site).adopt(version: 2).version == 2)
    #expect(try upgrader(site).upgrade().applied.map(\.version) == [3])
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
    #expect(error?.kind == "scriptsFail" && error?.exitCode == 65)
    #expect(
      error?.description
        == "\(site.scripts)/2_two.sql:1:8: no such column: nope (SQLITE_ERROR, 1); the scripts do not lead from "
        + "\(site.seed) to 2")
  }

  @Test(.tags(.O15)) func `writes nothing if no version fits, and shows the nearest`() throws {
    let site = try site(at: 3, "ALTER TABLE item ADD COLUMN mine; DROP INDEX item_name;")

    let error = try failure(site)

    #expect(error?.exitCode == 78)
    #expect(
      error?.description
        == "\"\(site.database)\" has the schema of no version, the nearest is 2: "
        + "column item.mine is not in version 2")
    #expect(
      error?.remedy
        == "change the schema until it is that of 2, then run uplift adopt again; "
        + "or name the right database")
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

    #expect(error == .severalVersions(path: site.database, [4, 5, 6]))
    #expect(error?.exitCode == 78)
    #expect(error?.description == "\"\(site.database)\" has the schema of 4, 5 and 6")
    #expect(
      error?.remedy == "find out which one it is, then name it: uplift adopt --version N")
    #expect(
      other?.description
        == "\"\(site.database)\" does not have the schema of 3: table note is not "
        + "in version 3, index item_name is missing")
    #expect(try upgrader(site).adopt(version: 5).version == 5)
    #expect(try Shell.version(site.database) == 5)
  }

  @Test func `refuses a version that no script makes, or above the target`() throws {
    let site = try site(at: 3)

    #expect(try failure(site, 7)?.description == "7 is above the target 4")
    #expect(try failure(site, 7)?.exitCode == 66)
    try site.scratch.move(
      "resources/scripts/0004_no_index.sql", to: "resources/scripts/0009_no_index.sql")
    #expect(
      try failure(site, 4)?.description
        == "neither the seed nor a script leads to 4, so its schema is not known")
  }

  @Test(.tags(.promise7, .promise16)) func `recognises that a database is newer than the target`()
    throws
  {
    let site = try site(at: 3)

    let newer = try failure(site, upgrader: upgrader(site, target: 2))
    let named = try failure(site, 3, upgrader: upgrader(site, target: 2))
    // A script that nobody has written yet is no reason not to look.
    try site.scratch.write("-- uplift: unfinished", to: "resources/scripts/0005_later.sql")
    let adoption = try upgrader(site, target: 4).adopt()

    #expect(newer == .upgrade(.newer(database: 3, target: 2)))
    #expect(named?.description == "3 is above the target 2")
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

  @Test(arguments: [
    "goose_db_version", "Schema_Migrations", "gorp_migrations", "flyway_schema_history",
    "__diesel_schema_migrations", "_prisma_migrations", "_sqlx_migrations", "__drizzle_migrations",
    "micrate_db_version", "migrations", "CHANGELOG", "play_evolutions", "refinery_schema_history",
  ])
  func `leaves the tables of other tools out of it, unless a script makes one`(table: String)
    throws
  {
    let sql = "CREATE TABLE \(table)(version); CREATE UNIQUE INDEX tools ON \(table)(version);"
    let site = try site(at: 3, sql)
    let own = try self.site(
      at: 3,
      scripts: Self.scripts.merging(["0005_own.sql": "CREATE TABLE \(table)(version);"]) { $1 },
      sql)

    let adoption = try upgrader(site).adopt()

    #expect(adoption.version == 3)
    #expect(adoption.others == ["table \(table)"])
    #expect(try upgrader(site).verify()?.others == ["table \(table)"])
    #expect(try differences(failure(own, 3)) == ["table \(table) is not in version 3"])
  }

  @Test(
    arguments: [
      ("CREATE TABLE extra(a);", ["table extra is not in version 2"]),
      (
        "CREATE TABLE extra(a); CREATE INDEX e ON extra(a);",
        ["table extra is not in version 2", "index e is not in version 2"]
      ),
      ("CREATE VIEW extra AS SELECT 1;", ["view extra is not in version 2"]),
      (
        "CREATE TRIGGER extra AFTER DELETE ON item BEGIN SELECT 1; END;",
        ["trigger extra is not in version 2"]
      ),
      // The scripts make an index of this name at another version.
      ("CREATE INDEX Item_Name ON item(name);", ["index Item_Name is not in version 2"]),
      ("CREATE TABLE litestream_seq(a);", ["table litestream_seq is not in version 2"]),
      ("CREATE TABLE xlitestream_seq(a);", ["table xlitestream_seq is not in version 2"]),
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

/// Databases that have lost no version, or that are not ours.
extension AdoptTests {
  @Test(.tags(.promise7, .promise16)) func `refuses what has not lost its version, and says so`()
    throws
  {
    let site = try site(at: 2)
    let upgrader = upgrader(site)

    try Shell.run(site.database, "PRAGMA user_version = 2;")
    let current = try failure(site)
    try Shell.run(site.database, "PRAGMA user_version = 9;")
    let newer = try failure(site)
    try Shell.run(site.database, "PRAGMA user_version = -1;")
    let invalid = try failure(site)
    try site.scratch.write("", to: "data/app.db")
    let empty = try failure(site)
    try site.scratch.write("log", to: "data/app.db-wal")
    let orphaned = try failure(site)
    try site.scratch.remove("data/app.db-wal")
    try site.scratch.write(String(repeating: "text ", count: 300), to: "data/app.db")
    let damaged = try failure(site)
    try site.scratch.remove("data/app.db")
    let absent = try failure(site)
    let seed = try failure(
      site, upgrader: Upgrader(database: site.seed, seed: .file(site.seed), target: 1))

    #expect(current == .hasVersion(site.database, 2))
    #expect(current?.exitCode == 78)
    #expect(
      current?.description == "\"\(site.database)\" is at 2, and has not lost its version")
    #expect(
      current?.remedy == "uplift status --verify compares its schema with that of the version")
    #expect(newer == .upgrade(.newer(database: 9, target: 4)))
    #expect(invalid == .upgrade(.invalid(version: -1)))
    #expect(empty == .holdsNothing(path: site.database))
    #expect(
      empty?.description == "\"\(site.database)\" holds nothing, so it has no version to find out")
    #expect(orphaned == .upgrade(.orphaned(journal: site.database + "-wal")))
    #expect(damaged?.kind == "damaged")
    #expect(absent == .upgrade(.missing(.database, path: site.database)))
    #expect(site.scratch.names("data") == [])
    #expect(seed?.kind == "path")
    _ = upgrader
  }

  @Test(.tags(.promise7)) func `refuses another application's database`() throws {
    let site = try site(at: 3, seed: Site.seed + "PRAGMA application_id = 77;")
    try Shell.run(site.database, "PRAGMA application_id = 78;")

    #expect(
      try failure(site)
        == .upgrade(.foreign(path: site.database, applicationID: 78, expected: 77)))
  }

  @Test func `says that a database on which no script has run needs no version`() throws {
    let seed = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let scripts = ["1_kind.sql": "ALTER TABLE item ADD COLUMN kind TEXT;"]
    let site = try Site(seed: seed, scripts: scripts)
    try site.place(seed)
    let rows = try Site(
      seed: seed, scripts: ["1_rows.sql": "INSERT INTO item(name) VALUES ('a');"])
    try rows.place(seed)

    let error = try failure(site)
    let several = try failure(rows)

    #expect(error == .needsNoVersion(path: site.database))
    #expect(
      error?.description == "\"\(site.database)\" is at 0 because no script has run on it")
    #expect(several == .severalVersions(path: rows.database, [0, 1]))
    #expect(
      several?.remedy
        == "run uplift up if no script has run on it, or name its version: uplift adopt --version N"
    )
    #expect(try upgrader(site).upgrade().start == .existing(0))
    #expect(try upgrader(rows).adopt(version: 1).version == 1)
  }

  @Test func `does not send a database to an upgrade that would send it back`() throws {
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    let site = try Site(
      seed: table + "PRAGMA user_version = 1;", scripts: ["1_item.sql": table])
    try site.place("CREATE TABLE _litestream_seq(a);")

    #expect(throws: UpgradeError.unversioned(path: site.database, seed: 1)) {
      try upgrader(site).upgrade()
    }
    #expect(try differences(failure(site)) == ["table item is missing"])
  }
}

/// Other processes that use the database, and files without rights.
extension AdoptTests {
  @Test(.tags(.promise16), arguments: ["DELETE", "WAL"])
  func `waits for a writer, and not for ever`(journal: String) throws {
    let site = try site(at: 3, "PRAGMA journal_mode = \(journal);")
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let busy = #expect(throws: ReleaseError.self) { try upgrader(site).adopt() }
    try site.letGo()
    let adoption = try upgrader(site, patience: .seconds(30)).adopt()

    #expect(busy?.kind == "busy" && busy?.exitCode == 75)
    #expect(adoption.version == 3)
    _ = try writer.wait()
  }

  @Test(.tags(.promise16)) func `compares again under the lock`() throws {
    let site = try site(at: 3)
    let count = Count()
    // The steps run after the database was read for the first time, and before the lock.
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed),
      migrations: .directory(site.scripts)
        + [
          .code(5, "meanwhile") { [database = site.database] step in
            try step.execute("CREATE TABLE five(a)")
            if count.next() == 1 { try Shell.run(database, "CREATE TABLE strange(a);") }
          }
        ])

    let error = #expect(throws: ReleaseError.self) { try upgrader.adopt() }
    #expect(differences(error) == ["table strange is not in version 3"])
    #expect(try Shell.version(site.database) == 0)

    try Shell.run(site.database, "DROP TABLE strange; DROP INDEX item_name;")
    #expect(try upgrader.adopt().version == 2)
  }

  @Test func `ends well if another process was faster, and refuses what it made of it`() throws {
    for (version, expected) in [(3, 3), (4, nil)] as [(Version, Version?)] {
      let site = try site(at: 3)
      let upgrader = Upgrader(
        database: site.database, seed: .file(site.seed),
        migrations: .directory(site.scripts)
          + [
            .code(5, "meanwhile") { [database = site.database] step in
              try step.execute("CREATE TABLE five(a)")
              try Shell.run(database, "PRAGMA user_version = \(version.number);")
            }
          ])

      if let expected {
        #expect(try upgrader.adopt().version == expected)
      } else {
        #expect(throws: ReleaseError.hasVersion(site.database, version)) { try upgrader.adopt() }
      }
      #expect(try Shell.version(site.database) == Int(version.number))
    }
  }

  @Test func `is refused inside a step of an upgrade of the same database`() throws {
    let site = try Site(seed: nil, scripts: [:])
    try site.place("CREATE TABLE item(a);")
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)
    let inner = Upgrader(
      database: site.database, migrations: [.sql(1, "one", "CREATE TABLE item(a);")],
      options: options)
    let outer = Upgrader(
      database: site.database,
      migrations: [
        .code(1, "one") { [database = site.database] _ in
          let error = #expect(throws: ReleaseError.self) { try inner.adopt() }
          #expect(error == .upgrade(.path(database, .nested)))
        }
      ])

    try outer.upgrade()

    #expect(try Shell.version(site.database) == 1)
  }

  @Test func `stops when it is cancelled, and leaves nothing behind`() throws {
    let site = try site(
      at: 3,
      scripts: Self.scripts.merging([
        "0005_endless.sql":
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
      ]) { $1 })
    let count = Count()
    let before = try site.snapshot()

    let error = #expect(throws: ReleaseError.self) {
      try upgrader(site).adopt(isCancelled: { count.next() > 200 })
    }

    #expect(error?.exitCode == 143)
    #expect(try site.snapshot() == before)
  }

  @Test(arguments: ["delete", "wal"])
  func `says what is read-only`(journal: String) throws {
    let site = try site(at: 3, "PRAGMA journal_mode = \(journal);")
    try site.makeData()
    try site.mode("data/app.db", 0o444)
    try site.mode("data", 0o555)
    defer { try? site.mode("data", 0o755) }
    guard geteuid() != 0 else { return }

    #expect(try failure(site)?.exitCode == 77)
  }
}

/// A counter that several closures share.
private final class Count: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  func next() -> Int {
    lock.withLock {
      value += 1
      return value
    }
  }
}
