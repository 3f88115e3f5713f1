import Foundation
import TestSupport
import Testing
import Uplift

/// Scripts with the `no-transaction` directive.
struct AloneTests {
  static let directive = "-- uplift: no-transaction\n"

  @Test(
    .tags(.S14),
    arguments: [
      ("VACUUM;", "SQLITE_ERROR"),
      ("PRAGMA journal_mode=WAL;", nil),
      ("PRAGMA auto_vacuum=FULL;", nil),
      ("PRAGMA page_size=1024;", nil),
      ("PRAGMA wal_checkpoint;", nil),
    ])
  func `names the directive for a statement that SQLite refuses inside a transaction`(
    statement: String, name: String?
  ) throws {
    let trial = try Trial("CREATE TABLE t(a);", "SELECT 1;\n\(statement)")

    let error = try #require(trial.error())

    #expect(error.remedy.contains("-- uplift: no-transaction"))
    guard case .failed(let failure) = error else { throw error }
    #expect(failure.place == "2:1")
    #expect(failure.reason.name == name)
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S14))
  func `runs statements that SQLite refuses inside a transaction`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000)); DELETE FROM t;",
      Self.directive + "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA page_size=1024; VACUUM;",
      "\n  --  uplift: no-transaction  \r\nPRAGMA journal_mode=WAL;",
      "INSERT INTO t VALUES(1);",
      Self.directive + "PRAGMA wal_checkpoint(TRUNCATE);")

    let upgrade = try trial.upgrade()

    #expect(upgrade.applied.map(\.version) == [1, 2, 3, 4, 5])
    #expect(
      try trial.ask("PRAGMA auto_vacuum; PRAGMA page_size; PRAGMA journal_mode; SELECT * FROM t;")
        == "2\n1024\nwal\n1")
    #expect(try trial.version() == 5)
  }

  /// A database has no page yet, so that SQLite needs no `VACUUM`.
  @Test(.tags(.S14), arguments: [false, true])
  func `sets the page size of a new database`(isEmptyFile: Bool) throws {
    let trial = try Trial(
      Self.directive
        + "PRAGMA page_size = 16384; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL;"
        + "CREATE TABLE t(a);")
    if isEmptyFile { try trial.scratch.write("", to: "app.db") }

    try trial.upgrade()

    #expect(
      try trial.ask("PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA journal_mode;") == "16384\n1\nwal"
    )
  }

  @Test(.tags(.S14, .promise10))
  func `deletes no row by a cascade, though the script switches foreign keys on`() throws {
    let trial = try Trial(
      Self.directive
        + """
        PRAGMA foreign_keys = ON;
        CREATE TABLE New(id INTEGER PRIMARY KEY, x);
        INSERT INTO New(id) SELECT id FROM Parent;
        DROP TABLE Parent;
        ALTER TABLE New RENAME TO Parent;
        """,
      start: """
        CREATE TABLE Parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(p REFERENCES Parent ON DELETE CASCADE);
        INSERT INTO Parent VALUES(1); INSERT INTO child VALUES(1);
        """)

    try trial.upgrade()

    #expect(try trial.ask("SELECT count(*) FROM child") == "1")
  }

  @Test(.tags(.S14))
  func `lets a script without a transaction begin its own`() throws {
    let trial = try Trial(
      Self.directive
        + """
        BEGIN; CREATE TABLE t(a); SAVEPOINT s; INSERT INTO t VALUES(1); ROLLBACK TO s;
        INSERT INTO t VALUES(2); COMMIT; BEGIN IMMEDIATE; INSERT INTO t VALUES(3); ROLLBACK;
        """)

    try trial.upgrade()

    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "2")
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S14, .promise6))
  func `keeps what a script without a transaction did before it failed, and says so`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a);",
      Self.directive + "INSERT INTO t VALUES(1);\nINSERT INTO nosuch VALUES(2);",
      "CREATE TABLE u(a);")

    let error = try #require(trial.error())

    #expect(
      error
        == .failed(
          UpgradeError.Failure(
            script: trial.path(2), line: 3, column: 1, text: "INSERT INTO nosuch VALUES(2);",
            reason: .sqlite(code: 1, name: "SQLITE_ERROR", words: "no such table: nosuch"),
            reached: 1, ranAlone: true)))
    #expect(error.remedy.contains("are kept"))
    #expect(!error.remedy.contains("nothing"))
    #expect(
      try trial.ask("SELECT group_concat(name) FROM sqlite_master; SELECT * FROM t;") == "t\n1")
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S14))
  func `undoes a transaction that a script without one begins and does not commit`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", Self.directive + "BEGIN; INSERT INTO t VALUES(1);")

    let failure = trial.failure()

    #expect(failure?.reason == .uncommitted)
    #expect(try trial.ask("SELECT count(*) FROM t") == "0")
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S14), arguments: GroupTests.intervals)
  func `commits the scripts before a script without a transaction first`(interval: Duration) throws
  {
    let trial = try Trial(
      "CREATE TABLE t(a);", Self.directive + "SELECT nosuch;", "CREATE TABLE u(a);")

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.script == trial.path(2))
    #expect(failure?.reached == 1)
    #expect(try trial.ask("SELECT group_concat(name) FROM sqlite_master") == "t")
  }

  @Test(.tags(.S6, .S14, .promise10))
  func `finds the new orphans of a script without a transaction among old ones`() throws {
    let start = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, name);
      CREATE TABLE child(parent REFERENCES parent);
      INSERT INTO child VALUES(7);
      """
    let good = try Trial(
      Self.directive + "VACUUM;", Self.directive + "UPDATE child SET parent = 7;",
      Self.directive + "INSERT INTO parent VALUES(1, ''); INSERT INTO child VALUES(1); VACUUM;",
      start: start)
    let bad = try Trial(
      Self.directive + "INSERT INTO child VALUES(8); UPDATE parent SET name = 1;", start: start)

    try good.upgrade()
    let failure = bad.failure()

    #expect(
      failure?.reason
        == .foreignKeys(
          .init(
            rows: [
              UpgradeError.Violation(table: "child", row: 2, columns: ["parent"], parent: "parent")
            ], count: 1)))
    #expect(failure?.ranAlone == true)
    #expect(try bad.version() == 0)
  }

  /// Each boot has the database open, and the script needs it closed by everybody else.
  @Test(.tags(.S14, .promise5), arguments: 1...6)
  func `lets one of three boots that all leave WAL mode have the database to itself`(
    round: Int
  ) throws {
    let site = try Site(scripts: [
      "2.sql": Self.directive + "PRAGMA journal_mode=DELETE;", "3.sql": Site.script(3),
    ])
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")

    let outcomes = try site.race(3, ["--patience", "20000"])

    #expect(outcomes.map(\.status) == [0, 0, 0])
    #expect(try site.names() == ["seeded", "script 3"])
    #expect(try Shell.run(site.database, "PRAGMA journal_mode") == "delete")
  }

  /// While it waits for the reader, the script runs again and again.
  @Test(.tags(.S14, .S6, .promise10))
  func `fails on its own orphans, though it has to wait for the database`() throws {
    let site = try Site(scripts: [
      "2.sql": Self.directive + "DELETE FROM item; PRAGMA journal_mode=DELETE;"
    ])
    try site.place(
      Site.seed + """
        CREATE TABLE child(item REFERENCES item); INSERT INTO child VALUES(1);
        PRAGMA journal_mode=wal;
        """)
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", seconds: 1.5)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: 2) }

    _ = try reader.wait()
    #expect(error?.description.contains("1 new foreign-key violation") == true)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(.tags(.S14, .F11, .promise7))
  func `does not go on with a database that replaced its own while it waited`() throws {
    let site = try Site(scripts: ["2.sql": Self.directive + "PRAGMA journal_mode=DELETE;"])
    try Shell.run(site.seed, "PRAGMA application_id=7;")
    try site.place(Site.seed + "PRAGMA application_id=7; PRAGMA journal_mode=wal;")
    let other = site.scratch("other.db")
    try site.scratch.write("", to: "other.db")
    try Shell.run(other, "PRAGMA application_id=99; CREATE TABLE t(a); PRAGMA user_version=1;")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", seconds: 3)

    let boot = try site.start(target: 2)
    usleep(1_000_000)
    for suffix in ["-wal", "-shm"] { try site.scratch.remove("data/app.db" + suffix) }
    #expect(rename(other, site.database) == 0)

    #expect(try boot.wait().output.hasPrefix("moved\n"))
    _ = try reader.wait()
    #expect(try Shell.version(site.database) == 1)
    #expect(try Shell.run(site.database, "SELECT name FROM sqlite_master") == "t")
  }

  @Test(
    .tags(.F11, .promise2), arguments: ["", directive], ["", "PRAGMA journal_mode=wal;"])
  func `writes nothing into a database that replaced its own while it waited for the lock`(
    directive: String, mode: String
  ) throws {
    let site = try Site(scripts: ["2.sql": directive + "UPDATE item SET name = 'script';"])
    try site.place(Site.seed + mode)
    try site.scratch.write("", to: "other.db")
    try Shell.run(site.scratch("other.db"), Site.seed + mode)
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let error = try site.error(target: 2) {
      #expect(rename(site.scratch("other.db"), site.database) == 0)
      try site.letGo()
    }

    #expect(error == .moved(path: site.database, reached: 1))
    _ = try writer.wait()
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded"])
  }

  /// Somebody puts older content into the database while the script runs.
  @Test(.tags(.promise4, .F11)) func `is the last one if the database has gone back meanwhile`()
    throws
  {
    let site = try Site(scripts: [
      "2_two.sql": Site.script(2),
      "3_three.sql": Self.directive + "INSERT INTO item(name) VALUES ('alone');",
    ])
    try site.upgrader(target: 2).upgrade()

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().upgrade { event in
        guard case .started = event else { return }
        _ = try? Shell.run(site.database, "PRAGMA user_version = 1;")
      }
    }

    #expect(error == .moved(path: site.database, reached: 1))
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded", "script 2", "alone"])
  }

  /// The directive is there already.
  @Test(.tags(.S14), arguments: ["BEGIN; VACUUM; COMMIT;", "BEGIN; BEGIN; COMMIT;"])
  func `says that its changes are kept if it begins a transaction`(statements: String) throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", Self.directive + "CREATE TABLE kept(x);\n" + statements)

    let error = try #require(trial.error())

    #expect(!error.remedy.contains("-- uplift: no-transaction"), "\(error.remedy)")
    #expect(error.remedy.contains("its changes so far are kept"), "\(error.remedy)")
  }
}
