import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// A step in Swift that makes an orphan fails.
struct StepForeignKeyTests {
  /// Two children with parents, and an old orphan.
  static let family = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, name);
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent);
    INSERT INTO parent VALUES (1, 'a'), (2, 'b');
    INSERT INTO child VALUES (1, 1), (2, 2), (3, 99);
    """

  static let orphan = UpgradeError.Orphan(
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
      // The orphans are counted only before the first statement that touches the child.
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

    #expect(failure.orphans?.rows == [Self.orphan])
    #expect(try site.shell("SELECT count(*) FROM parent") == "2")
  }

  @Test(.tags(.promise10)) func `notices an orphan that the lent handle made`() throws {
    let site = try Site.holding(Self.family)

    let failure = try site.failure { database in
      _ = try database.withHandle { handle in
        sqlite3_exec(handle, "DELETE FROM parent WHERE id = 2", nil, nil, nil)
      }
    }

    #expect(failure.orphans?.rows == [Self.orphan])
  }

  @Test(.tags(.promise10)) func `notices an orphan that the lent handle made behind the guard`()
    throws
  {
    let site = try Site.holding(Self.family)

    let failure = try site.failure { database in
      _ = try database.withHandle { handle in
        sqlite3_set_authorizer(handle, nil, nil)
        sqlite3_exec(handle, "DELETE FROM parent WHERE id = 2", nil, nil, nil)
      }
    }

    #expect(failure.orphans?.rows == [Self.orphan])
  }

  @Test func `tolerates old orphans if the lent handle was used`() throws {
    let site = try Site.holding(Self.family)

    try site.step { database in
      _ = try database.withHandle { handle in
        sqlite3_exec(handle, "UPDATE parent SET name = 'c'", nil, nil, nil)
      }
    }

    #expect(try Shell.version(site.database) == 2)
  }

  @Test func `checks nothing if the options say so`() throws {
    let site = try Site.holding(Self.family)
    var options = Upgrader.Options()
    options.foreignKeys = .none

    try site.step(options: options) { database in try database.execute("DELETE FROM parent") }

    #expect(try Shell.version(site.database) == 2)
  }
}
