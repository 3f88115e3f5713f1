import Foundation
import TestSupport
import Testing

/// `uplift new` and `uplift bake`, as their users see them.
struct ReleaseCommandTests {
  @Test func `writes the next script, and says what to do with it`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("new", "add", "home town")

    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            wrote Resources/Migrations/0004_add_home_town.sql
            write the script, and remove the line -- uplift: unfinished

            """, errors: ""))
    #expect(
      service.scratch.bytes("Resources/Migrations/0004_add_home_town.sql")
        == Data("-- uplift: unfinished\n".utf8))
  }

  @Test func `takes a path for a name no more than a word with a slash`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("new", "../outside")

    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(
      outcome.errors == """
        uplift: "0004_../outside.sql" is not a name for a script
        use words of letters and digits; the first word must not begin with a digit

        """)
    #expect(service.scratch.names("Resources/Migrations").count == 2)
  }

  @Test func `releases new rows in four commands`() throws {
    let service = try Service.upToThree()
    try Shell.run(
      service.scratch("Resources/app.db"),
      "CREATE TABLE words (id INTEGER PRIMARY KEY, text); INSERT INTO words VALUES (1, 'ant');")
    _ = try service.uplift("up")
    try Shell.run(service.database, "INSERT INTO guests VALUES ('Lynx');")

    let outcome = try service.shell(
      """
      uplift bake
      uplift release --quiet > released 2>&1
      uplift new --refresh words
      sqlite3 Resources/app.db "INSERT INTO words VALUES (2, 'bee')"
      uplift bake --content
      uplift
      uplift bake --content
      uplift
      """)

    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            Resources/app.db is now at 3
            wrote Resources/Migrations/0004_refresh_words.sql
            read it, then run uplift bake --content
            Resources/app.db is now at 4
            applied 0004_refresh_words.sql
            data/app.db is at 4
            the script that reads the seed is now Resources/Migrations/0005_refresh_words.sql
            Resources/app.db is now at 5
            applied 0005_refresh_words.sql
            data/app.db is at 5

            """, errors: ""))
    #expect(
      try Shell.run(service.database, "SELECT text FROM words; SELECT name FROM guests;")
        == "ant\nbee\nLynx")
  }

  @Test func `asks for a bake, so that a script has all columns of the table`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("new", "--refresh", "guests")

    #expect(
      outcome
        == Outcome(
          status: 65, output: "",
          errors: """
            uplift: "Resources/Migrations/0002_add_visits.sql" is above the seed, which is at 1
            run uplift bake first: the seed then has all columns

            """))
    #expect(service.scratch.names("Resources/Migrations").count == 2)
  }

  @Test func `refreshes the tables that are named, with commas and without`() throws {
    let service = try Service.upToThree()
    try Shell.run(
      service.scratch("Resources/app.db"),
      "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY);"
    )
    _ = try service.uplift("bake")
    _ = try service.uplift("release")

    let outcome = try service.uplift("new", "--refresh", "a,b", "c", "--json")

    #expect(
      outcome.output
        == #"{"command":"new","file":"Resources/Migrations/0004_refresh_a_b_c.sql"}"# + "\n")
  }

  @Test func `prints one JSON object, on failure too`() throws {
    let service = try Service.upToThree()

    let baked = try service.uplift("bake", "--json")
    let failed = try service.uplift("bake", "--content", "--json")
    let refused = try service.uplift("new", "--refresh", "nosuch", "--json")

    #expect(
      baked.output
        == #"{"command":"bake","file":"Resources/app.db","version":3,"changed":true,"renamed":null,"varying":[]}"#
        + "\n")
    #expect(
      failed.output
        == #"{"command":"bake","error":"#
        + plainError(
          "scripts", exit: 65, "no script reads the seed, which is at 3",
          "uplift new --refresh TABLE writes the script") + "}\n")
    #expect(failed.status == 65)
    #expect(
      refused.output
        == #"{"command":"new","error":"#
        + plainError(
          "path", exit: 64, #"\"nosuch\" is not a table of the seed"#,
          "name a table that the seed has") + "}\n")
    #expect(refused.status == 64)
  }

  @Test func `shows the place at which a script fails`() throws {
    let service = try Service.upToThree()
    try service.ship("0004_bad.sql", "\n  SELECT nosuch;")

    let outcome = try service.uplift("bake")

    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("uplift: Resources/Migrations/0004_bad.sql:2:10: no such column"))
    #expect(try Shell.version(service.scratch("Resources/app.db")) == 1)
  }

  @Test func `names a script that gives other rows each time`() throws {
    let service = try Service.upToThree()
    try service.ship("0004_random.sql", "INSERT INTO guests VALUES (hex(randomblob(8)));")

    let outcome = try service.uplift("bake")

    #expect(
      outcome
        == Outcome(
          status: 0, output: "Resources/app.db is now at 4\n",
          errors:
            "uplift: 0004_random.sql gives other rows each time that it runs, so each bake differs\n"
        ))
  }

  @Test(arguments: [
    (["bake", "--target", "2"], "--target is given without --output"),
    (["bake", "--content", "--check"], "--content and --check exclude each other"),
    (["bake", "words"], "\"words\" is an unexpected argument, bake takes only options"),
    (["new"], "new has no words for the name of the script"),
    (["new", "x", "--target", "2"], "--target is not for new"),
    (["up", "--check"], "--check is not for up"),
  ])
  func `refuses options that mean nothing together`(arguments: [String], words: String) throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift(arguments)

    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("uplift: \(words)\n"))
    #expect(service.scratch.names("Resources/Migrations").count == 2)
  }

  @Test func `says what to do if there is no seed yet`() throws {
    let service = try Service.upToThree()
    try service.scratch.remove("Resources/app.db")
    let said = Outcome(
      status: 66, output: "",
      errors: """
        uplift: no seed is given as a file
        name the file with --seed, and the scripts with --migrations; \
        bake --empty --output FILE makes a first seed

        """)

    #expect(try service.uplift("bake") == said)
    #expect(try service.uplift("new", "--refresh", "guests") == said)
    #expect(try service.uplift("new", "more").status == 0)
    #expect(service.scratch.names("Resources") == ["Migrations"])
  }

  @Test func `exits with 65 if the seed is not baked`() throws {
    let service = try Service.upToThree()

    let before = try service.uplift("bake", "--check")
    _ = try service.uplift("bake")
    let after = try service.uplift("bake", "--check")

    #expect(before.status == 65)
    #expect(
      before.errors
        == "uplift: \"Resources/app.db\" is not what uplift bake would write\n"
        + "run uplift bake, with --content if a script reads the seed and its rows have changed\n")
    #expect(
      after == Outcome(status: 0, output: "Resources/app.db is unchanged, at 3\n", errors: ""))
  }
}
