import TestSupport
import Testing
import Uplift

/// References that a script does not touch, in a table with another reference that it touches.
struct UntouchedReferenceTests {
  @Test(
    .tags(.S6),
    arguments: [
      "ALTER TABLE k RENAME TO l;", "ALTER TABLE k RENAME COLUMN v TO w;",
      "ALTER TABLE c ADD COLUMN more REFERENCES k;",
    ], ["", "-- uplift: no-transaction\n"])
  func `tolerates an old orphan of another reference`(script: String, alone: String) throws {
    let trial = try Trial(
      alone + script,
      start: """
        CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE k(v PRIMARY KEY);
        CREATE TABLE c(x REFERENCES p, z REFERENCES k(v));
        INSERT INTO c VALUES(1, NULL);
        """)

    let error = trial.error()

    #expect(error == nil)
  }
}
