import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What `rehearse` reports, and that it changes nothing.
@Suite(.tags(.promise16)) struct RehearseTests {
  /// Two tables with rows, at version 1.
  private static let tables = """
    CREATE TABLE guests(id INTEGER PRIMARY KEY, name TEXT);
    CREATE INDEX by_name ON guests(name);
    CREATE TABLE old(x);
    INSERT INTO guests(name) VALUES('a'), ('b'), ('c');
    INSERT INTO old VALUES(1);
    PRAGMA user_version = 1;
    """

  private static let scripts = [
    "2_two.sql": "DROP INDEX by_name; DROP TABLE old; CREATE VIRTUAL TABLE text USING fts4(body);",
    "3_three.sql":
      "INSERT INTO text(body) SELECT name FROM guests; DELETE FROM guests WHERE id = 1;",
  ]

  private func site(_ scripts: [String: String] = Self.scripts) throws -> Site {
    let site = try Site(seed: nil, scripts: scripts)
    try site.place(Self.tables)
    return site
  }

  private func upgrader(_ site: Site, target: Version? = nil) -> Upgrader {
    Upgrader(database: site.database, migrations: .directory(site.scripts), target: target)
  }

  @Test func `refuses a database that an upgrade refuses, before it is copied`() throws {
    let site = try site()
    try Shell.run(site.database, "PRAGMA user_version = 9;")

    #expect(throws: UpgradeError.newer(9, than: 3)) {
      try upgrader(site).rehearse()
    }
  }

  @Test(arguments: ["delete", "wal"])
  func `tells the sizes, and the room for the journal or the log`(journal: String) throws {
    let site = try site([
      "2_large.sql": "INSERT INTO guests(name) VALUES(hex(zeroblob(1000000)));",
      "3_change.sql": "UPDATE guests SET name = replace(name, '0', '1') WHERE id = 4;",
      "4_drop.sql": "DROP TABLE guests;",
      "5_shrink.sql": "-- uplift: no-transaction\nVACUUM;",
    ])
    try site.place("PRAGMA journal_mode = \(journal);")

    let rehearsal = try upgrader(site).rehearse()

    let steps = rehearsal.steps
    #expect(steps[0].sizeBefore == rehearsal.copy?.size)
    #expect(steps[0].sizeAfter > 4_000_000)
    #expect(steps.dropFirst().map(\.sizeBefore) == steps.dropLast().map(\.sizeAfter))
    #expect(steps[3].sizeAfter < 100_000)
    #expect((rehearsal.room.first?.needed ?? 0) > 8_000_000)
  }

  @Test func `tells the room of temporary files, which have no names`() throws {
    let site = try site([
      "2_sort.sql": """
      CREATE TABLE small(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE
        i < 40000) INSERT INTO small SELECT hex(randomblob(100)) FROM n;
      """,
      "3_sum.sql": """
      CREATE TABLE sums AS SELECT max(n) AS x FROM
        (SELECT a, count(*) AS n FROM small GROUP BY a || a || a || a);
      """,
    ])

    let rehearsal = try upgrader(site).rehearse()

    let growth = rehearsal.steps.map { $0.sizeAfter - $0.sizeBefore }.reduce(0, +)
    #expect(rehearsal.room.map(\.needed).reduce(0, +) > growth + 10_000_000)
  }

  @Test func `tells the rows, the objects and the room, and leaves the database as it is`() throws {
    let site = try site()
    let before = site.scratch.bytes("data/app.db")

    let rehearsal = try upgrader(site).rehearse()

    #expect(rehearsal.start == 1)
    #expect(rehearsal.target == 3)
    #expect(rehearsal.failure == nil)
    #expect(rehearsal.steps.map(\.name) == ["2_two.sql", "3_three.sql"])
    #expect(rehearsal.steps.map(\.version) == [2, 3])
    #expect(rehearsal.steps.allSatisfy { $0.duration > .zero })
    #expect(
      rehearsal.tables.map { "\($0.name) \($0.rowsBefore ?? -1) \($0.rowsAfter ?? -1)" }
        == ["guests 3 2", "old 1 -1"])
    #expect(rehearsal.gone == ["index by_name", "table old"])
    #expect(rehearsal.copy?.size == Int64(before?.count ?? 0))
    #expect(rehearsal.room.first?.directory == site.scratch("data"))
    #expect((rehearsal.room.first?.free ?? 0) > 0)
    #expect(rehearsal.room.first?.isEnough == true)
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test func `copies nothing if nothing is pending`() throws {
    let site = try site()

    let rehearsal = try upgrader(site, target: 1).rehearse(in: site.scratch("nowhere"))

    #expect(rehearsal.copy == nil)
    #expect(rehearsal.steps == [])
    #expect(rehearsal.start == 1)
  }

  @Test func `reports the script that fails on these rows`() throws {
    let site = try site(
      Self.scripts.merging(["4_four.sql": "CREATE UNIQUE INDEX u ON guests(length(name));"]) { $1 })
    let before = site.scratch.bytes("data/app.db")

    let rehearsal = try upgrader(site).rehearse()

    #expect(rehearsal.steps.map(\.version) == [2, 3])
    #expect(rehearsal.failure?.exitCode == 1)
    #expect(rehearsal.failure?.reached == 3)
    #expect(rehearsal.failure?.kind == .failed)
    #expect(rehearsal.failure?.place?.file.hasSuffix("4_four.sql") == true)
    #expect(site.scratch.bytes("data/app.db") == before)
  }

  @Test func `reports the text of a script that cannot run`() throws {
    let site = try site(["2_two.sql": "CREATE TABLE 'a"])

    #expect(try upgrader(site).rehearse().failure?.exitCode == 65)
  }

  @Test func `needs a database that an upgrade would take`() throws {
    let newer = try site()
    try newer.place("PRAGMA user_version = 9;")
    let absent = try Site(seed: nil, scripts: Self.scripts)

    #expect(throws: UpgradeError.self) { try upgrader(newer).rehearse() }
    #expect(code { _ = try upgrader(newer).rehearse() } == 76)
    #expect(code { _ = try upgrader(absent).rehearse() } == 66)
    #expect(absent.scratch.names() == ["resources"])
  }

  private func code(_ work: () throws -> Void) -> Int32 {
    do {
      try work()
      return 0
    } catch {
      return (error as? UpgradeError)?.exitCode ?? -1
    }
  }

  @Test func `runs steps in Swift on the copy`() throws {
    let site = try site([:])
    let upgrader = Upgrader(
      database: site.database,
      migrations: [.code(2, "code") { try $0.execute("INSERT INTO old VALUES(2)") }])

    let rehearsal = try upgrader.rehearse()

    #expect(rehearsal.steps.map(\.name) == ["code"])
    #expect(rehearsal.tables.last?.rowsAfter == 2)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM old;") == "1")
  }

  @Test func `makes no backup, whatever the options say`() throws {
    let site = try site()
    var options = Upgrader.Options()
    options.backup = Upgrader.Backup(directory: site.scratch("old"))
    let upgrader = Upgrader(
      database: site.database, migrations: .directory(site.scripts), options: options)

    #expect(try upgrader.rehearse().steps.count == 2)
    #expect(site.scratch.names() == ["data", "resources"])
  }

  // The copy.

  @Test func `can be read by nobody else while it is there`() throws {
    let site = try site()
    try site.scratch.removeAll("in")
    var modes: Set<Int> = []
    var names: [String] = []

    let directory = site.scratch("in")
    let look: (Upgrader.Event) -> Void = { _ in
      guard let name = site.scratch.names("in").first else { return }
      names = site.scratch.names("in/\(name)")
      let mode = (try? site.mode("in/\(name)/app.db")) ?? -1
      modes.insert(mode)
    }
    _ = try upgrader(site).rehearse(in: directory, onEvent: look)

    #expect(modes == [0o600])
    #expect(names.contains("app.db"))
    #expect(site.scratch.names("in") == [])
  }

  @Test func `is whole although the log of a WAL database holds the newest rows`() throws {
    let site = try site()
    try site.place("PRAGMA journal_mode = wal;")
    let service = try site.hold(
      "PRAGMA wal_autocheckpoint = 0; INSERT INTO old VALUES(2); BEGIN IMMEDIATE; INSERT INTO old VALUES(3);",
      end: "COMMIT;")
    let before = site.scratch.bytes("data/app.db-wal")

    // A writer has the database, and is not waited for.
    let rehearsal = try upgrader(site).rehearse()
    #expect(site.scratch.bytes("data/app.db-wal") == before)
    try site.letGo()
    _ = try service.wait()

    #expect(rehearsal.tables.first { $0.name == "old" }?.rowsBefore == 2)
    #expect(rehearsal.failure == nil)
    #expect(try Shell.run(site.database, "SELECT count(*) FROM old;") == "3")
  }

  @Test func `leaves a WAL database without a log as it is`() throws {
    let site = try site()
    try site.place("PRAGMA journal_mode = wal;")
    let before = site.scratch.bytes("data/app.db")
    let link = site.scratch("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: site.database)

    let rehearsal = try Upgrader(database: link, migrations: .directory(site.scripts)).rehearse()

    #expect(rehearsal.steps.count == 2)
    #expect(rehearsal.room.first?.directory == site.scratch("data"))
    #expect(site.scratch.bytes("data/app.db") == before)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test func `ends if it is cancelled while it waits for the database`() throws {
    let site = try site()
    let service = try site.hold("BEGIN EXCLUSIVE;", end: "ROLLBACK;")
    let end = ContinuousClock.now + .milliseconds(200)

    #expect(throws: UpgradeError.cancelled()) {
      try upgrader(site).rehearse(isCancelled: { ContinuousClock.now > end })
    }

    try site.letGo()
    _ = try service.wait()
  }

  @Test func `is gone if the rehearsal is cancelled`() throws {
    let site = try site()
    try site.scratch.removeAll("in")
    let directory = site.scratch("in")
    var isCancelled = false

    let cancelled = UpgradeError.cancelled().onCopy(of: site.database)
    #expect(throws: cancelled) {
      try upgrader(site).rehearse(
        in: directory, isCancelled: { isCancelled },
        onEvent: { event in
          if case .committed = event { isCancelled = true }
        })
    }
    #expect(throws: cancelled) {
      try upgrader(site).rehearse(in: directory, isCancelled: { true })
    }
    #expect(site.scratch.names("in") == [])
  }
}
