import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite
import UpliftSystem

/// A rehearsal copies a database that a service is using, and `adopt` reads it.
struct LiveCopyTests {
  /// The service opens and closes the database for each request, so there is no log in between.
  @Test(.tags(.promise16)) func `ends although the database is opened and closed all the time`()
    throws
  {
    let site = try Site()
    try site.place(
      Site.seed
        + """
        PRAGMA journal_mode = wal;
        CREATE TABLE more AS SELECT randomblob(9000000) AS bytes;
        CREATE TABLE late(a);
        """)
    var requests = 0

    _ = try site.upgrader().copyDatabase(
      to: Path(site.scratch("copy.db")),
      isCancelled: {
        requests += 1
        #expect(throws: Never.self) {
          // The two tables lie at both ends of the file.
          try Shell.run(
            site.database,
            "BEGIN; INSERT INTO item(name) VALUES ('request'); INSERT INTO late VALUES (1); COMMIT;"
          )
        }
        return requests > 100
      }, onEvent: { _ in })

    #expect(requests < 50)
    #expect(try Shell.run(site.scratch("copy.db"), "PRAGMA integrity_check;") == "ok")
    let difference = "SELECT (SELECT count(*) FROM item) - (SELECT count(*) FROM late);"
    #expect(try Shell.run(site.scratch("copy.db"), difference) == "1")
  }

  @Test(.tags(.promise16)) func `is read again if a service has written meanwhile`() throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode = wal;")
    let database = try ExistingDatabase(of: site.upgrader(), isCancelled: { false })
    var counts: [Int64] = []

    _ = try database.look(acceptsUnversioned: false) { connection throws(SQLiteError) in
      counts.append(try connection.integer("SELECT count(*) FROM item"))
      if counts.count > 1 { return }
      #expect(throws: Never.self) {
        try Shell.run(site.database, "INSERT INTO item(name) VALUES ('late');")
      }
    }

    #expect(counts == [1, 2])
  }
}
