import Foundation
import TestSupport
import Testing
import Uplift

/// Scripts with the `no-transaction` directive: pragmas and `VACUUM`, and nothing else.
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
    #expect(error.kind == .failed)
    #expect(error.placeInScript == "2:1")
    #expect(error.sqlite?.name == name)
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S14))
  func `runs statements that SQLite refuses inside a transaction`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000)); DELETE FROM t;",
      Self.directive + "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA page_size=1024; VACUUM;",
      "\n  --  uplift: no-transaction  \r\nPRAGMA journal_mode=WAL;",
      "INSERT INTO t VALUES(1);",
      Self.directive + "/* all */ PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize;")

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
        + "PRAGMA page_size = 16384; PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL;",
      "CREATE TABLE t(a);")
    if isEmptyFile { try trial.scratch.write("", to: "app.db") }

    try trial.upgrade()

    #expect(
      try trial.ask("PRAGMA page_size; PRAGMA auto_vacuum; PRAGMA journal_mode;") == "16384\n1\nwal"
    )
  }

  @Test(
    .tags(.O12, .O10, .S14, .promise4),
    arguments: [
      "INSERT INTO t VALUES(1)", "CREATE TABLE u(a)", "DELETE FROM t", "SELECT 1", "BEGIN",
      "REINDEX", "ANALYZE", "ATTACH 'x' AS x", "EXPLAIN VACUUM", "PRAGMA foreign_keys = ON",
      "PRAGMA user_version = 7", "VACUUM INTO 'copy.db'", "VACUUM main /* */ INTO 'copy.db'",
      "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
    ])
  func `are refused before anything runs, if they hold another statement`(statement: String) throws
  {
    let trial = try Trial(
      "CREATE TABLE t(a);", Self.directive + "VACUUM;\nPRAGMA journal_mode = WAL;\n \(statement);")

    let error = try #require(trial.error())

    let words = "a no-transaction script holds only VACUUM and pragmas of the file"
    #expect(error.says(.scripts, "\(trial.path(2)):4:2: \(words)"))
    #expect(error.exitCode == 65)
    #expect(!trial.scratch.names().contains("app.db"))
  }

  @Test(.tags(.S4, .S14), arguments: ["OFF", "MEMORY", "'off'"])
  func `cannot ask for a journal with which a crash could lose the database`(mode: String) throws {
    let trial = try Trial(Self.directive + "PRAGMA journal_mode = \(mode);")

    let error = try #require(trial.error())

    #expect(error.description.contains("PRAGMA journal_mode="))
    #expect(error.remedy.contains("WAL, DELETE, TRUNCATE or PERSIST"))
    #expect(!trial.scratch.names().contains("app.db"))
  }

  @Test(.tags(.S14)) func `say what SQLite says of a statement that it cannot read`() throws {
    let trial = try Trial(Self.directive + "VACUUM nosuch;\n")

    let error = try #require(trial.error())

    #expect(error.description.contains(":2:8: unknown database nosuch"))
  }

  @Test(.tags(.S14, .promise6), arguments: GroupTests.intervals)
  func `begin after the scripts before them are committed`(interval: Duration) throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", Self.directive + "VACUUM;", "CREATE TABLE u(a); SELECT nosuch;")

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.place?.file == trial.path(3))
    #expect(failure?.reached == 2)
    #expect(try trial.ask("SELECT group_concat(name) FROM sqlite_master") == "t")
  }

  /// Each boot has the database open, and the script needs it closed by everybody else.
  @Test(.tags(.S14, .promise5), arguments: 1...6)
  func `let one of three boots that all leave WAL mode have the database to itself`(
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

  @Test(.tags(.S14)) func `wait for a service that has the database open, and then say so`() throws
  {
    let site = try Site(scripts: ["2.sql": Self.directive + "PRAGMA journal_mode=DELETE;"])
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    var options = Upgrader.Options()
    options.patience = .milliseconds(300)

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrade(target: 2, options: options)
    }
    try site.letGo()
    _ = try service.wait()

    #expect(error == .busy(site.database, reached: 1))
    #expect(try site.upgrade(target: 2).end == 2)
  }

  /// Another boot was faster, and has gone on.
  @Test(.tags(.S14, .promise5)) func `do not set the version back`() throws {
    let site = try Site(scripts: [
      "2_two.sql": Self.directive + "VACUUM;", "3_three.sql": Site.script(3),
    ])
    try site.upgrader(target: 1).upgrade()

    let upgrade = try site.upgrader().upgrade { event in
      guard case .started(let step) = event, step.version == 2 else { return }
      _ = try? Shell.run(
        site.database, "INSERT INTO item(name) VALUES('other'); PRAGMA user_version = 3;")
    }

    #expect(upgrade.applied.isEmpty)
    #expect(try Shell.version(site.database) == 3)
    #expect(try site.names() == ["seeded", "other"])
  }

  @Test(.tags(.F11, .promise2), arguments: ["", "PRAGMA journal_mode=wal;"])
  func `write nothing into a database that replaced their own while they waited for the lock`(
    mode: String
  ) throws {
    let site = try Site(scripts: ["2.sql": "UPDATE item SET name = 'script';"])
    try site.place(Site.seed + mode)
    try site.scratch.write("", to: "other.db")
    try Shell.run(site.scratch("other.db"), Site.seed + mode)
    let writer = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let error = try site.error(target: 2) {
      #expect(rename(site.scratch("other.db"), site.database) == 0)
      try site.letGo()
    }

    #expect(error == .moved(site.database, openAt: 1))
    _ = try writer.wait()
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded"])
  }
}
