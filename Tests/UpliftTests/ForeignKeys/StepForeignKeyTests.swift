import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// No step commits a foreign-key violation that was not there before it.
struct StepForeignKeyTests {
  /// A child of a row that is there, and an orphan from long ago.
  static let family = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, name);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent);
    INSERT INTO parent VALUES (1, 'a'), (2, 'b');
    INSERT INTO child VALUES (1, 1), (2, 2), (3, 99);
    """

  static let violation = UpgradeError.Violation(
    table: "child", row: 2, columns: ["parent"], parent: "parent")

  @Test(.tags(.promise10, .S6)) func `tolerates orphans that were there before`() throws {
    let site = try Site.holding(Self.family)

    try site.step { database in
      try database.execute("UPDATE child SET parent = parent")
      try database.execute("UPDATE parent SET name = 'c'")
    }

    #expect(try Shell.version(site.database) == 2)
  }

  @Test(
    .tags(.promise10),
    arguments: [
      ["DELETE FROM parent WHERE id = 2"],
      // Counted before the child was first touched, not again after.
      ["UPDATE child SET parent = 98 WHERE id = 2", "UPDATE parent SET name = 'c'"],
      [
        "ALTER TABLE parent RENAME TO p", "DELETE FROM p WHERE id = 2",
        "ALTER TABLE p RENAME TO parent",
      ],
    ])
  func `fails on a new orphan`(statements: [String]) throws {
    let site = try Site.holding(Self.family)

    let failure = try site.failure { database in
      for statement in statements { try database.execute(statement) }
    }

    #expect(failure.violations?.rows == [Self.violation])
    #expect(try site.shell("SELECT count(*) FROM parent") == "2")
  }

  @Test(.tags(.promise10)) func `sees what the lent handle did`() throws {
    let site = try Site.holding(Self.family)

    let failure = try site.failure { database in
      _ = try database.withHandle { handle in
        sqlite3_exec(handle, "DELETE FROM parent WHERE id = 2", nil, nil, nil)
      }
    }

    #expect(failure.violations?.rows == [Self.violation])
  }

  @Test func `tolerates old orphans where the lent handle worked`() throws {
    let site = try Site.holding(Self.family)

    try site.step { database in
      _ = try database.withHandle { handle in
        sqlite3_exec(handle, "UPDATE parent SET name = 'c'", nil, nil, nil)
      }
    }

    #expect(try Shell.version(site.database) == 2)
  }

  @Test func `checks nothing where that is the option`() throws {
    let site = try Site.holding(Self.family)
    var options = Upgrader.Options()
    options.foreignKeys = .none

    try site.step(options: options) { database in try database.execute("DELETE FROM parent") }

    #expect(try Shell.version(site.database) == 2)
  }
}
