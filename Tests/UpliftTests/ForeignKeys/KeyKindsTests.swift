import TestSupport
import Testing
import Uplift

/// Foreign keys to several columns, from generated columns, and with collations.
struct KeyKindsTests {
  static let pairs = """
    CREATE TABLE parent(a, b, PRIMARY KEY(a, b));
    CREATE TABLE child(x, y, FOREIGN KEY(x, y) REFERENCES parent);
    INSERT INTO parent VALUES(1, 2);
    INSERT INTO child VALUES(1, 2);
    """

  static let generated = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    CREATE TABLE child(a, b AS (a + 1) VIRTUAL REFERENCES parent);
    INSERT INTO parent VALUES(1);
    INSERT INTO child(a) VALUES(0);
    """

  static let collated = """
    CREATE TABLE parent(name TEXT, PRIMARY KEY(name COLLATE NOCASE));
    CREATE TABLE child(name REFERENCES parent);
    INSERT INTO parent VALUES('one');
    INSERT INTO child VALUES('One');
    """

  /// The columns of a key have an order of their own.
  @Test(.tags(.S6, .promise10), arguments: ["", " WITHOUT ROWID"])
  func `are in the order of the key, not of the table`(kind: String) throws {
    let start = """
      CREATE TABLE parent(a, b, PRIMARY KEY(b, a))\(kind);
      CREATE TABLE child(x, y, FOREIGN KEY(x, y) REFERENCES parent);
      INSERT INTO parent(b, a) VALUES(1, 2);
      """

    let good = try Trial("INSERT INTO child VALUES(1, 2);", start: start)
    let bad = try Trial("INSERT INTO child VALUES(2, 1);", start: start)

    try good.upgrade()
    #expect(bad.failure()?.orphans?.count == 1)
  }

  @Test(
    .tags(.S6, .promise10),
    arguments: [
      (pairs, "UPDATE parent SET a = 3;"), (pairs, "UPDATE parent SET b = 3;"),
      (generated, "UPDATE child SET a = 5;"), (collated, "UPDATE parent SET name = 'two';"),
      (collated, "INSERT INTO child VALUES('TWO');"),
    ])
  func `are checked`(start: String, script: String) throws {
    let trial = try Trial(script, start: start)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }

  @Test(
    .tags(.S6, .promise10),
    arguments: ["INSERT INTO child VALUES('ONE');", "UPDATE child SET name = upper(name);"])
  func `compare as the key of the parent does`(script: String) throws {
    let trial = try Trial(
      script, start: Self.collated + "INSERT INTO child VALUES('OLD ORPHAN');")

    let failure = trial.failure()

    #expect(failure == nil)
  }
}
