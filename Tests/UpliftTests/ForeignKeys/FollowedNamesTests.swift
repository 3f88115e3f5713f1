import Foundation
import TestSupport
import Testing
import Uplift

/// The names at the end of a script do not tell what it did to the rows, so each statement is
/// followed.
struct FollowedNamesTests {
  static let family = """
    CREATE TABLE Parent(id INTEGER PRIMARY KEY, Code TEXT UNIQUE);
    CREATE TABLE child(pid REFERENCES Parent(id), note);
    CREATE TABLE coded(code REFERENCES Parent(Code));
    CREATE TABLE other(id INTEGER PRIMARY KEY);
    INSERT INTO Parent VALUES(1, 'a'), (2, 'b');
    INSERT INTO child VALUES(1, ''), (2, '');
    INSERT INTO coded VALUES('a');
    """

  static let harmful = [
    // A column that is dropped and made again with the same foreign key.
    "ALTER TABLE child DROP COLUMN pid;"
      + "ALTER TABLE child ADD COLUMN pid DEFAULT 99 REFERENCES Parent(id);",
    // A column of the child, or of the parent, that is renamed and renamed back.
    "ALTER TABLE child RENAME COLUMN pid TO x; UPDATE child SET x = 99;"
      + "ALTER TABLE child RENAME COLUMN x TO pid;",
    "ALTER TABLE Parent RENAME COLUMN id TO x; UPDATE Parent SET x = x + 90;"
      + "ALTER TABLE Parent RENAME COLUMN x TO id;",
    "ALTER TABLE Parent RENAME COLUMN Code TO x; UPDATE Parent SET x = 'z' || x;"
      + "ALTER TABLE Parent RENAME COLUMN x TO Code;",
    // A table that has the name of another table for a while.
    "DROP TABLE other; ALTER TABLE Parent RENAME TO other; DELETE FROM other;"
      + "ALTER TABLE other RENAME TO Parent; CREATE TABLE other(id INTEGER PRIMARY KEY);",
    "ALTER TABLE child RENAME TO x; INSERT INTO x VALUES(99, ''); ALTER TABLE x RENAME TO child;",
    "ALTER TABLE Parent RENAME TO x; ALTER TABLE other RENAME TO Parent;"
      + "ALTER TABLE Parent RENAME TO other; DELETE FROM x; ALTER TABLE x RENAME TO Parent;",
    // Names in another case.
    "DELETE FROM PARENT WHERE ID = 2;", "UPDATE parent SET CODE = 'z' WHERE id = 1;",
    "CREATE TABLE Late(p REFERENCES PARENT); INSERT INTO lATE VALUES(99);",
    // A name that begins with another name.
    "CREATE TABLE parents(a); DELETE FROM parents; DELETE FROM Parent;",
    "CREATE TABLE Parents(a); DELETE FROM Parent; DELETE FROM Parents;",
    "CREATE TABLE Paren(a); DELETE FROM Paren; DELETE FROM Parent;",
  ]

  @Test(.tags(.promise10, .S22), arguments: harmful)
  func `refuses an orphan, whatever the script renames`(script: String) throws {
    let trial = try Trial("SELECT 1;", script, start: Self.family)
    let before = try trial.ask(".dump")

    let failure = trial.failure()

    #expect(failure?.violations != nil, "\(failure as Any)")
    #expect(try trial.ask(".dump") == before)
  }

  @Test(.tags(.promise10, .S22), arguments: [false, true])
  func `accepts the same renames if they make no orphan`(hasOrphans: Bool) throws {
    let orphans =
      hasOrphans ? "INSERT INTO child VALUES(70, ''); INSERT INTO coded VALUES('x');" : ""
    let trial = try Trial(
      """
      ALTER TABLE child RENAME COLUMN pid TO x; UPDATE child SET x = x;
      ALTER TABLE child RENAME COLUMN x TO pid;
      ALTER TABLE Parent RENAME COLUMN Code TO x; UPDATE Parent SET x = x;
      ALTER TABLE Parent RENAME TO y; DELETE FROM other; ALTER TABLE y RENAME TO parent;
      ALTER TABLE child RENAME TO Kid;
      """, start: Self.family + orphans)

    let failure = trial.failure()

    #expect(failure == nil)
  }

  static let mail = """
    CREATE TABLE users(id INTEGER PRIMARY KEY);
    CREATE TABLE mail(sender REFERENCES users, receiver REFERENCES users);
    INSERT INTO users VALUES(1);
    INSERT INTO mail VALUES(99, 1), (1, 1);
    """

  @Test(
    .tags(.promise10, .S23),
    arguments: [
      "UPDATE mail SET receiver = 99 WHERE sender = 1;",
      "ALTER TABLE mail ADD COLUMN copy_to REFERENCES users(id) DEFAULT 99;",
      "UPDATE mail SET sender = 99 WHERE rowid = 2;",
      "CREATE TABLE post(sender REFERENCES users); INSERT INTO post VALUES(99);",
      "DROP TABLE mail; CREATE TABLE post(sender REFERENCES users); INSERT INTO post VALUES(99);",
    ])
  func `refuses a new orphan in another column, row or table`(script: String) throws {
    let trial = try Trial(script, start: Self.mail)

    let failure = trial.failure()

    #expect(failure?.violations?.count ?? 0 > 0)
  }

  @Test(
    .tags(.promise10, .S6, .S23),
    arguments: [
      // An orphan is deleted, and another one with the same value is inserted.
      "DELETE FROM mail WHERE sender = 99; INSERT INTO mail VALUES(99, 1);",
      "CREATE TABLE n(receiver REFERENCES users, sender REAL REFERENCES users);"
        + "INSERT INTO n SELECT receiver, sender FROM mail; DROP TABLE mail;"
        + "ALTER TABLE n RENAME TO Mail;",
      "ALTER TABLE mail RENAME TO old; CREATE TABLE mail(sender REFERENCES users);"
        + "INSERT INTO mail SELECT sender FROM old; DROP TABLE old;",
      // Another table gets the name before the renamed one is rebuilt.
      "ALTER TABLE mail RENAME TO old; CREATE TABLE mail(sender REFERENCES users);"
        + "CREATE TABLE n(receiver REFERENCES users, sender REFERENCES users);"
        + "INSERT INTO n SELECT receiver, sender FROM old; DROP TABLE old;"
        + "ALTER TABLE n RENAME TO old; ALTER TABLE old RENAME TO letters;",
      "ALTER TABLE mail RENAME COLUMN sender TO author;"
        + "CREATE TABLE n(author REFERENCES users, receiver REFERENCES users);"
        + "INSERT INTO n SELECT author, receiver FROM mail; DROP TABLE mail;"
        + "ALTER TABLE n RENAME TO mail;",
      "ALTER TABLE users RENAME TO people; UPDATE mail SET receiver = 1;",
      "UPDATE users SET id = 1001; UPDATE mail SET sender = 1001 WHERE sender = 1;"
        + "UPDATE mail SET receiver = 1001;",
    ])
  func `tolerates an old orphan that is renamed, moved or inserted again`(script: String) throws {
    let trial = try Trial(script, start: Self.mail)

    let failure = trial.failure()

    #expect(failure == nil)
  }

  @Test(.tags(.promise10, .S6))
  func `tolerates old orphans of a table that refers to itself, and gets its name last`() throws {
    let trial = try Trial(
      """
      ALTER TABLE part RENAME TO old;
      CREATE TABLE new(id INTEGER PRIMARY KEY, whole REFERENCES new);
      INSERT INTO new SELECT id, whole FROM old; DROP TABLE old; ALTER TABLE new RENAME TO part;
      """,
      start: """
        CREATE TABLE part(id INTEGER PRIMARY KEY, whole REFERENCES part);
        INSERT INTO part VALUES(1, 99);
        """)

    let failure = trial.failure()

    #expect(failure == nil)
  }

  @Test(.tags(.promise10, .S6))
  func `tolerates old orphans if a renamed table becomes their parent`() throws {
    let trial = try Trial(
      "ALTER TABLE users RENAME TO users_old;",
      start: """
        CREATE TABLE users(id INTEGER PRIMARY KEY);
        CREATE TABLE posts(user REFERENCES users_old);
        INSERT INTO users VALUES(1);
        INSERT INTO posts VALUES(1), (7);
        """)

    let failure = trial.failure()

    #expect(failure == nil)
  }

  @Test(.tags(.promise10, .S6))
  func `tolerates old orphans if tables move in the file`() throws {
    let trial = try Trial(
      "DROP TABLE junk; ALTER TABLE mail RENAME TO letters;",
      start: "PRAGMA auto_vacuum=1; CREATE TABLE junk(a);" + Self.mail)

    let failure = trial.failure()

    #expect(failure == nil)
  }

  /// Names that differ for SQLite, but are equal for Swift or for its folding of case.
  static let twins = [
    ("t\u{e4}", "ta\u{308}"), ("\u{e4}", "\u{c4}"), ("k", "\u{212a}"),
  ]

  @Test(.tags(.promise10, .S21), arguments: twins.indices)
  func `tells tables apart as SQLite does`(index: Int) throws {
    let (one, other) = Self.twins[index]
    let trial = try Trial(
      "DELETE FROM \"\(other)\"; DELETE FROM \"\(one)\";",
      start: """
        CREATE TABLE "\(one)"(id INTEGER PRIMARY KEY);
        CREATE TABLE "\(other)"(id INTEGER PRIMARY KEY);
        CREATE TABLE child(a REFERENCES "\(one)", b REFERENCES "\(other)");
        INSERT INTO "\(one)" VALUES(1); INSERT INTO child VALUES(1, NULL);
        """)

    let failure = trial.failure()

    #expect(failure?.violations?.count == 1)
  }

  @Test(.tags(.promise10, .S21), arguments: [false, true])
  func `checks tables and columns whose names are not UTF-8`(makesOrphan: Bool) throws {
    let trial = try Trial(makesOrphan ? "DELETE FROM parent;" : "UPDATE parent SET id = id;")
    let name = "caf\u{fffd}"
    let start = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE "t\(name)"("c\(name)" REFERENCES parent);
      INSERT INTO parent VALUES(1); INSERT INTO "t\(name)" VALUES(1), (70);
      """
    let bytes = Array(start.utf8).split(
      separator: [0xef, 0xbf, 0xbd], omittingEmptySubsequences: false)
    try Data(bytes.joined(separator: [0xe9])).write(
      to: URL(fileURLWithPath: trial.scratch("start.sql")))
    try Shell.run(trial.database, ".read '\(trial.scratch("start.sql"))'")

    let failure = trial.failure()

    #expect((failure?.violations?.count == 1) == makesOrphan, "\(failure as Any)")
  }

  @Test(.tags(.promise6, .promise10))
  func `names the statement that made the orphan, if only one can have made it`() throws {
    let one = try Trial(
      "-- by hand\nUPDATE child SET note = 'x';\nINSERT INTO Parent VALUES(3, 'c');\n\n  DELETE FROM Parent;",
      start: Self.family)
    let two = try Trial(
      "INSERT INTO child VALUES(8, '');\nINSERT INTO child VALUES(9, '');", start: Self.family)
    let other = try Trial(
      "DELETE FROM Parent;\nINSERT INTO child VALUES(9, '');", start: Self.family)

    let named = one.failure()
    let unnamed = two.failure()
    let mixed = other.failure()

    #expect(named?.violations?.followRemoval == true)
    #expect(named?.violations?.followDrop == false)
    #expect(named?.text == "  DELETE FROM Parent;")
    #expect(unnamed?.violations?.count == 2)
    #expect(unnamed?.line == nil)
    #expect(mixed?.violations != nil)
    #expect(mixed?.line == nil)
  }

  @Test(.tags(.promise10)) func `tells whether the orphans follow the drop of a table`() throws {
    let trial = try Trial(
      "DROP TABLE Parent;\nCREATE TABLE Parent(id INTEGER PRIMARY KEY, name TEXT);",
      start: Self.family)

    let violations = trial.failure()?.violations

    #expect(violations?.followRemoval == true)
    #expect(violations?.followDrop == true)
  }

  @Test(.tags(.promise6, .promise10))
  func `names the statement, though another one renames a table and spells its name in capitals`()
    throws
  {
    let trial = try Trial(
      "ALTER TABLE OTHER RENAME TO another;\nDELETE FROM Parent;", start: Self.family)

    let failure = trial.failure()

    #expect(failure?.text == "DELETE FROM Parent;")
  }

  @Test(.tags(.promise10, .S24))
  func `compares a hundred thousand old orphans in bounded memory`() async throws {
    let trial = try Trial(
      "SELECT 1;", "INSERT INTO child VALUES(1, ''); UPDATE child SET pid = pid;",
      start: Self.family + """
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100999)
        INSERT INTO child SELECT i, 'x' FROM n;
        """)

    await #expect(processExitsWith: .success) {
      [database = trial.database as String, scripts = trial.scratch("Migrations") as String] in
      let upgrader = Upgrader(database: database, migrations: .directory(scripts), target: 1)
      _ = try upgrader.upgrade()
      let before = try CostTests.figure("VmHWM", in: "/proc/self/status")

      _ = try Upgrader(database: database, migrations: .directory(scripts), target: 2).upgrade()

      let peak = try CostTests.figure("VmHWM", in: "/proc/self/status")
      // Two page caches of two megabytes each, and the memory of SQLite's sorter.
      #expect((peak - before) * 1024 < 12 << 20)
    }
    #expect(try trial.version() == 2)
  }
}
