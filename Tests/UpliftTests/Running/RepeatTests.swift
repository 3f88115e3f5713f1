import Foundation
import TestSupport
import Testing
import Uplift

/// A script with `-- uplift: repeat` runs in passes, until one changes no row.
struct RepeatTests {
  /// Ten rows at a time get a home.
  private static let script = """
    -- uplift: repeat
    UPDATE people SET home = 'x' WHERE id IN (SELECT id FROM people WHERE home IS NULL LIMIT 10);
    """

  private func site(_ script: String = script, rows: Int = 25) throws -> Site {
    try Site(
      seed: """
        CREATE TABLE people(id INTEGER PRIMARY KEY, home);
        CREATE TABLE log(id);
        CREATE TRIGGER logged AFTER UPDATE ON people BEGIN INSERT INTO log VALUES(new.id); END;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO people(id) SELECT i FROM n;
        PRAGMA user_version = 1;
        """, scripts: ["2_home.sql": script])
  }

  @Test(.tags(.L1, .promise4)) func `runs until a pass changes no row, and sets its version then`()
    throws
  {
    let site = try site()
    try site.ship("3_last.sql", "INSERT INTO log VALUES('last');")
    var events: [String] = []

    let upgrade = try site.service().upgrade { event in
      switch event {
      case .started(let script): events.append("started \(script.name)")
      case .progress(let progress) where progress.version == 2:
        events.append("\(progress.passes ?? -1) passes, \(progress.rows ?? -1) rows")
      case .committed(let version): events.append("committed \(version)")
      default: break
      }
    }

    #expect(upgrade.applied.map(\.passes) == [3, nil])
    // A trigger has logged each row.
    #expect(upgrade.applied.map(\.rows) == [50, nil])
    #expect(
      events.filter { !$0.hasPrefix("0 p") && !$0.hasPrefix("1 p") && !$0.hasPrefix("2 p") } == [
        "started 2_home.sql", "3 passes, 50 rows", "committed 2", "started 3_last.sql",
        "committed 3",
      ])
    #expect(try Shell.run(site.database, "SELECT count(*), count(home) FROM people") == "25|25")
    #expect(try Shell.run(site.database, "SELECT count(*) FROM log") == "26")
  }

  @Test(.tags(.L1, .L3, .promise6))
  func `keeps the passes before a failure, and goes on from there`()
    throws
  {
    let site = try site()
    _ = try site.service(target: 1).upgrade()
    try Shell.run(
      site.database,
      "CREATE TRIGGER t BEFORE UPDATE ON people WHEN old.id = 22 BEGIN SELECT raise(ABORT, 'no'); END"
    )

    expectError(.failed, "2_home.sql:2:1: no (SQLITE_CONSTRAINT_TRIGGER, 1811)") {
      try site.service().upgrade()
    }
    #expect(
      try Shell.run(site.database, "SELECT count(home) FROM people; PRAGMA user_version") == "20\n1"
    )

    try Shell.run(site.database, "DROP TRIGGER t")
    let upgrade = try site.service().upgrade()
    #expect(upgrade.applied.map(\.passes) == [1])
    // No row was changed twice.
    #expect(try Shell.run(site.database, "SELECT count(*), count(DISTINCT id) FROM log") == "25|25")
  }

  @Test(.tags(.L2), arguments: ["home = home", "home = home || 'x' WHERE id < 3"])
  func `fails if it would never end`(change: String) throws {
    let site = try site("-- uplift: repeat\nSELECT 1;\nUPDATE people SET \(change);")

    let error = expectError(.endless, "2_home.sql:3:1: the statement changes rows again and again")
    {
      try site.service().upgrade()
    }
    #expect(error?.exitCode == 1)
    #expect(error?.reached == 1)
    #expect(try Shell.run(site.database, "PRAGMA user_version; PRAGMA integrity_check") == "1\nok")
  }

  @Test func `may change more rows than there are, in a few`() throws {
    // Each pass inserts rows into another table, and twice as many as there are in all.
    let site = try site(
      """
      -- uplift: repeat
      INSERT INTO log SELECT id FROM people WHERE (SELECT count(*) FROM log) < 50;
      """)

    #expect(try site.service().upgrade().applied.map(\.rows) == [50])
  }

  @Test(arguments: [
    "CREATE TABLE t(a)", "DROP TABLE log", "ALTER TABLE log ADD COLUMN b", "PRAGMA foreign_keys",
    "VACUUM", "BEGIN", "ATTACH 'x' AS y", "REINDEX",
  ])
  func `holds statements that change rows only`(statement: String) throws {
    let site = try site(Self.script + "\n\(statement);")

    let error = expectError(.scripts, "2_home.sql:3:1: a script that repeats holds INSERT, UPDATE")
    {
      try site.service().upgrade()
    }
    #expect(error?.exitCode == 65)
    #expect(site.scratch.bytes("data/app.db") == nil)
  }

  @Test(arguments: [
    ("no-transaction", "repeat"), ("repeat", "reads-seed"), ("reads-seed", "no-transaction"),
  ])
  func `excludes the other ways to run`(one: String, other: String) throws {
    let site = try site("-- uplift: \(one)\n-- uplift: \(other)\nSELECT 1;")

    expectError(.scripts, "2_home.sql:2:1: the directives \(one) and \(other) exclude each other") {
      try site.service().upgrade()
    }
  }

  @Test(.tags(.L1, .promise10)) func `has foreign keys that SQLite checks`() throws {
    let seed = """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(p REFERENCES p, later REFERENCES p DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE gone(p REFERENCES p ON DELETE CASCADE);
      INSERT INTO p VALUES (1), (2); INSERT INTO c(p) VALUES (1); INSERT INTO gone VALUES (2);
      PRAGMA user_version = 1;
      """
    for (sql, words) in [
      ("UPDATE c SET p = 9 WHERE p = 1", "2.sql:2:1: FOREIGN KEY constraint failed"),
      ("UPDATE c SET later = 9 WHERE later IS NULL", "2.sql: FOREIGN KEY constraint failed"),
    ] {
      let site = try Site(seed: seed, scripts: ["2.sql": "-- uplift: repeat\n\(sql);"])
      expectError(.failed, words) { try site.service().upgrade() }
      #expect(
        try Shell.run(site.database, "SELECT p, later FROM c; PRAGMA user_version") == "1|\n1")
      // Who wants no check gets none.
      try site.service { $0.foreignKeys = .none }.upgrade()
    }
    let site = try Site(
      seed: seed,
      scripts: [
        "2.sql": "-- uplift: repeat\nDELETE FROM p WHERE id = 2;",
        // They are off again in the next script, and the orphan is found at its end.
        "3.sql": "DELETE FROM p WHERE id = 1;",
      ])
    expectError(.failed, "3.sql: 1 new foreign-key violation") { try site.service().upgrade() }
    #expect(
      try Shell.run(site.database, "SELECT count(*) FROM gone; PRAGMA user_version") == "0\n2")
  }

  @Test(.tags(.L4, .promise5)) func `is shared by boots at the same time`() async throws {
    let site = try site(rows: 2000)
    _ = try await site.service(target: 1).upgrade()

    let upgrades = await withTaskGroup(of: Upgrade?.self) { group in
      for _ in 0..<4 { group.addTask { try? site.service().upgrade(isCancelled: { false }) } }
      return await group.reduce(into: [Upgrade?]()) { $0.append($1) }
    }

    #expect(upgrades.allSatisfy { $0?.end == 2 })
    #expect(upgrades.reduce(0) { $0 + ($1?.applied.count ?? 0) } == 1)
    // Each row was changed once.
    #expect(
      try Shell.run(site.database, "SELECT count(*), count(DISTINCT id) FROM log") == "2000|2000")
  }

  @Test(.tags(.L1)) func `keeps the log small`() throws {
    let site = try site(
      """
      -- uplift: repeat
      UPDATE people SET home = hex(zeroblob(200))
        WHERE id IN (SELECT id FROM people WHERE home IS NULL LIMIT 100);
      """, rows: 20_000)
    _ = try site.service(target: 1).upgrade()
    try Shell.run(site.database, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 100")
    var largest = 0

    try site.service().upgrade { event in
      guard case .progress = event else { return }
      largest = max(largest, site.scratch.bytes("data/app.db-wal")?.count ?? 0)
    }

    let whole = try #require(site.scratch.bytes("data/app.db")?.count)
    #expect(whole > 8_000_000)
    #expect(largest < whole / 2)
  }
}

extension Site {
  fileprivate func service(
    target: Version? = nil, _ change: (inout Upgrader.Options) -> Void = { _ in }
  ) -> Upgrader {
    var options = Upgrader.Options()
    change(&options)
    return Upgrader(
      database: database, seed: .file(seed), migrations: .directory(scripts), target: target,
      options: options)
  }
}
