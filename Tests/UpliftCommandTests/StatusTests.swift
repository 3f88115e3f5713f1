import Foundation
import TestSupport
import Testing
import Uplift
import UpliftCommand

struct StatusTests {
  /// The gate of a reader that starts beside the service.
  @Test(.tags(.promise16)) func `waits for the target, and no longer than it is told`() throws {
    let service = try Service.upToThree()
    let late = try service.uplift("status", "--wait", "0.2", "--quiet")
    #expect(late.status == 10)
    #expect(service.scratch.names() == ["Resources"])
    // The signal of whoever stops the container has an exit code of its own.
    let stopped = try service.shell(
      "timeout -k 20 --preserve-status 0.5 '\(Command.product("uplift").path)' status --wait 60")
    #expect(stopped.status == 143)

    _ = try service.uplift("up")
    #expect(try service.uplift("status", "--wait", "60", "--quiet").status == 0)
    try Shell.run(service.database, "PRAGMA user_version = 9")
    let newer = try service.uplift("status", "--wait", "60")
    #expect(newer.status == 76 && newer.errors.contains("newer than the target"))
    #expect(try service.uplift("status", "--wait", "1", "--each", "data").status == 64)
  }

  @Test func `shows the version and the pending scripts`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")
    let before = service.data

    let outcome = try service.uplift("status")

    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            database  data/app.db
            version   2 of 3
            seed      Resources/app.db at 1
            applied   0002_add_visits.sql
            pending   0003_index_guests.sql

            """, errors: ""))
    #expect(service.data == before)
  }

  @Test func `shows a database that is at the target`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift()

    let outcome = try service.uplift("status")

    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            database  data/app.db
            version   3 of 3
            seed      Resources/app.db at 1
            applied   0002_add_visits.sql
                      0003_index_guests.sql
            pending   none

            """, errors: ""))
  }

  @Test func `shows that there is no database, and makes none`() throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift("status")

    #expect(
      outcome.output == """
        database  data/app.db
        version   not there
        seed      Resources/app.db at 1
        applied   none
        pending   0002_add_visits.sql
                  0003_index_guests.sql

        """)
    #expect(service.scratch.names() == ["Resources"])
  }

  @Test func `names a step of the program with its number`() {
    let step = Upgrader.Migration.code(5, "give every product a slug") { _ in }
    let script = Upgrader.Migration.sql(6, "0006_add_town.sql", "SELECT 1;")

    #expect([step, script].map(\.shown) == ["5 give every product a slug", "0006_add_town.sql"])
  }

  @Test func `lists nothing as applied to a database that is not there`() throws {
    let service = try Service.upToThree()
    try Shell.run(service.scratch("Resources/app.db"), "PRAGMA user_version = 3;")

    let absent = try service.uplift("status")
    try service.scratch.write("", to: "data/app.db")
    let empty = try service.uplift("status")

    #expect(absent.output.contains("\nversion   not there\n"))
    #expect(empty.output.contains("\nversion   0 of 3\n"))
    for outcome in [absent, empty] {
      #expect(outcome.output.hasSuffix("applied   none\npending   none\n"))
    }
  }

  @Test func `exits with 10 when scripts are pending, if an option says so`() throws {
    let service = try Service.upToThree()

    let absent = try service.uplift("status", "--exit-code", "--quiet")
    _ = try service.uplift("--target=2")
    let behind = try service.uplift("status", "--exit-code", "--json")
    let unasked = try service.uplift("status", "--quiet")
    _ = try service.uplift()
    let current = try service.uplift("status", "--exit-code", "--quiet")

    #expect(absent == Outcome(status: 10, output: "", errors: ""))
    #expect(behind.status == 10)
    #expect(unasked.status == 0)
    #expect(current == Outcome(status: 0, output: "", errors: ""))
  }

  @Test func `prints one object for a program`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")

    let outcome = try service.uplift("status", "--json")

    #expect(
      outcome.output
        == #"{"command":"status","database":"data/app.db","exists":true,"version":2,"target":3,"#
        + #""seed":1,"applied":[{"version":2,"name":"0002_add_visits.sql"}],"#
        + #""pending":[{"version":3,"name":"0003_index_guests.sql"}],"current":false}"# + "\n")
  }

  @Test func `prints one object if there is no database`() throws {
    let service = try Service()

    let outcome = try service.uplift("status", "--json")

    #expect(
      outcome.output
        == #"{"command":"status","database":"data/app.db","exists":false,"version":null,"#
        + #""target":1,"seed":1,"applied":[],"pending":[],"current":false}"# + "\n")
  }

  @Test(.tags(.P9)) func `shows the version of a newer database, and the error`() throws {
    let service = try Service()
    try service.place("CREATE TABLE t (a); PRAGMA user_version = 7;")
    let before = service.data

    let outcome = try service.uplift("status")

    #expect(
      outcome
        == Outcome(
          status: 76,
          output: """
            database  data/app.db
            version   7, the target is 1
            seed      Resources/app.db at 1
            applied   none
            pending   none

            """,
          errors: """
            uplift: the database is at 7, newer than the target 1
            start the newer program, or restore a copy of the database from before its upgrade

            """))
    #expect(service.data == before)
  }

  @Test(.tags(.P9)) func `prints an object with the error of a database that is newer`() throws {
    let service = try Service()
    try service.place("CREATE TABLE t (a); PRAGMA user_version = 7;")

    let outcome = try service.uplift("status", "--json", "--exit-code")

    #expect(outcome.status == 76)
    #expect(
      outcome.output
        == #"{"command":"status","database":"data/app.db","exists":true,"version":7,"#
        + #""target":1,"seed":1,"applied":[],"pending":[],"current":false,"#
        + #""error":"#
        + plainError(
          "newer", exit: 76, "the database is at 7, newer than the target 1",
          "start the newer program, or restore a copy of the database from before its upgrade"
        ).replacing(#""reached":null"#, with: #""reached":7"#) + "}\n")
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let exit: Int32
    let exists: Bool
    let version: Int?
    var options: [String] = []
    let make: @Sendable (Service) throws -> Void
  }

  /// States that an upgrade refuses, and that status shows.
  static let refusals = [
    Refusal(testDescription: "unversioned", exit: 78, exists: true, version: 0) {
      try $0.place("CREATE TABLE t (a);")
    },
    Refusal(testDescription: "foreign", exit: 78, exists: true, version: 2) {
      try Shell.run($0.scratch("Resources/app.db"), "PRAGMA application_id = 5;")
      try $0.place("CREATE TABLE t (a); PRAGMA user_version = 2; PRAGMA application_id = 7;")
    },
    Refusal(testDescription: "gap", exit: 65, exists: true, version: 1) {
      try Shell.run($0.scratch("Resources/app.db"), "PRAGMA user_version = 2;")
      try $0.scratch.remove("Resources/Migrations/0002_add_visits.sql")
      try $0.place("CREATE TABLE t (a); PRAGMA user_version = 1;")
    },
    Refusal(
      testDescription: "target without a script", exit: 65, exists: true, version: 2,
      options: ["--target", "9"]
    ) { try $0.place("CREATE TABLE t (a); PRAGMA user_version = 2;") },
    Refusal(
      testDescription: "missing", exit: 66, exists: false, version: nil,
      options: ["--if-missing", "fail"]
    ) { _ in },
    Refusal(testDescription: "orphaned journal", exit: 78, exists: false, version: nil) {
      try $0.scratch.write("log", to: "data/app.db-wal")
    },
  ]

  @Test(.tags(.promise7), arguments: refusals)
  func `shows the state of the database, and why an upgrade would refuse it`(refusal: Refusal)
    throws
  {
    let service = try Service.upToThree()
    try refusal.make(service)
    let before = service.data

    let told = try service.uplift(["status"] + refusal.options)
    let outcome = try service.uplift(["status", "--json"] + refusal.options)

    let report = try members(of: outcome.output)
    #expect(told.status == refusal.exit)
    #expect(told.output.hasPrefix("database  data/app.db\nversion   "))
    #expect(told.errors == outcome.errors)
    #expect(outcome.status == refusal.exit)
    #expect(report["exists"] as? Bool == refusal.exists)
    #expect(report["version"] as? Int == refusal.version)
    #expect(report["current"] as? Bool == false)
    #expect((report["error"] as? NSDictionary)?["exit"] as? Int32 == refusal.exit)
    #expect(service.data == before)
  }

  @Test(.tags(.F2)) func `shows that there is a file, though it is no database`() throws {
    let service = try Service.upToThree()
    try service.scratch.write(String(repeating: "text ", count: 200), to: "data/app.db")

    let told = try service.uplift("status")
    let report = try members(of: try service.uplift("status", "--json").output)

    #expect(told.status == 78)
    #expect(told.output == "database  data/app.db\nversion   not known\n")
    #expect(report["exists"] as? Bool == true)
    #expect(report["version"] is NSNull)
    #expect(report["target"] as? Int == 3)
    #expect(report["applied"] is NSNull)
  }

  @Test func `shows the version of the database, though the scripts or the seed are wrong`() throws
  {
    let service = try Service.upToThree()
    try service.ship("3.sql", "SELECT 1;")

    let absent = try service.uplift("status")
    try service.place("CREATE TABLE t (a); PRAGMA user_version = 2;")
    let before = service.data
    let duplicate = try service.uplift("status")
    let report = try members(of: try service.uplift("status", "--json").output)
    let missing = try service.uplift(
      "status", "--database", "data/app.db", "--migrations", "nowhere")

    #expect(absent.output == "database  data/app.db\nversion   not there\n")
    #expect(duplicate.status == 65)
    #expect(duplicate.output == "database  data/app.db\nversion   2\n")
    #expect(duplicate.errors.hasPrefix("uplift: "))
    #expect(report["exists"] as? Bool == true)
    #expect(report["version"] as? Int == 2)
    #expect(report["target"] is NSNull)
    #expect(missing.status == 66)
    #expect(missing.output == "database  data/app.db\nversion   2\n")
    #expect(service.data == before)
  }
}
