import TestSupport
import Testing
import Uplift

/// Names after a `ROLLBACK` in a script without a transaction: those of the last commit.
struct RollbackNamesTests {
  static let family = """
    CREATE TABLE p(id INTEGER PRIMARY KEY);
    CREATE TABLE c(pid REFERENCES p);
    INSERT INTO p VALUES(1), (2);
    INSERT INTO c VALUES(7), (1);
    """
  static let alone = "-- uplift: no-transaction\n"
  static let scripts = [
    "ALTER TABLE c RENAME TO d; BEGIN; ROLLBACK;",
    "ALTER TABLE c RENAME TO d; SAVEPOINT s; ROLLBACK TO s; RELEASE s;",
    "BEGIN; ALTER TABLE c RENAME TO d; COMMIT; BEGIN; ALTER TABLE d RENAME TO e; ROLLBACK;",
    "ALTER TABLE p RENAME TO q; ALTER TABLE c RENAME TO d; BEGIN; DROP TABLE d; ROLLBACK;"
      + "ALTER TABLE d RENAME TO e; BEGIN; ALTER TABLE e RENAME TO f; ROLLBACK;",
    "ALTER TABLE c RENAME COLUMN pid TO x; BEGIN; ALTER TABLE c RENAME TO d; ROLLBACK;",
    "BEGIN; ALTER TABLE c RENAME TO d; ROLLBACK;",
  ]

  @Test(.tags(.S6), arguments: scripts)
  func `tolerates an old orphan`(script: String) throws {
    let trial = try Trial(Self.alone + script, start: Self.family)

    let error = trial.error()

    #expect(error == nil)
  }

  @Test(
    .tags(.promise10, .S6), arguments: scripts,
    ["DELETE FROM p WHERE id = 1;", "DELETE FROM q WHERE id = 1;"])
  func `sees a new one`(script: String, end: String) throws {
    guard end.contains("q") == script.contains("TO q") else { return }
    let trial = try Trial(Self.alone + script + end, start: Self.family)

    let failure = trial.failure()

    #expect(failure?.violations?.count == 1)
  }
}
