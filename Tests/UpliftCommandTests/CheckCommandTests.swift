import Foundation
import TestSupport
import Testing

/// `uplift check`, as its users see it.
struct CheckCommandTests {
  private static let unready = "ALTER TABLE guests ADD COLUMN home TEXT NOT NULL;\n"

  @Test func `shows each finding with its line and what to do`() throws {
    let service = try Service.upToThree()
    try service.ship("4_home.sql", "-- Their homes.\n" + Self.unready)

    let outcome = try service.uplift("check")

    let shown = """
      failsOnRows: Resources/Migrations/4_home.sql:2:1: fails if there is a row of guests (name 'name 1'): \
      Cannot add a NOT NULL column with default value NULL (SQLITE_ERROR, 1)
        ALTER TABLE guests ADD COLUMN home TEXT NOT NULL;
        ^
        give it a DEFAULT, or leave out NOT NULL; otherwise rebuild the table
      1 finding

      """
    #expect(outcome == Outcome(status: 65, output: shown, errors: ""))
    #expect(
      try service.uplift("check", "--quiet")
        == Outcome(
          status: 65, output: shown.replacing("1 finding\n", with: ""), errors: ""))
    #expect(service.scratch.names() == ["Resources"])
  }

  @Test func `exits with 65 for an error, and names the databases that show it`() throws {
    let service = try Service.upToThree()
    try service.scratch.write("", to: "old/a.db")
    try Shell.run(
      service.scratch("old/a.db"),
      "CREATE TABLE guests (name TEXT, age); PRAGMA user_version = 1;")
    try service.scratch.write("", to: "real/b.sqlite3")
    try Shell.run(
      service.scratch("real/b.sqlite3"),
      "CREATE TABLE guests (name TEXT, visits); CREATE TABLE visits (a); PRAGMA user_version = 1;")
    try service.scratch.write("no database", to: "real/readme.txt")

    let outcome = try service.uplift("check", "--fixtures", "old", "--fixtures=real")

    #expect(
      outcome
        == Outcome(
          status: 65,
          output: """
            schemaDiffers: old/a.db: column guests.age is there, but not after an upgrade from Resources/app.db
              write a script that makes the two schemas equal; if somebody has changed one of the \
            databases by hand, undo that change first
            scriptFails: Resources/Migrations/0002_add_visits.sql:1:14: table visits already exists \
            (SQLITE_ERROR, 1) (from real/b.sqlite3)
              CREATE TABLE visits (guest TEXT);
                           ^
              correct the script, then start again; nothing of it was kept
            2 findings

            """, errors: ""))
  }

  @Test func `prints one JSON object`() throws {
    let service = try Service.upToThree()
    try service.ship("4_home.sql", Self.unready)

    let found = try service.uplift("check", "--json")
    let failed = try service.uplift("check", "--json", "--fixtures", "nowhere")

    #expect(found.status == 65)
    #expect(
      found.output == #"""
        {"command":"check","findings":[{"kind":"failsOnRows",\#
        "file":"Resources/Migrations/4_home.sql","line":1,"column":1,\#
        "message":"fails if there is a row of guests (name 'name 1'): \#
        Cannot add a NOT NULL column with default value NULL (SQLITE_ERROR, 1)",\#
        "text":"ALTER TABLE guests ADD COLUMN home TEXT NOT NULL;","caret":1,\#
        "remedy":"give it a DEFAULT, or leave out NOT NULL; otherwise rebuild the table",\#
        "startingPoints":[]}],"notTried":[]}

        """#)
    #expect(failed.status == 66)
    #expect(
      failed.output
        == #"{"command":"check","error":"#
        + plainError(
          "missing", exit: 66, #"the directory \"nowhere\" is not there"#,
          "make it, or correct the path") + "}\n")
  }

  @Test func `keeps a release beside the resources, from within them`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell(
      "cd Resources && '\(Command.product("uplift").path)' release --seed app.db --migrations Migrations"
    )

    #expect(outcome.output.hasSuffix("3 is released\n"), "\(outcome.errors)")
    #expect(service.scratch.names("Released") == ["app-1.db", "schema.sql"])
  }

  @Test func `records a release only if there is no error`() throws {
    let service = try Service.upToThree()

    let first = try service.uplift("release")
    let again = try service.uplift("release", "--json")
    try service.ship("0002_add_visits.sql", "CREATE TABLE visits (name TEXT);")
    let lock = service.scratch.bytes("Resources/Migrations/uplift.lock")
    let second = try service.uplift("release")

    #expect(
      first
        == Outcome(
          status: 0,
          output: """
            wrote Released/app-1.db
            wrote Released/schema.sql
            wrote Resources/Migrations/uplift.lock
            3 is released

            """, errors: ""))
    #expect(
      again.output
        == #"{"command":"release","findings":[],"notTried":[],"version":3,"files":[]}"# + "\n")
    #expect(second.status == 65)
    #expect(
      second.output.hasPrefix(
        "scriptEdited: Resources/Migrations/0002_add_visits.sql: the script is not the one that was released\n"
      ))
    #expect(service.scratch.bytes("Resources/Migrations/uplift.lock") == lock)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `stops, and leaves nothing in the temporary directory`(
    signal: String, exit: Int32
  ) throws {
    let service = try Service(scripts: [
      "2_endless.sql":
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
    ])

    let outcome = try service.shell(
      "mkdir tmp; SQLITE_TMPDIR=$PWD/tmp timeout -k 20 -s \(signal) --preserve-status 0.5 "
        + "'\(Command.product("uplift").path)' check; code=$?; ls -A tmp; exit $code")

    #expect(outcome.status == exit)
    #expect(outcome.output == "")
    #expect(outcome.errors == "uplift: cancelled, and no file was changed\nstart again\n")
  }

  @Test func `a program has the verbs as its own, with its own steps`() throws {
    let service = try Service()
    let guestbook = Command.product("Guestbook").path
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../..")
    try FileManager.default.removeItem(atPath: service.scratch("Resources"))
    try FileManager.default.copyItem(
      atPath: root.appendingPathComponent("Resources").path,
      toPath: service.scratch("Resources"))

    let check = try service.shell("'\(guestbook)' db check")
    let status = try service.shell("'\(guestbook)' db status --json")
    let option = try service.shell("'\(guestbook)' db status --seed other.db")
    let verb = try service.shell("'\(guestbook)' db chekc")
    let help = try service.shell("'\(guestbook)' db help check")
    let upHelp = try service.shell("'\(guestbook)' db help up")

    #expect(check == Outcome(status: 0, output: "nothing found\n", errors: ""))
    #expect(status.output.contains(#""database":"data/guestbook.db","exists":false"#))
    #expect(
      option
        == Outcome(
          status: 64, output: "",
          errors: """
            guestbook db: --seed is not for this program
            leave it out: the program brings its own seed and scripts

            """))
    #expect(
      verb.errors == "guestbook db: no verb is called \"chekc\"\ndid you mean check?\n")
    #expect(help.output.hasPrefix("guestbook db check [OPTIONS]"))
    #expect(help.output.contains("Migrations/\n"))
    #expect(!upHelp.output.contains("--resources"))
    #expect(service.scratch.names() == ["Resources"])
  }
}
