import Foundation

/// One row of the table: a kind of upgrade, its size, and the goal for its ratio.
struct Workload {
  let name: String
  let title: String
  /// The goal for the ratio, in words.
  let reach: String
  var runs: Int
  /// How often the work is repeated within one process, if it is too short for a clock.
  var repeats = 1
  var isInMemory = false
  /// True if the command is also compared with the reader of fifteen lines.
  var comparesReader = false
  /// True if the floor is not that of a single database; such a workload is not counted.
  var isAgainstShell = false
  let make: (String) throws -> Fixture
}

/// How large the workloads are.
enum Scale: String {
  case full, quick
  /// For counting: small, but large enough to show the cost of a script, a statement and a page.
  case counts

  func choose(_ full: Int, quick: Int, counts: Int) -> Int {
    switch self {
    case .full: full
    case .quick: quick
    case .counts: counts
    }
  }
}

extension Workload {
  static func all(_ scale: Scale) -> [Workload] {
    let few = scale.choose(9, quick: 3, counts: 1)
    let many = scale.choose(201, quick: 31, counts: 1)
    return [
      Workload(
        name: "W1", title: "up-to-date boot, 50 scripts present", reach: "1.10 in process, 1.20",
        runs: many, repeats: scale.choose(2000, quick: 500, counts: 1), comparesReader: true,
        make: upToDate),
      Workload(
        name: "W2", title: "first boot, a seed of \(megabytes(scale)) MB", reach: "1.05",
        runs: few, make: { try firstBoot($0, megabytes: megabytes(scale)) }),
      Workload(
        name: "W3", title: "\(small(scale)) small scripts, on disk", reach: "0.15, ten syncs",
        runs: few, make: { try smallScripts($0, count: small(scale)) }),
      Workload(
        name: "W3t", title: "\(small(scale)) small scripts, on tmpfs", reach: "0.70",
        runs: few, isInMemory: true, make: { try smallScripts($0, count: small(scale)) }),
      Workload(
        name: "W4", title: "one script of \(lines(scale)) INSERT lines",
        reach: "1.02 in process, 0.80", runs: scale.choose(5, quick: 3, counts: 1),
        make: { try longScript($0, lines: lines(scale)) }),
      Workload(
        name: "W5", title: "rebuild of a table of \(rows(scale)) rows", reach: "0.95", runs: few,
        make: { try rebuild($0, rows: rows(scale)) }),
      Workload(
        name: "W6", title: "\(present(scale)) scripts, the last one pending", reach: "1.10",
        runs: scale.choose(31, quick: 11, counts: 1),
        make: { try lastPending($0, count: present(scale)) }),
      Workload(
        name: "W7", title: "a small table that refers to others, in \(bulk(scale)) MB",
        reach: "the same as in 1 MB", runs: few,
        make: { try smallTable($0, megabytes: bulk(scale), isParent: false) }),
      Workload(
        name: "W7p", title: "a small table that others refer to, in \(bulk(scale)) MB",
        reach: "the same as in 1 MB", runs: few,
        make: { try smallTable($0, megabytes: bulk(scale), isParent: true) }),
      Workload(
        name: "W9", title: "\(words(scale)) words from the seed, \(words(scale) / 1000) changed",
        reach: "1.10 of the sqlite3 shell", runs: few, isAgainstShell: true,
        make: { try newWords($0, count: words(scale)) }),
      Workload(
        name: "W10", title: "bake a seed of \(megabytes(scale)) MB",
        reach: "1.30 of VACUUM INTO and a sync in the sqlite3 shell", runs: few,
        isAgainstShell: true,
        make: { try bake($0, megabytes: megabytes(scale)) }),
      Workload(
        name: "W11", title: "check \(small(scale)) scripts",
        reach: "3.00 of the command that runs them", runs: few, isAgainstShell: true,
        make: { try check($0, count: small(scale)) }),
      Workload(
        name: "W12", title: "\(tenants(scale)) databases with nothing to do, 50 scripts present",
        reach: "1.30, with two jobs 0.75", runs: few, isAgainstShell: true,
        make: { try upToDateTenants($0, count: tenants(scale)) }),
      Workload(
        name: "W13", title: "backup of \(large(scale)) MB",
        reach: "1.15 of copying the file and syncing it", runs: few, isAgainstShell: true,
        make: { try backup($0, megabytes: large(scale)) }),
      Workload(
        name: "W14", title: "\(people(scale)) rows in passes, 400 bytes each",
        reach: "2.00 of one UPDATE in the sqlite3 shell", runs: few, isAgainstShell: true,
        make: { try passes($0, rows: people(scale)) }),
    ]
  }

  private static func megabytes(_ scale: Scale) -> Int { scale.choose(64, quick: 16, counts: 1) }
  private static func small(_ scale: Scale) -> Int { scale.choose(1000, quick: 200, counts: 100) }
  private static func lines(_ scale: Scale) -> Int {
    scale.choose(1_000_000, quick: 100_000, counts: 2000)
  }
  private static func rows(_ scale: Scale) -> Int {
    scale.choose(500_000, quick: 50_000, counts: 5000)
  }
  private static func present(_ scale: Scale) -> Int { scale.choose(5000, quick: 500, counts: 500) }
  private static func words(_ scale: Scale) -> Int {
    scale.choose(300_000, quick: 50_000, counts: 5000)
  }
  private static func bulk(_ scale: Scale) -> Int { scale.choose(1000, quick: 50, counts: 1) }

  private static func large(_ scale: Scale) -> Int { scale.choose(1000, quick: 100, counts: 1) }

  private static func people(_ scale: Scale) -> Int {
    scale.choose(1_000_000, quick: 100_000, counts: 5000)
  }

  private static func tenants(_ scale: Scale) -> Int {
    scale.choose(10_000, quick: 2000, counts: 10)
  }

  private static func upToDateTenants(_ directory: String, count: Int) throws -> Fixture {
    var fixture = try upToDate(directory)
    fixture.isOfMany = true
    if let before = fixture.before {
      for number in 1...count {
        try FileManager.default.copyItem(
          atPath: before, toPath: "\(fixture.data)/tenant\(number).db")
      }
    }
    return fixture
  }

  private static func upToDate(_ directory: String) throws -> Fixture {
    var fixture = try Fixture(directory, target: 50)
    try fixture.scripts(1...50) { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, name TEXT);\n" }
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db",
      (1...50).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY, name TEXT);" }.joined(),
      "PRAGMA user_version=50")
    return fixture
  }

  static func firstBoot(_ directory: String, megabytes: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 1)
    try fixture.scripts(1...1) { _ in "CREATE TABLE pages (bytes BLOB);\n" }
    fixture.seed = directory + "/app.db"
    try Database.make(
      directory + "/app.db", "CREATE TABLE pages (bytes BLOB)",
      "\(Database.numbers(megabytes)) INSERT INTO pages SELECT randomblob(1000000) FROM n",
      "PRAGMA user_version=1")
    return fixture
  }

  /// Scripts like those of a project: they add tables, columns, rows and indexes, and only rows once
  /// there are `tables` tables.
  static func smallScripts(
    _ directory: String, count: Int, tables: Int = .max
  ) throws -> Fixture {
    let fixture = try Fixture(directory, target: count)
    try fixture.scripts(1...count) { number in
      let made = (number + 3) / 4
      let table = "t\(made <= tables ? made : 1 + number % tables)"
      return switch made <= tables ? number % 4 : 3 {
      case 1: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
      case 2: "ALTER TABLE \(table) ADD COLUMN made INTEGER NOT NULL DEFAULT 0;\n"
      case 3: "INSERT INTO \(table) (name) VALUES ('one'), ('two'), ('three');\n"
      default: "CREATE INDEX \(table)_name ON \(table) (name);\n"
      }
    }
    return fixture
  }

  static func longScript(_ directory: String, lines: Int) throws -> Fixture {
    let fixture = try Fixture(directory, target: 1)
    let words = "the quick brown fox jumps over it"
    var text = "CREATE TABLE visits (id INTEGER PRIMARY KEY, at INTEGER, who TEXT, note TEXT);\n"
    text.reserveCapacity(lines * 102)
    for line in 1...lines {
      text +=
        "INSERT INTO visits VALUES (\(line), \(1_700_000_000 + line), 'visitor \(line % 977)', '\(words)');\n"
    }
    try text.write(
      toFile: fixture.migrations + "/1_visits.sql", atomically: false, encoding: .utf8)
    return fixture
  }

  private static func rebuild(_ directory: String, rows: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 2)
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db",
      """
      CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT, mail TEXT, made INTEGER);
      CREATE INDEX guests_name ON guests (name);
      CREATE INDEX guests_mail ON guests (mail);
      CREATE TABLE visits (
        id INTEGER PRIMARY KEY, guest INTEGER NOT NULL REFERENCES guests (id), at INTEGER);
      CREATE INDEX visits_guest ON visits (guest);
      \(Database.numbers(rows)) INSERT INTO guests
        SELECT i, 'guest ' || (i * 7919 % \(rows)), hex(i * 104729 % \(rows)) || '@example.org', i FROM n;
      \(Database.numbers(rows)) INSERT INTO visits SELECT i, 1 + i * 31 % \(rows), i FROM n;
      PRAGMA user_version=1;
      """)
    try fixture.scripts(2...2) { _ in
      """
      CREATE TABLE guests_new (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT, made INTEGER NOT NULL DEFAULT 0);
      INSERT INTO guests_new (id, name, mail, made) SELECT id, name, mail, made FROM guests;
      DROP TABLE guests;
      ALTER TABLE guests_new RENAME TO guests;
      CREATE INDEX guests_name ON guests (name);
      CREATE INDEX guests_mail ON guests (mail);

      """
    }
    return fixture
  }

  private static func lastPending(_ directory: String, count: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: count)
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
      "PRAGMA user_version=\(count - 1)")
    try fixture.scripts(1...count) { "INSERT INTO t (name) VALUES ('step \($0)');\n" }
    return fixture
  }

  /// Forty tables in a chain, each of which refers to the next, and a small one at one end.
  static func smallTable(
    _ directory: String, megabytes: Int, isParent: Bool
  ) throws -> Fixture {
    var fixture = try Fixture(directory, target: 2)
    fixture.before = directory + "/before.db"
    let rows = max(megabytes * 1_000_000 / 40 / 120, 1)
    let end = isParent ? "INTEGER REFERENCES label (id)" : "INTEGER"
    let tables = (1...40).map { number in
      let parent = number == 1 ? end : "INTEGER REFERENCES t\(number - 1) (id)"
      return """
        CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, parent \(parent), bytes BLOB);
        \(Database.numbers(rows)) INSERT INTO t\(number)
          SELECT i, \(number == 1 ? "1 + i % 10" : "i"), randomblob(100) FROM n;
        """
    }
    let label = isParent ? "INTEGER" : "INTEGER REFERENCES t40 (id)"
    try Database.make(
      directory + "/before.db",
      """
      CREATE TABLE label (id INTEGER PRIMARY KEY, other \(label), name TEXT);
      \(Database.numbers(10)) INSERT INTO label SELECT i, i, 'label ' || i FROM n;
      """,
      tables.joined(separator: "\n"), "PRAGMA user_version=1")
    try fixture.scripts(2...2) { _ in
      "UPDATE label SET name = upper(name);\nINSERT INTO label (other, name) VALUES (1, 'new');\n"
    }
    return fixture
  }

  /// A dictionary whose seed has changed one word in a thousand.
  private static func newWords(_ directory: String, count: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 2)
    let words = """
      CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL, gloss TEXT);
      \(Database.numbers(count)) INSERT INTO word
        SELECT i, 'word ' || i, printf('%.200c', 'x') || i FROM n;
      """
    fixture.before = directory + "/before.db"
    try Database.make(directory + "/before.db", words, "PRAGMA user_version=1")
    fixture.seed = directory + "/app.db"
    try Database.make(
      directory + "/app.db", words, "UPDATE word SET gloss = 'new' WHERE id % 1000 = 0",
      "PRAGMA user_version=2")
    let refresh = """
      DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
      INSERT INTO word (id, text, gloss) SELECT id, text, gloss FROM seed.word WHERE true
      ON CONFLICT (id) DO UPDATE SET text = excluded.text, gloss = excluded.gloss
      WHERE (text, gloss) IS NOT (excluded.text, excluded.gloss);

      """
    try fixture.scripts(2...2) { _ in "-- uplift: reads-seed\n" + refresh }
    fixture.shell = try shell(
      fixture,
      """
      PRAGMA synchronous=EXTRA;
      ATTACH '\(directory)/app.db' AS seed;
      BEGIN IMMEDIATE;
      \(refresh) PRAGMA user_version=2;
      COMMIT;
      """)
    return fixture
  }

  /// A script that repeats, with an index of the rows that are left.
  private static func passes(_ directory: String, rows: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 4)
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db", "PRAGMA journal_mode=WAL",
      """
      CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, home TEXT);
      \(Database.numbers(rows)) INSERT INTO people (id, name) SELECT i, printf('%.400c', 'x') || i FROM n;
      """, "PRAGMA user_version=1")
    let scripts = [
      "CREATE INDEX without_home ON people (id) WHERE home IS NULL;\n",
      """
      -- uplift: repeat
      UPDATE people SET home = 'not known'
      WHERE id IN (SELECT id FROM people WHERE home IS NULL LIMIT 10000);

      """, "DROP INDEX without_home;\n",
    ]
    try fixture.scripts(2...4) { scripts[$0 - 2] }
    fixture.shell = try shell(
      fixture,
      """
      PRAGMA synchronous=EXTRA;
      BEGIN IMMEDIATE;
      UPDATE people SET home = 'not known' WHERE home IS NULL;
      PRAGMA user_version=4;
      COMMIT;
      """)
    return fixture
  }

  /// The seed is the file that is made anew before each run.
  private static func bake(_ directory: String, megabytes: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 1)
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db",
      """
      CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL, gloss TEXT);
      \(Database.numbers(megabytes * 4500)) INSERT INTO word
        SELECT i, 'word ' || i, printf('%.200c', 'x') || i FROM n;
      CREATE INDEX word_text ON word (text);
      """, "PRAGMA user_version=1")
    try fixture.scripts(1...1) { _ in "SELECT 1;\n" }
    fixture.verb = [
      "bake", "--seed", fixture.database, "--migrations", fixture.migrations, "--quiet",
    ]
    fixture.shell = try shell(
      fixture,
      "VACUUM INTO '\(fixture.data)/new.db';\n.shell sync \(fixture.data)/new.db\n")
    return fixture
  }

  /// A script that does nothing, and a backup before it.
  private static func backup(_ directory: String, megabytes: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: 2)
    fixture.before = directory + "/before.db"
    try Database.make(
      directory + "/before.db", "CREATE TABLE file (bytes BLOB)",
      "\(Database.numbers(megabytes)) INSERT INTO file SELECT randomblob(1000000) FROM n",
      "PRAGMA user_version=1")
    try fixture.scripts(2...2) { _ in "SELECT 1;\n" }
    fixture.verb = [
      "up", "--migrations", fixture.migrations, "--database", fixture.database, "--quiet",
      "--backup", directory + "/old",
    ]
    let copy = fixture.data + "/copy.db"
    fixture.shell = try shell(
      fixture,
      ".shell cp \(fixture.database) \(copy) && sync \(copy) \(fixture.data)\nPRAGMA user_version=2;\n"
    )
    return fixture
  }

  /// A fourth of the scripts each make a table, an index, rows and a column.
  private static func check(_ directory: String, count: Int) throws -> Fixture {
    var fixture = try Fixture(directory, target: count)
    try fixture.scripts(1...count) { number in
      let table = "t\((number - 1) / 4)"
      return switch number % 4 {
      case 1: "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
      case 2: "CREATE INDEX \(table)_name ON \(table) (name);\n"
      case 3: "INSERT INTO \(table) (name) VALUES ('a'), ('b');\n"
      default: "ALTER TABLE \(table) ADD COLUMN extra TEXT;\n"
      }
    }
    fixture.verb = ["check", "--migrations", fixture.migrations, "--quiet"]
    fixture.shell = [
      Fixture.commandItself, "up", "--migrations", fixture.migrations, "--database",
      fixture.database, "--quiet",
    ]
    return fixture
  }

  private static func shell(_ fixture: Fixture, _ commands: String) throws -> [String] {
    let file = fixture.directory + "/shell.sql"
    try commands.write(toFile: file, atomically: false, encoding: .utf8)
    return ["/usr/bin/sqlite3", "-batch", "-bail", fixture.database, ".read '\(file)'"]
  }
}
