import TestSupport
import Testing
import Uplift

/// Text in double quotes is a string if no column has its name, and then no name may become one.
struct DoubleQuotedForeignKeyTests {
  static let family = """
    CREATE TABLE p(id INTEGER PRIMARY KEY);
    CREATE TABLE c(id INTEGER PRIMARY KEY, pid REFERENCES p) WITHOUT ROWID;
    INSERT INTO p VALUES(1);
    INSERT INTO c VALUES(1, 9), (2, 1);
    """

  @Test(.tags(.S6)) func `tolerates an old orphan without a row identifier`() throws {
    let trial = try Trial("INSERT INTO c VALUES(3, NULL);", start: Self.family)

    let error = trial.error { $0.doubleQuotedStrings = true }

    #expect(error == nil)
  }

  @Test(.tags(.promise10, .S6)) func `names a new orphan without a row identifier`() throws {
    let trial = try Trial("DELETE FROM p;", start: Self.family)

    let failure = trial.failure { $0.doubleQuotedStrings = true }

    #expect(failure?.violations?.count == 1)
    #expect(failure?.violations?.rows.map(\.row) == [nil])
  }

  @Test(
    arguments: ["t(a, b)", "t(a PRIMARY KEY, b) WITHOUT ROWID", "t(_rowid_, a, b)"],
    [false, true])
  func `rebuilds a table`(table: String, withoutRowID: Bool) throws {
    let columns = table.contains("(_rowid_") ? "_rowid_, a, b" : "a, b"
    let site = try Site.holding(
      "CREATE TABLE \(table); INSERT INTO t(a, b) VALUES(1, 2); DELETE FROM t;"
        + "INSERT INTO t(a, b) VALUES(3, 4);")
    var options = Upgrader.Options()
    options.doubleQuotedStrings = true

    try site.step(options: options) { database in
      let key = withoutRowID ? ", PRIMARY KEY(a)) WITHOUT ROWID" : ")"
      try database.rebuildTable("t", as: "(\(columns)\(key)")
    }

    #expect(try site.shell("SELECT a, b FROM t") == "3|4")
  }
}
