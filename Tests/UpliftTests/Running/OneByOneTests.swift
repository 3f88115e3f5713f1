import TestSupport
import Testing
import Uplift

/// One boot over five scripts gives the same database as five boots over one script each.
struct OneByOneTests {
  /// Each script leaves something on the connection that would change what the next one does.
  private static let scripts = [
    "2.sql": "CREATE TEMP TABLE item(other); INSERT INTO main.item(name) VALUES('two');",
    "3.sql": "INSERT INTO item(id, name) VALUES(77, 'three');",
    "4.sql": """
    CREATE TABLE log(id, changed);
    INSERT INTO log SELECT max(id), 0 FROM item;
    PRAGMA recursive_triggers=ON;
    """,
    "5.sql": """
    CREATE TRIGGER deeper AFTER INSERT ON log WHEN new.id > 0
    BEGIN INSERT INTO log VALUES(new.id - 1, 1); END;
    INSERT INTO log VALUES(3, 0);
    PRAGMA case_sensitive_like=ON;
    """,
    "6.sql": "INSERT INTO log SELECT id, 'like' FROM item WHERE name LIKE 'SEED%';",
  ]

  @Test(.tags(.promise12), arguments: [Duration.zero, .milliseconds(100), .seconds(100)])
  func `one boot leaves the same database as one boot a script`(interval: Duration) throws {
    let apart = try Site(scripts: Self.scripts)
    let atOnce = try Site(scripts: Self.scripts)
    var options = Upgrader.Options()
    options.commitInterval = interval

    for target in [2, 3, 4, 5, 6] as [Version] { _ = try apart.upgrade(target: target) }
    let upgrade = try atOnce.upgrade(target: 6, options: options)

    #expect(upgrade.applied.map(\.version) == [2, 3, 4, 5, 6])
    #expect(try Shell.dump(atOnce.database) == Shell.dump(apart.database))
    #expect(try Shell.version(atOnce.database) == Shell.version(apart.database))
  }
}
