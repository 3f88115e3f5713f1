import Foundation
import TestSupport
import Testing

/// `uplift rehearse`, as its users see it.
@Suite(.tags(.promise16)) struct RehearseCommandTests {
  private func service() throws -> Service {
    let service = try Service.upToThree()
    try service.place(
      "CREATE TABLE guests (name TEXT); INSERT INTO guests VALUES ('a'); PRAGMA user_version = 1;")
    return service
  }

  private func members(_ outcome: Outcome) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return object as? [String: Any] ?? [:]
  }

  @Test func `names the file that is no directory`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")

    let outcome = try service.uplift("rehearse", "--in", "Resources/app.db")

    #expect(outcome.errors.hasPrefix("uplift: \"Resources/app.db\" is not a directory\n"))
    #expect(outcome.status == 64, "\(outcome)")
  }

  @Test func `prints a table`() throws {
    let service = try service()

    let outcome = try service.uplift("rehearse")
    let lines = outcome.output.split(separator: "\n").map(String.init)

    #expect(outcome.status == 0)
    #expect(lines.first == "data/app.db from 1 to 3, on a copy")
    let heading = lines.first { $0.hasPrefix("script") } ?? ""
    #expect(heading.split(separator: " ") == ["script", "seconds", "size", "before", "after"])
    #expect(lines.contains { $0.hasPrefix("0002_add_visits.sql") })
    let sizes = lines.filter { $0.hasPrefix("000") || $0.hasPrefix("all") }
      .map { $0.split(separator: " ").suffix(2).joined(separator: " ") }
    #expect(sizes.count == 3)
    #expect(sizes[1] == sizes[2])
    #expect(lines.contains("guests            1      1"))
    #expect(lines.contains("visits            -      0"))
    #expect(lines.contains { $0.hasPrefix("room in data: needs ") && $0.hasSuffix(" free") })
  }

  @Test func `prints JSON if an option says so`() throws {
    let service = try service()

    let outcome = try service.uplift("rehearse", "--json")
    let members = try members(outcome)
    let scripts = members["scripts"] as? [[String: Any]] ?? []

    #expect(outcome.status == 0)
    #expect(members["command"] as? String == "rehearse")
    #expect(members["start"] as? Int == 1)
    #expect(members["target"] as? Int == 3)
    #expect(
      scripts.map { $0["name"] as? String } == ["0002_add_visits.sql", "0003_index_guests.sql"])
    #expect(members["error"] == nil)
    #expect(try service.uplift("rehearse", "--quiet").output == "")
    #expect(try Shell.version(service.database) == 1)
  }

  @Test func `ends as up would`() throws {
    let failing = try service()
    try failing.ship("0004_no.sql", "SELECT nope;")
    let current = try service()
    _ = try current.uplift()
    let absent = try Service.upToThree()

    let failure = try failing.uplift("rehearse", "--json")

    #expect(failure.status == 1)
    #expect(
      failure.errors.hasPrefix("uplift: Resources/Migrations/0004_no.sql:1:8: no such column"))
    #expect(failure.errors.contains("; the copy was at 3, \"data/app.db\" is as it was\n"))
    #expect(
      failure.errors.hasSuffix("\ncorrect the script, then start again; nothing of it was kept\n"))
    let error = try members(failure)["error"] as? [String: Any]
    #expect(error?["kind"] as? String == "failed")
    #expect(error?["reached"] is NSNull)
    #expect(try Shell.version(failing.database) == 1)
    let nothing = try members(current.uplift("rehearse", "--json"))
    #expect(nothing["copy"] is NSNull)
    #expect(try absent.uplift("rehearse").status == 66)
    #expect(try absent.uplift("rehearse", "--keep-copy").status == 64)
    #expect(try current.uplift("rehearse", "--in", "nowhere").status == 0)
    #expect(try failing.uplift("rehearse", "--in", "nowhere").status == 66)
  }

  /// The path of the copy is handed on as text, and could become that of another file.
  @Test(.tags(.P1)) func `refuses a directory of temporary files that is not UTF-8`() throws {
    let service = try service()

    let outcome = try service.shell(
      """
      bad=$(printf 'tmp\\377')
      mkdir "$bad"
      TMPDIR=$PWD/$bad uplift rehearse >/dev/null
      echo "exit $?"
      ls "$bad"
      """)

    #expect(outcome.output == "exit 64\n")
    #expect(outcome.errors.contains("is a directory whose path is not UTF-8"))
    #expect(try Shell.version(service.database) == 1)
  }

  /// SQLite does the same.
  @Test func `prefers SQLITE_TMPDIR to TMPDIR`() throws {
    let service = try service()

    let outcome = try service.shell(
      """
      other=$(printf 'tmp\\377')
      mkdir "$other" good
      SQLITE_TMPDIR=$PWD/good TMPDIR=$PWD/$other uplift rehearse >/dev/null
      echo "exit $?"
      """)

    #expect(outcome.output == "exit 0\n")
  }

  @Test func `removes the copy if the disk is full or a signal comes`() throws {
    let service = try service()
    try service.ship(
      "0004_large.sql", "CREATE TABLE large AS SELECT zeroblob(1000000) AS x;")
    let full = try service.shell("mkdir in; ulimit -f 200; uplift rehearse --in in")

    try service.ship(
      "0004_large.sql",
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;")
    let stopped = try service.shell(
      "exec timeout -k 20 -s TERM --preserve-status 1 '\(Command.product("uplift").path)'"
        + " rehearse --in in")

    #expect(full.status == 74)
    #expect(full.errors.contains("; the copy was at 3, \"data/app.db\" is as it was\n"))
    #expect(stopped.status == 143)
    #expect(stopped.errors.hasSuffix("uplift: cancelled; the copy was removed\nstart again\n"))
    #expect(service.scratch.names("in") == [])
    #expect(service.scratch.names("data") == ["app.db"])
    #expect(try Shell.version(service.database) == 1)
  }
}
