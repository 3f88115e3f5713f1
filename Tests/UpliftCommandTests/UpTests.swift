import Foundation
import TestSupport
import Testing

struct UpTests {
  @Test(.tags(.promise1))
  func `reports what a first boot did, and only the version at a second one`()
    throws
  {
    let service = try Service.upToThree()

    let first = try service.uplift("up")
    let second = try service.uplift("up")

    #expect(
      first
        == Outcome(
          status: 0,
          output: """
            seeded data/app.db at 1
            applied 0002_add_visits.sql
            applied 0003_index_guests.sql
            data/app.db is at 3

            """, errors: ""))
    #expect(second == Outcome(status: 0, output: "data/app.db is at 3\n", errors: ""))
    #expect(try Shell.version(service.database) == 3)
    #expect(service.scratch.names("data") == ["app.db"])
  }

  /// The script waits for a reader, and another process sets the version that it leads to.
  @Test(.tags(.promise5), .timeLimit(.minutes(10)), arguments: ["", "--json"])
  func `does not list a script that another process has applied meanwhile`(option: String) throws {
    let service = try Service(scripts: [
      "2_two.sql": "-- uplift: no-transaction\nPRAGMA journal_mode=DELETE;",
      "3_three.sql": "CREATE TABLE three (a);",
      "4_four.sql": "nonsense;",
    ])
    try service.place(
      "PRAGMA journal_mode=wal; CREATE TABLE guests (name TEXT); PRAGMA user_version=1;")

    let outcome = try service.shell(
      """
      (echo 'BEGIN; SELECT count(*) FROM guests;'; sleep 2) |
        /usr/bin/sqlite3 data/app.db >/dev/null &
      sleep 0.3
      (sleep 0.7; /usr/bin/sqlite3 data/app.db 'PRAGMA user_version=2;') &
      uplift \(option)
      wait
      """)

    #expect(outcome.errors.contains("4_four.sql"))
    if option.isEmpty {
      #expect(outcome.output == "applied 3_three.sql\n")
    } else {
      let applied = try members(of: outcome.output)["applied"] as? [NSDictionary]
      #expect(applied?.map { $0["name"] as? String } == ["3_three.sql"])
    }
  }

  @Test func `creates an empty database if an option says so`() throws {
    let service = try Service(scripts: ["1_all.sql": "CREATE TABLE guests (name TEXT);"])

    let outcome = try service.uplift("--if-missing=empty")

    #expect(
      outcome.output == """
        created data/app.db
        applied 1_all.sql
        data/app.db is at 1

        """)
  }

  @Test func `prints nothing but errors with --quiet`() throws {
    let service = try Service.upToThree()

    let good = try service.uplift("--quiet")
    let bad = try service.uplift("--quiet", "--target", "9")

    #expect(good == Outcome(status: 0, output: "", errors: ""))
    #expect(bad.output == "")
    #expect(bad.errors.hasPrefix("uplift: there is no script 9"))
  }

  @Test func `compares a database with a target, though no scripts are named`() throws {
    let service = try Service()
    try service.place("CREATE TABLE t (a); PRAGMA user_version = 2;")

    let current = try service.uplift("--database", "data/app.db", "--target", "2")
    let newer = try service.uplift("--database", "data/app.db", "--target", "1")

    #expect(current == Outcome(status: 0, output: "data/app.db is at 2\n", errors: ""))
    #expect(newer.status == 76)
  }

  @Test func `goes to the target and no further`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("--target", "2")

    #expect(outcome.output.hasSuffix("data/app.db is at 2\n"))
    #expect(try Shell.version(service.database) == 2)
  }

  @Test func `takes an option instead of its own default, and of no other`() throws {
    let service = try Service()
    try service.ship("2.sql", "CREATE TABLE u (a);")
    try service.scratch.write("CREATE TABLE t (a);", to: "elsewhere/3.sql")
    try Shell.run(service.scratch("other.db"), "CREATE TABLE o (a); PRAGMA user_version = 1;")

    let database = try service.uplift("--database", "own.sqlite")
    let migrations = try service.uplift("--migrations", "elsewhere/")
    let seed = try service.uplift("--seed", "other.db")
    let alone = try service.shell(
      "mv Resources R; uplift up --migrations R/Migrations --database a.db --target 2")

    #expect(database.output == "seeded own.sqlite at 1\napplied 2.sql\nown.sqlite is at 2\n")
    #expect(
      migrations.output == "seeded data/app.db at 1\napplied 3.sql\ndata/app.db is at 3\n")
    #expect(seed.output == "seeded data/other.db at 1\napplied 2.sql\ndata/other.db is at 2\n")
    #expect(alone.output == "created a.db\napplied 2.sql\na.db is at 2\n")
  }

  @Test func `gives the database the name of the seed if only the seed is named`() throws {
    let service = try Service()

    let outcome = try service.uplift("--seed", "Resources/app.db", "--data", "store/")

    #expect(outcome.output == "seeded store/app.db at 1\nstore/app.db is at 1\n")
  }

  @Test func `combines a named file with a named directory`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("--resources", "Resources/", "--database", "own.db")

    #expect(outcome.output.hasPrefix("seeded own.db at 1\napplied 0002_add_visits.sql\n"))
  }

  @Test(arguments: ["SEED.DB", "seed.sqlite", "seed.Sqlite3"])
  func `knows a seed by its extension, in any case`(name: String) throws {
    let scratch = try Scratch()
    try scratch.write("not a database", to: "Resources/.hidden.db")
    try scratch.write("not a database", to: "Resources/notes.db.txt")
    try scratch.write("", to: "Resources/Migrations/.keep")
    try Shell.run(scratch("Resources/" + name), "CREATE TABLE t (a); PRAGMA user_version = 4;")

    let outcome = try Command.product("uplift").run("up", in: scratch.path)

    #expect(outcome.output == "seeded data/\(name) at 4\ndata/\(name) is at 4\n")
  }

  @Test(.tags(.S2))
  func `reports a script once that ran twice, because another undid it`() throws {
    let service = try Service.upToThree()
    try service.ship(
      "4.sql",
      "CREATE TABLE u (a UNIQUE); INSERT INTO u VALUES (1); INSERT OR ROLLBACK INTO u VALUES (1);")

    let outcome = try service.uplift()

    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        seeded data/app.db at 1
        applied 0002_add_visits.sql
        applied 0003_index_guests.sql

        """)
  }

  @Test func `keeps a file name from breaking the lines around it`() throws {
    let service = try Service(scripts: ["2_a\nb\u{1b}[2J.sql": "CREATE TABLE t (a);"])

    let outcome = try service.uplift()

    #expect(outcome.output.split(separator: "\n")[1] == "applied 2_a\u{fffd}b\u{fffd}[2J.sql")
  }

  @Test func `reports how long a script took, from a tenth of a second up`() throws {
    let service = try Service(scripts: ["2_slow.sql": Service.slow, "3_quick.sql": "SELECT 1;"])

    let outcome = try service.timed([])

    let lines = outcome.output.split(separator: "\n")
    let seconds = lines.map {
      $0.firstMatch(of: #/ \(([0-9]+\.[0-9]) s\)$/#).flatMap { Double($0.1) }
    }
    #expect(lines.count == 4)
    #expect(lines[1].hasPrefix("applied 2_slow.sql ("))
    #expect(seconds[1] ?? 0 >= 0.1)
    // A busy machine may need a tenth of a second for any script.
    #expect(lines[2] == "applied 3_quick.sql" || seconds[2] ?? 0 >= 0.1)
  }

  @Test(.tags(.S17)) func `reports each skipped statement in a line of its own`() throws {
    let service = try Service(scripts: [
      "2.sql": "SELECT 1;\nCREATE TABLE guests (name TEXT);\nCREATE TABLE more (a);"
    ])

    let refused = try service.uplift()
    let outcome = try service.uplift("--skip-duplicates")

    #expect(refused.status == 1)
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            skipped 2.sql:2: table guests already exists
            applied 2.sql
            data/app.db is at 2

            """, errors: ""))
  }

  @Test func `passes every option on to the upgrade`() throws {
    let service = try Service(scripts: [
      "2.sql": """
      INSERT INTO guests VALUES ("Ada");
      CREATE TABLE visits (guest INTEGER REFERENCES guests (rowid));
      """
    ])

    let strict = try service.uplift()
    let lenient = try service.uplift("--double-quoted-strings", "--foreign-keys", "none")

    #expect(strict.status == 1)
    #expect(lenient.output == "applied 2.sql\ndata/app.db is at 2\n")
  }

  @Test(.tags(.F24), arguments: [[], ["--resources", "Resources", "--database", "data/app.db"]])
  func `accepts an empty directory of scripts`(options: [String]) throws {
    let service = try Service()

    let outcome = try service.uplift(options)

    #expect(outcome.output == "seeded data/app.db at 1\ndata/app.db is at 1\n")
  }
}
