import TestSupport
import Testing

struct StatusTests {
  @Test func `tells what is there and what is pending`() throws {
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

  @Test func `tells that nothing is there, and makes nothing`() throws {
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

  @Test func `exits with 10 when something is pending, where it is asked to`() throws {
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

  @Test func `prints an object where there is nothing`() throws {
    let service = try Service()

    let outcome = try service.uplift("status", "--json")

    #expect(
      outcome.output
        == #"{"command":"status","database":"data/app.db","exists":false,"version":null,"#
        + #""target":1,"seed":1,"applied":[],"pending":[],"current":false}"# + "\n")
  }

  @Test func `prints an object with the error of a database that is newer`() throws {
    let service = try Service()
    try service.scratch.write("", to: "data/empty")
    try Shell.run(service.database, "CREATE TABLE t (a); PRAGMA user_version = 7;")

    let outcome = try service.uplift("status", "--json", "--exit-code")

    #expect(outcome.status == 76)
    #expect(
      outcome.output
        == #"{"command":"status","database":"data/app.db","exists":null,"version":7,"#
        + #""target":null,"seed":null,"applied":null,"pending":null,"current":null,"#
        + #""error":{"kind":"newer","message":"the database is at 7, newer than the target 1","#
        + #""remedy":"start the newer program, or restore a copy of the database from before it","#
        + #""exit":76,"reached":7}}"# + "\n")
  }
}
