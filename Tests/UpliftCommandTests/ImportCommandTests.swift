import Foundation
import TestSupport
import Testing

/// `uplift new --import`, as its users see it.
struct ImportCommandTests {
  private func service(_ files: [String: String]) throws -> Service {
    let service = try Service()
    try service.scratch.removeAll("old")
    for (name, text) in files { try service.scratch.write(text, to: "old/" + name) }
    return service
  }

  @Test func `prints which number each script got, and what it passed over`() throws {
    let service = try service([
      "20180114171611_create_users.up.sql": "CREATE TABLE users (name TEXT);",
      "20180114171611_create_users.down.sql": "DROP TABLE users;",
      "20180201000000_index users.up.sql": "CREATE INDEX i ON users (name);", "README.md": "",
    ])

    let outcome = try service.uplift("new", "--import", "old")

    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            0001_create_users.sql  from 20180114171611_create_users.up.sql
            0002_index_users.sql  from 20180201000000_index users.up.sql
            passed over 20180114171611_create_users.down.sql
            passed over README.md
            to take over a database of the other tool, run this once: uplift adopt --database FILE

            """, errors: ""))
    #expect(
      service.scratch.names("Resources/Migrations")
        == ["0001_create_users.sql", "0002_index_users.sql"])
  }

  @Test(.tags(.O15)) func `prints a command that gives a database of the other tool its version`()
    throws
  {
    let service = try service([
      "1_users.sql":
        "-- +goose Up\nCREATE TABLE users (name TEXT);\n-- +goose Down\nDROP TABLE users;",
      "2_town.sql": "-- +goose Up\nALTER TABLE users ADD COLUMN town TEXT;",
      "3_index.sql": "-- +goose Up\nCREATE INDEX i ON users (name);",
    ])
    try service.scratch.removeAll("our scripts")
    try Shell.run(
      service.scratch("old.db"),
      """
      CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL);
      CREATE TABLE users (name TEXT); ALTER TABLE users ADD COLUMN town TEXT;
      """)

    let imported = try service.uplift("new", "--import", "old", "--migrations", "our scripts")
    let command = imported.output.split(separator: "\n").last?.components(separatedBy: "once: ")
      .last
    let adopted = try service.shell((command ?? "").replacing("FILE", with: "old.db"))

    #expect(command == "uplift adopt --database FILE --migrations 'our scripts'")
    #expect(
      adopted
        == Outcome(
          status: 0,
          output: "old.db is at 2\n  not from the scripts: table goose_db_version\n", errors: ""))
  }

  @Test func `prints JSON, and nothing if it is to be quiet`() throws {
    let service = try service(["0_a.sql": "SELECT 1;", "1_b.sql": "SELECT 2;", "x.md": ""])
    try service.scratch.removeAll("other")

    let json = try service.uplift("new", "--import=old", "--json")
    let quiet = try service.uplift("new", "--import=old", "--migrations=other", "--quiet")

    #expect(
      json.output
        == #"{"command":"new","scripts":[{"file":"Resources/Migrations/0001_a.sql","number":1,"from":"0_a.sql"},"#
        + #"{"file":"Resources/Migrations/0002_b.sql","number":2,"from":"1_b.sql"}],"passedOver":["x.md"]}"#
        + "\n")
    #expect(quiet == Outcome(status: 0, output: "", errors: ""))
  }

  @Test func `prints every error with its place and its remedy`() throws {
    let service = try service([
      "1_a.sql": "-- +goose Up\n-- +goose ENVSUB ON\n", "2_b.sql": "SELECT 'x", "c.sql": "",
    ])

    let outcome = try service.uplift("new", "--import", "old")
    let json = try service.uplift("new", "--import", "old", "--json")

    #expect(
      outcome
        == Outcome(
          status: 65, output: "",
          errors: """
            uplift: "old/c.sql" does not begin with a number, as in 1_words.sql or V1__words.sql
            give it the number of its place in the order, or move it away
            uplift: old/1_a.sql:2:1: "-- +goose ENVSUB ON" is a mark that means nothing to Uplift
            do in the text what the mark asks for, then remove the mark
            uplift: old/2_b.sql:1:8: the string that begins here has no end
            close the quote, or look whether the file is cut short

            """))
    #expect(
      json.output.hasPrefix(
        #"{"command":"new","scripts":[],"passedOver":[],"errors":[{"kind":"scripts","exit":65,"message":"\"old/c.sql\" does"#
      ))
    #expect(
      json.output.contains(
        #"],"error":{"kind":"scripts","exit":65,"message":"\"old/c.sql\" does"#))
    #expect(json.output.contains(#""file":"old/1_a.sql","line":2,"column":1,"#))
    #expect(json.status == 65 && json.errors == outcome.errors)
    #expect(service.scratch.names("Resources/Migrations") == [])
  }

  @Test func `prints the first fifty of very many errors`() throws {
    var files: [String: String] = [:]
    for number in 1...53 { files["x\(number).sql"] = "" }
    let service = try service(files)

    let outcome = try service.uplift("new", "--import", "old")

    #expect(outcome.errors.split(separator: "\n").count == 101)
    #expect(outcome.errors.hasSuffix("\nuplift: 3 more errors\n"))
  }

  @Test(arguments: [
    (#"uplift new --import nosuch"#, 66), (#"uplift new --import old/1_a.sql"#, 66),
    (#"uplift new --import Resources/Migrations"#, 65), (#"uplift new --import empty"#, 65),
    (#"uplift new --import old --migrations nosuch"#, 66),
    (#"uplift new --import old --migrations old"#, 65),
    (#"uplift new --import old --resources other"#, 65),
  ])
  func `exits with the code of the first error`(line: String, code: Int32) throws {
    let service = try service(["1_a.sql": "SELECT 1;"])
    try service.scratch.removeAll("empty")
    try service.scratch.write("SELECT 2;", to: "other/Migrations/1_other.sql")

    let outcome = try service.shell(line)

    #expect(outcome.status == code)
    #expect(outcome.errors.split(separator: "\n").count == 2)
    #expect(service.scratch.names("Resources/Migrations") == [])
    #expect(service.scratch.names("other/Migrations") == ["1_other.sql"])
  }

  @Test(.enabled(if: geteuid() == 0))
  func `exits with 77 if it may not read or write`() throws {
    let service = try service(["1_a.sql": "SELECT 1;"])
    let start = "chmod 755 . && setpriv --reuid 65534 --regid 65534 --clear-groups "
    let run = start + "'\(Command.product("uplift").path)' new --import "

    let unreadable = try service.shell("chmod 0 old/1_a.sql; " + run + "old; chmod 644 old/1_a.sql")
    let closed = try service.shell("chmod 0 old; \(run) old; echo $?; chmod 755 old")
    let unwritable = try service.shell(run + "old; echo $?")

    #expect(unreadable.errors.contains("old/1_a.sql"))
    #expect(closed.output.hasSuffix("77\n"))
    #expect(unwritable.output.hasSuffix("77\n"))
    #expect(service.scratch.names("Resources/Migrations") == [])
  }
}
