import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A rehearsal copies a database that a service is using.
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
        """)
    var requests = 0

    _ = try site.upgrader().copyDatabase(
      to: Path(site.scratch("copy.db")),
      isCancelled: {
        requests += 1
        #expect(throws: Never.self) {
          try Shell.run(site.database, "INSERT INTO item(name) VALUES ('request');")
        }
        return requests > 100
      }, onEvent: { _ in })

    #expect(requests < 50)
    #expect(try Shell.run(site.scratch("copy.db"), "PRAGMA integrity_check;") == "ok")
  }
}
