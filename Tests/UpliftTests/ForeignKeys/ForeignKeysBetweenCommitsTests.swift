import Foundation
import TestSupport
import Testing
import Uplift

/// The foreign keys are read again for each group of scripts.
struct ForeignKeysBetweenCommitsTests {
  static let families = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY);
    INSERT INTO parent VALUES(1), (2);
    """
  static let late = "CREATE TABLE late(parent REFERENCES parent); INSERT INTO late VALUES(2);"
  static let widow = UpgradeError.Violation(
    table: "late", row: 1, columns: ["parent"], parent: "parent")

  @Test(.tags(.S6, .promise10))
  func `notices a child that another process made between two commits`() throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", "DELETE FROM parent WHERE id = 2;", start: Self.families)

    let failure = trial.failure({ $0.commitInterval = .zero }) { event in
      if event == .committed(1) { _ = try? trial.ask(Self.late) }
    }

    #expect(failure?.violations?.rows == [Self.widow])
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S6, .promise10))
  func `notices a child in another file that has replaced the database`() throws {
    // The first script changes a setting of its connection, so the second one gets a new
    // connection.
    let trial = try Trial(
      "PRAGMA cache_size=5; CREATE TABLE t(a);", "DELETE FROM parent WHERE id = 2;",
      start: Self.families)
    try Shell.run(
      trial.scratch("other.db"), Self.families + Self.late + "PRAGMA user_version=1;")

    let failure = trial.failure({ _ in }) { event in
      if event == .committed(1) { rename(trial.scratch("other.db"), trial.database) }
    }

    #expect(failure?.violations?.rows == [Self.widow])
    #expect(try trial.ask("SELECT count(*) FROM parent") == "2")
  }

  @Test(.tags(.S6, .promise10), arguments: GroupTests.intervals)
  func `notices a child that a script without a transaction made`(interval: Duration) throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", "-- uplift: no-transaction\n" + Self.late,
      "DELETE FROM parent WHERE id = 2;", start: Self.families)

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.violations?.rows == [Self.widow])
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.S6, .promise10), arguments: GroupTests.intervals)
  func `notices a new name if tables move in the file`(interval: Duration) throws {
    let trial = try Trial(
      "DROP TABLE a; CREATE TABLE x(id INTEGER PRIMARY KEY);",
      """
      PRAGMA legacy_alter_table=ON;
      ALTER TABLE parent RENAME TO old;
      ALTER TABLE x RENAME TO parent;
      """,
      start: """
        PRAGMA auto_vacuum=1;
        CREATE TABLE a(a);
        CREATE TABLE late(parent REFERENCES parent);
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        INSERT INTO parent VALUES(2);
        INSERT INTO late VALUES(2);
        """)

    let failure = trial.failure { $0.commitInterval = interval }

    #expect(failure?.violations?.rows == [Self.widow])
    #expect(try trial.version() == 1)
  }
}
