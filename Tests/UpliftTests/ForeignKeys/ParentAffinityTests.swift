import TestSupport
import Testing
import Uplift

/// An old orphan whose key is written in another way counts as new.
struct ParentAffinityTests {
  @Test(
    .tags(.promise10, .S6),
    arguments: [
      "(id INTEGER PRIMARY KEY)", "(id ANY PRIMARY KEY) STRICT", "(id BLOB PRIMARY KEY)",
      "(id PRIMARY KEY)",
    ])
  func `tells '5' from 5`(parent: String) throws {
    let trial = try Trial(
      "UPDATE c SET pid = 5;",
      start: """
        CREATE TABLE p\(parent);
        CREATE TABLE c(pid REFERENCES p);
        INSERT INTO c VALUES('5');
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }

  /// For a parent that holds text they are '1.0' and '1'.
  @Test(.tags(.promise10, .S6)) func `tells 1.0 from 1`() throws {
    let trial = try Trial(
      "UPDATE c SET pid = 1.0;",
      start: """
        CREATE TABLE p(id TEXT PRIMARY KEY);
        CREATE TABLE c(pid REFERENCES p);
        INSERT INTO c VALUES(1);
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }

  @Test(
    .tags(.promise10, .S6),
    arguments: ["TEXT", "VARCHAR(9)", "CLOB", "\"TEXT\u{301}\"", "\"a \"\"text\"\"\""])
  func `tells '05' from '5'`(type: String) throws {
    let trial = try Trial(
      "UPDATE c SET pid = '05';",
      start: """
        CREATE TABLE p(id \(type) PRIMARY KEY);
        CREATE TABLE c(pid REFERENCES p);
        INSERT INTO c VALUES('5');
        """)

    let failure = trial.failure()

    #expect(failure?.orphans?.count == 1)
  }
}
