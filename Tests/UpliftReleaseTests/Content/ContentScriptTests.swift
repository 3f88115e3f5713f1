import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// The script that `uplift new --refresh` writes, and what it does to the rows of users.
struct ContentScriptTests {
  private static let seed = """
    CREATE TABLE prompt (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, body TEXT);
    CREATE TABLE chat (id INTEGER PRIMARY KEY, prompt INTEGER REFERENCES prompt (id));
    INSERT INTO prompt VALUES (1, 'mail', 'Write.'), (2, 'poem', 'Rhyme.'), (3, 'code', 'Type.');
    PRAGMA user_version = 1;
    """

  /// A release at 1; then 1 is changed, 2 is withdrawn, 4 is new.
  private func release(_ more: String = "") throws -> Site {
    let site = try Site(seed: Self.seed + more, scripts: [:])
    try FileManager.default.createDirectory(
      atPath: site.scripts, withIntermediateDirectories: true)
    try keep(site, 1)
    try Shell.run(
      site.seed,
      """
      UPDATE prompt SET body = 'It''s a letter.' WHERE id = 1;
      DELETE FROM prompt WHERE id = 2; INSERT INTO prompt VALUES (4, 'plan', NULL);
      """)
    return site
  }

  private func keep(_ site: Site, _ version: Int) throws {
    try site.scratch.write(
      try #require(site.scratch.bytes("resources/app.db")), to: "Released/app-\(version).db")
  }

  /// A user's database from the release at 1.
  private func user(_ site: Site, _ sql: String) throws {
    try site.scratch.write(
      try #require(site.scratch.bytes("Released/app-1.db")), to: "data/app.db")
    try Shell.run(site.database, sql)
  }

  private func prompts(_ site: Site) throws -> [String] {
    try Shell.run(site.database, "SELECT * FROM prompt ORDER BY id;")
      .split(separator: "\n").map(String.init)
  }

  @Test(.tags(.promise17)) func `is plain SQL that holds the differences only`() throws {
    let site = try release()

    let name = try site.refresh("prompt")

    #expect(name == "0002_refresh_prompt.sql")
    let text = String(
      decoding: try #require(site.scratch.bytes("resources/scripts/" + name)), as: UTF8.self)
    let block = text.split(separator: "\n").drop { !$0.hasPrefix("CREATE") }
      .prefix { !$0.hasPrefix("-- end") }.joined(separator: "\n")
    #expect(
      block == """
        CREATE TEMP TABLE former_prompt (id, title, body);
        INSERT INTO former_prompt VALUES
          (1, 'mail', 'Write.'),
          (2, 'poem', 'Rhyme.');
        CREATE TEMP TABLE lacked_prompt (id, since, below);
        INSERT INTO lacked_prompt SELECT id, 0, 1 FROM seed.prompt WHERE upgraded_from() < 1;
        INSERT INTO lacked_prompt VALUES
          (4, 1, 2);
        """)
    #expect(
      text.contains("AND NOT EXISTS (SELECT 1 FROM chat AS child WHERE mine.id = child.prompt)"))
  }

  @Test(
    .tags(.promise17, .R8, .E1, .E2, .E5, .E8),
    arguments: [
      ("", ["1|mail|It's a letter.", "3|code|Type.", "4|plan|"]),
      (
        "UPDATE prompt SET body = 'Mine.' WHERE id < 3;",
        ["1|mail|Mine.", "2|poem|Mine.", "3|code|Type.", "4|plan|"]
      ),
      ("DELETE FROM prompt;", ["4|plan|"]),
      (
        "INSERT INTO chat VALUES (1, 2);",
        ["1|mail|It's a letter.", "2|poem|Rhyme.", "3|code|Type.", "4|plan|"]
      ),
      (
        "INSERT INTO prompt VALUES (4, 'my own', 'x');",
        ["1|mail|It's a letter.", "3|code|Type.", "4|my own|x"]
      ),
      (
        "INSERT INTO prompt VALUES (9, 'plan', 'x');",
        ["1|mail|It's a letter.", "3|code|Type.", "9|plan|x"]
      ),
    ])
  func `keeps rows and edits of a user`(sql: String, expected: [String]) throws {
    let site = try release()
    _ = try site.refresh("prompt")
    try site.bake { $0.hasNewContent = true }
    try user(site, sql)

    try site.upgrader().upgrade()

    #expect(try prompts(site) == expected)
  }

  @Test(.tags(.E3, .E4, .R11)) func `knows what each release had`() throws {
    let site = try release()
    _ = try site.refresh("prompt")
    try site.bake { $0.hasNewContent = true }
    try keep(site, 2)
    try Shell.run(
      site.seed,
      "UPDATE prompt SET body = 'Third.' WHERE id = 1; INSERT INTO prompt VALUES (2, 'poem', 'Again.');"
    )
    try site.bake { $0.hasNewContent = true }
    #expect(site.scriptNames == ["0003_refresh_prompt.sql"])

    // From 1, in one step over both releases; 4 was deleted, and is new to this user.
    try user(site, "")
    try site.upgrader().upgrade()
    #expect(
      try prompts(site) == ["1|mail|Third.", "2|poem|Again.", "3|code|Type.", "4|plan|"])

    // From 2, where 4 was shipped, and the user has deleted it.
    try site.scratch.write(
      try #require(site.scratch.bytes("Released/app-2.db")), to: "data/app.db")
    try Shell.run(site.database, "DELETE FROM prompt WHERE id = 4;")
    try site.upgrader().upgrade()
    #expect(try prompts(site) == ["1|mail|Third.", "2|poem|Again.", "3|code|Type."])
  }

  @Test func `keeps what the author writes, and follows a new column if nobody has`() throws {
    let site = try release()
    _ = try site.refresh("prompt")
    try site.bake { $0.hasNewContent = true }
    try keep(site, 2)
    try site.ship("3_tone.sql", "ALTER TABLE prompt ADD COLUMN tone TEXT;")
    try site.bake { $0.hasNewContent = true }
    let script = "resources/scripts/0004_refresh_prompt.sql"
    var text = String(decoding: try #require(site.scratch.bytes(script)), as: UTF8.self)
    #expect(text.contains("(id, title, body, tone)"))

    try site.scratch.write(text + "\nUPDATE chat SET prompt = prompt;\n", to: script)
    try site.bake { $0.hasNewContent = true }
    text = String(
      decoding: try #require(site.scratch.bytes("resources/scripts/0005_refresh_prompt.sql")),
      as: UTF8.self)
    #expect(text.hasSuffix("UPDATE chat SET prompt = prompt;\n"))

    try site.ship("6_mood.sql", "ALTER TABLE prompt ADD COLUMN mood TEXT;")
    expectError(.scripts, "was edited, and its tables have changed since") {
      try site.bake { $0.hasNewContent = true }
    }
  }

  @Test(.tags(.promise17))
  func `quotes names, and leaves generated columns and triggers to SQLite`()
    throws
  {
    let site = try Site(
      seed: """
        CREATE TABLE "order" ("select" TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, "new" TEXT, old INTEGER,
          mine REAL, up AS (upper("new")), "group ""x" BLOB) WITHOUT ROWID;
        CREATE TABLE "child of" (id INTEGER PRIMARY KEY, o TEXT REFERENCES "order");
        CREATE VIRTUAL TABLE found USING fts5 (body);
        CREATE TRIGGER added AFTER INSERT ON "order" BEGIN INSERT INTO found VALUES (new."new"); END;
        INSERT INTO "order" VALUES ('a', 'x', 1, 1.5, x'00'), ('B', 'y', 2, 2, 1), ('c', 'z', 3, 3, 1);
        PRAGMA user_version = 1;
        """, scripts: [:])
    try FileManager.default.createDirectory(
      atPath: site.scripts, withIntermediateDirectories: true)
    try keep(site, 1)
    try Shell.run(
      site.seed,
      """
      UPDATE "order" SET "select" = 'A', old = 5 WHERE "select" = 'a'; DELETE FROM "order" WHERE old < 4;
      INSERT INTO "order" VALUES ('d', 'n', 4, 4, 1.0);
      """)
    _ = try site.refresh("order")
    try site.bake { $0.hasNewContent = true }
    try user(site, "INSERT INTO \"child of\" VALUES (1, 'b');")

    try site.upgrader().upgrade()

    #expect(
      try Shell.run(site.database, "SELECT * FROM \"order\"; SELECT * FROM found;")
        == "A|x|5|1.5|X|\u{0}\nB|y|2|2.0|Y|1\nd|n|4|4.0|N|1.0\nx\ny\nz\nn"
        .replacingOccurrences(of: "\u{0}", with: ""))
  }

  @Test(.tags(.E7)) func `needs the seeds of releases`() throws {
    let site = try release()
    try site.scratch.removeAll("Released")

    expectError(.seed, "there is no seed of a release in ") { _ = try site.refresh("prompt") }
    #expect(site.scriptNames == [])
  }

  @Test(.tags(.E6)) func `writes each value as it is`() throws {
    let table = "CREATE TABLE t (id PRIMARY KEY NOT NULL, v) WITHOUT ROWID;"
    let values = [
      "NULL", "1", "1.0", "0.1", "9e999", "-9e999", "x'00ff'", "'it''s'", "CAST(x'61ff' AS TEXT)",
      "CAST(x'610062' AS TEXT)", "'a' || char(13) || 'b'", "'a' || char(10) || 'b'", "'ä'", "'1'",
    ]
    let site = try Site(
      seed: table + values.enumerated().map { "INSERT INTO t VALUES (\($0), \($1));" }.joined()
        + "PRAGMA user_version = 1;", scripts: [:])
    try FileManager.default.createDirectory(
      atPath: site.scripts, withIntermediateDirectories: true)
    try keep(site, 1)
    try Shell.run(site.seed, "UPDATE t SET v = 'new';")
    _ = try site.refresh("t")
    try site.bake { $0.hasNewContent = true }
    try user(site, "")

    try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT DISTINCT v FROM t;") == "new")
  }

  @Test func `refuses a table whose rows it cannot order`() throws {
    let site = try release(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a REFERENCES t (id), b REFERENCES t (id));")

    expectError(.seed, "\"t\" refers to itself by two foreign keys") { _ = try site.refresh("t") }
  }

  @Test func `refuses a unique index that it cannot guard`() throws {
    let site = try release("CREATE UNIQUE INDEX one ON prompt (lower(title));")

    expectError(.seed, "has the unique index one on an expression or with WHERE") {
      _ = try site.refresh("prompt")
    }
    #expect(try site.overwrite("prompt") == "0002_refresh_prompt.sql")
  }

  /// The words of the table would delete the user's row, or leave out that of the seed.
  @Test(.tags(.R8, .promise17), arguments: ["REPLACE", "IGNORE", "ROLLBACK"])
  func `leaves a user's row that has the text of a new row`(word: String) throws {
    let site = try Site(
      seed: """
        CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE ON CONFLICT \(word));
        INSERT INTO t VALUES (1, 'a'), (3, 'c'); PRAGMA user_version = 1;
        """, scripts: [:])
    try FileManager.default.createDirectory(
      atPath: site.scripts, withIntermediateDirectories: true)
    try keep(site, 1)
    try Shell.run(site.seed, "INSERT INTO t VALUES (2, 'mine'); UPDATE t SET x = 'y' WHERE id = 3;")
    _ = try site.refresh("t")
    try site.bake { $0.hasNewContent = true }
    try user(site, "INSERT INTO t VALUES (8, 'mine'), (9, 'y');")

    try site.upgrader().upgrade()

    #expect(try Shell.run(site.database, "SELECT * FROM t;") == "1|a\n3|c\n8|mine\n9|y")
  }
}
