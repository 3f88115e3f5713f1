import TestSupport
import Testing
import Uplift

/// One reference that is written twice in a table, as a column constraint and as one of the table.
struct DuplicateReferenceTests {
  static let mail = """
    CREATE TABLE users(id INTEGER PRIMARY KEY);
    CREATE TABLE mail(
      id INTEGER PRIMARY KEY, sender INTEGER REFERENCES users(id), text,
      FOREIGN KEY(sender) REFERENCES users(id) ON DELETE CASCADE);
    INSERT INTO users VALUES(1);
    INSERT INTO mail VALUES(1, 9, NULL), (2, 1, NULL);
    """
  static let alone = "-- uplift: no-transaction\n"

  @Test(
    .tags(.S6),
    arguments: [
      "INSERT INTO mail(text) VALUES('hello'); DELETE FROM users WHERE id = 3;",
      "UPDATE mail SET sender = sender;",
      """
      CREATE TABLE new(
        id INTEGER PRIMARY KEY, sender REFERENCES users(id) REFERENCES users(id), text);
      INSERT INTO new SELECT * FROM mail;
      DROP TABLE mail;
      ALTER TABLE new RENAME TO mail;
      """,
    ], ["", alone])
  func `tolerates an old orphan`(script: String, alone: String) throws {
    let trial = try Trial(alone + script, start: Self.mail)

    let error = trial.error()

    #expect(error == nil)
  }

  @Test(.tags(.promise10, .S6), arguments: ["", "UPDATE mail SET sender = 1;"])
  func `counts a new orphan once`(before: String) throws {
    let trial = try Trial("DELETE FROM users;", start: Self.mail + before)

    let failure = trial.failure()

    #expect(failure?.violations?.count == (before.isEmpty ? 1 : 2))
    #expect(failure?.violations?.rows.map(\.row) == (before.isEmpty ? [2] : [1, 2]))
  }

  /// Both have the columns and the parent of the one reference, so each of them could replace it.
  @Test(.tags(.promise10, .S6))
  func `checks each of two references that were one before a rebuild`() throws {
    let trial = try Trial(
      """
      CREATE TABLE new(a REFERENCES p(id) REFERENCES p(code));
      INSERT INTO new SELECT * FROM c;
      DROP TABLE c;
      ALTER TABLE new RENAME TO c;
      """,
      start: """
        CREATE TABLE p(id INTEGER PRIMARY KEY, code INTEGER UNIQUE);
        CREATE TABLE c(a REFERENCES p REFERENCES p);
        INSERT INTO p VALUES(1, 5);
        INSERT INTO c VALUES(1), (9);
        """)

    let failure = trial.failure()

    #expect(failure?.violations?.rows.map(\.row) == [1])
  }
}
