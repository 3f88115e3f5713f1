import Foundation
import TestSupport
import Testing
import Uplift

/// Pages that SQLite writes into the log before the commit, and that are undone.
///
/// SQLite before 3.50.2 then commits frames without checksums. They are lost if all processes that
/// have the database open are killed, and so is everything that was committed after them.
struct EarlyPagesTests {
  private static let rows = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"

  /// More pages than fit into SQLite's cache, written twice.
  private static let big = """
    CREATE TABLE big(id INTEGER PRIMARY KEY, bytes);
    \(rows) INSERT INTO big SELECT i, zeroblob(900) FROM n;
    UPDATE big SET bytes = randomblob(900);
    UPDATE big SET bytes = randomblob(900);
    """

  /// Upgrades beside a service, and returns what is left after the service has written a row and was
  /// killed.
  private func remains(of site: Site, _ upgrade: () throws -> Void) throws -> (Int, [String]) {
    try site.place("PRAGMA journal_mode = wal;" + Site.seed)
    let names = ["app.db", "app.db-wal"]
    let copies = names.map { ".shell cp '\(site.scratch("data/" + $0))' '\(site.scratch.path)'" }
    let service = try site.hold(
      "SELECT count(*) FROM item;",
      end: (["INSERT INTO item VALUES (99, 'later');"] + copies).joined(separator: "\n"))
    try upgrade()
    try site.letGo()
    _ = try service.wait()
    let copy = site.scratch("app.db")
    let rows = try Shell.run(copy, "SELECT name FROM item ORDER BY id;")
    return (try Shell.version(copy), rows.split(separator: "\n").map(String.init))
  }

  @Test(.tags(.S14, .promise4, .promise11))
  func `a script before one that failed stays committed`() throws {
    let site = try Site(scripts: [
      "2_two.sql": Site.script(2), "3_three.sql": Self.big + "SELECT nope;",
    ])

    let (version, names) = try remains(of: site) {
      let error = #expect(throws: UpgradeError.self) { try site.upgrade() }
      #expect(error?.reached == 2)
    }

    #expect(version == 2)
    #expect(names == ["seeded", "script 2", "later"])
  }

  /// The step catches the error of a statement that has written much.
  @Test(.tags(.promise11)) func `a step in Swift does not lose what it has committed`() throws {
    let site = try Site(scripts: [:])
    var hasFailed = false
    let step = Migration.code(2, "two") { database in
      try database.execute("CREATE TABLE big(id INTEGER PRIMARY KEY, bytes UNIQUE NOT NULL)")
      try? database.execute(
        "\(Self.rows) INSERT INTO big SELECT i, CASE WHEN i < 5000 THEN randomblob(900) END FROM n")
      try? database.execute("INSERT INTO item VALUES (2, 'step')")
    }

    let (version, names) = try remains(of: site) {
      do throws(UpgradeError) {
        try Upgrader(database: site.database, migrations: [step]).upgrade()
      } catch {
        hasFailed = true
        #expect("\(error)".contains("NOT NULL constraint failed"))
      }
    }

    #expect(version == (hasFailed ? 1 : 2))
    #expect(names == (hasFailed ? ["seeded", "later"] : ["seeded", "step", "later"]))
  }
}
