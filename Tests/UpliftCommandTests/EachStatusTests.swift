import Foundation
import TestSupport
import Testing

/// `uplift status --each DIR`.
struct EachStatusTests {
  private static func fleet() throws -> Fleet {
    let fleet = try Fleet(["a.db", "b.db"])
    try Shell.run(fleet.path("b.db"), "PRAGMA user_version = 3;")
    return fleet
  }

  @Test(.tags(.promise16)) func `prints a line for each database, and changes nothing`() throws {
    let fleet = try Self.fleet()
    try fleet.add("c.db", "PRAGMA user_version = 9;")
    try fleet.service.scratch.write("x", to: "tenants/d.db")
    try fleet.service.scratch.write("", to: "tenants/e.db")
    let before = try Snapshot(of: fleet.service.scratch("tenants"))

    let outcome = try fleet.status("--jobs", "1")

    #expect(
      outcome
        == Outcome(
          status: 78,
          output: """
            tenants/a.db: 1 of 3, 2 pending
            tenants/b.db: 3 of 3
            tenants/c.db: 9, the target is 3
            tenants/e.db: 0 of 3, 2 pending
            1 at 3, 2 pending, 2 failed

            """,
          errors: """
            uplift: tenants/c.db: the database is at 9, newer than the target 3
            start the newer program, or restore a copy of the database from before its upgrade
            uplift: "tenants/d.db" has 1 bytes, not 512
            move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, or run uplift restore if there is a backup

            """))
    #expect(try Snapshot(of: fleet.service.scratch("tenants")) == before)
  }

  @Test func `exits with 10 if something is pending and nothing is refused`() throws {
    let fleet = try Self.fleet()

    let pending = try fleet.status("--exit-code")
    let without = try fleet.status()
    _ = try fleet.up()
    let current = try fleet.status("--exit-code", "--jobs", "2")

    #expect(pending.status == 10)
    #expect(without.status == 0)
    #expect(current.status == 0)
  }

  @Test func `prints one JSON object a line`() throws {
    let fleet = try Self.fleet()
    try fleet.service.scratch.write("x", to: "tenants/c.db")

    let outcome = try fleet.status("--json")

    let objects = try Fleet.objects(outcome)
    #expect(objects.count == 4)
    #expect(objects[0]["database"] as? String == "tenants/a.db")
    #expect((objects[0]["pending"] as? [NSDictionary])?.count == 2)
    #expect(objects[0]["current"] as? Bool == false)
    #expect(objects[1]["current"] as? Bool == true)
    #expect((objects[2]["error"] as? NSDictionary)?["exit"] as? Int == 78)
    #expect(
      outcome.output.hasSuffix(
        #"""
        {"command":"status","each":"tenants","target":3,"databases":3,"current":1,"pending":1,\#
        "failed":1,"stopped":0,"notBegun":0,"exit":78}

        """#))
  }
}
