import Foundation
import TestSupport
import Testing

/// `uplift up --each DIR` with several jobs, several processes, and an early end.
@Suite(.timeLimit(.minutes(20)))
struct EachTogetherTests {
  private static func names(_ count: Int) -> [String] { (0..<count).map { "tenant\($0).db" } }

  /// A script that is noticed if it runs twice.
  private static let scripts = [
    "2_visits.sql": "CREATE TABLE visits (guest TEXT); INSERT INTO visits VALUES ('two');",
    "3_rows.sql": "INSERT INTO visits VALUES ('three');",
  ]

  private func visits(_ fleet: Fleet, _ names: [String]) throws -> Set<String> {
    var found: Set<String> = []
    for name in names {
      found.insert(try Shell.run(fleet.path(name), "SELECT group_concat(guest) FROM visits;"))
    }
    return found
  }

  @Test(.tags(.promise5), arguments: ["1", "4"])
  func `runs each script once, though two runs begin at the same time`(jobs: String) throws {
    let names = Self.names(60)
    let fleet = try Fleet(names, scripts: Self.scripts)

    let outcome = try fleet.service.shell(
      """
      uplift up --each tenants --jobs \(jobs) --backup old & one=$!
      uplift up --each tenants --jobs \(jobs) --backup old & two=$!
      wait $one; echo $?; wait $two; echo $?
      """)

    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0 == "60 at 3" } == 2 && lines.count { $0 == "0" } == 2)
    #expect(try visits(fleet, names) == ["two,three"])
  }

  /// The lock for such scripts is the directory's, and the jobs share it.
  @Test(.tags(.S14, .promise5))
  func `runs scripts without a transaction in several databases at a time`() throws {
    let names = Self.names(12)
    let alone = "-- uplift: no-transaction\n"
    let fleet = try Fleet(
      names,
      scripts: [
        "2_slow.sql": alone + "CREATE TABLE IF NOT EXISTS visits (guest TEXT);" + Service.slow
          + "INSERT INTO visits VALUES ('two');",
        "3_vacuum.sql": alone + "VACUUM;",
      ])

    let outcome = try fleet.up("--jobs", "4", "--wait", "0.5")
    let two = try fleet.service.shell(
      """
      for file in tenants/*.db; do sqlite3 "$file" 'PRAGMA user_version = 2'; done
      uplift up --each tenants --jobs 3 & uplift up --each tenants --jobs 3 & wait
      """)

    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("12 at 3\n"))
    #expect(two.errors == "")
    #expect(try visits(fleet, names) == ["two"])
    #expect(try fleet.versions(names) == [3])
  }

  @Test func `reads each script once, before the first database`() throws {
    let names = Self.names(6)
    let fleet = try Fleet(names, scripts: Self.scripts)
    try fleet.service.ship("1_slow.sql", Service.slow)
    try Shell.run(fleet.path("tenant0.db"), "PRAGMA user_version = 0;")
    try fleet.service.scratch.remove("Resources/app.db")

    let outcome = try fleet.service.shell(
      """
      (while [ ! -e tenants/tenant0.db-journal ] && [ ! -e end ]; do sleep 0.01; done
      rm -r Resources) &
      uplift up --each tenants --migrations Resources/Migrations
      touch end; wait
      """)

    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("6 at 3\n"))
    #expect(try visits(fleet, names) == ["two,three"])
    #expect(fleet.service.scratch.names("Resources") == [])
  }

  @Test func `writes whole lines, whatever the number of jobs`() throws {
    let names = Self.names(200)
    let fleet = try Fleet(names)

    let outcome = try fleet.up("--jobs", "16", "--json")

    let objects = try Fleet.objects(outcome)
    #expect(objects.count == 201)
    #expect(
      Set(objects.compactMap { $0["database"] as? String }) == Set(names.map { "tenants/" + $0 }))
    #expect(objects.last?["changed"] as? Int == 200)
  }

  @Test(.tags(.O13, .P8), arguments: ["1", "3"])
  func `goes on where a killed run has ended`(jobs: String) throws {
    let names = Self.names(100)
    let fleet = try Fleet(names, scripts: Self.scripts)
    try fleet.service.ship("4_slow.sql", Service.slow.replacing("2000000", with: "200000"))

    for _ in 0..<3 {
      let run = try Command.product("uplift").start(
        ["up", "--each", "tenants", "--jobs", jobs], in: fleet.service.scratch.path)
      usleep(UInt32.random(in: 50_000...400_000))
      kill(run.identifier, SIGKILL)
      _ = try run.wait()
    }
    let outcome = try fleet.up("--jobs", jobs)

    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("100 at 4\n"))
    #expect(try visits(fleet, names) == ["two,three"])
    #expect(fleet.service.scratch.names("tenants").count == 100)
  }

  @Test(.tags(.S15), arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `cancels what runs at a signal, begins no more, and prints the summary`(
    signal: String, exit: Int32
  ) throws {
    let names = Self.names(9)
    let fleet = try Fleet(names, scripts: Self.scripts)
    try fleet.service.ship("4_endless.sql", Fleet.endless)

    let outcome = try fleet.service.shell(
      "exec timeout -k 20 -s \(signal) --preserve-status 0.7 "
        + "'\(Command.product("uplift").path)' up --each tenants --jobs 2")
    let json = try fleet.service.shell(
      "exec timeout -k 20 -s \(signal) --preserve-status 0.7 "
        + "'\(Command.product("uplift").path)' up --each tenants --jobs 2 --json")

    #expect(outcome.status == exit)
    #expect(outcome.output.hasSuffix("0 at 4, 2 stopped, 7 not begun\n"))
    #expect(
      outcome.errors.contains(
        "uplift: tenants/tenant0.db: cancelled; the database is at 3\nstart again to continue\n"))
    #expect(json.status == exit)
    let last = try #require(try Fleet.objects(json).last)
    #expect(last["stopped"] as? Int == 2 && last["notBegun"] as? Int == 7)
    #expect(last["exit"] as? Int == Int(exit))
    #expect(try fleet.version("tenant0.db") == 3)
    #expect(try fleet.version("tenant8.db") == 1)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `closes every file, so that few are open at a time`() throws {
    let fleet = try Fleet(Self.names(100))

    let outcome = try fleet.service.shell(
      "ulimit -n 40; uplift up --each tenants --jobs 2 | tail -1")

    #expect(outcome == Outcome(status: 0, output: "100 at 3\n", errors: ""))
  }

  @Test(.tags(.P3)) func `waits for each database by itself`() throws {
    let fleet = try Fleet(Self.names(3))

    let outcome = try fleet.service.shell(
      """
      for number in 0 1; do
        (echo 'BEGIN IMMEDIATE;'; while [ ! -e end ]; do sleep 0.05; done) |
          sqlite3 tenants/tenant$number.db &
      done
      sleep 0.3
      uplift up --each tenants --wait 1.3; echo $?
      touch end; wait
      """)

    #expect(outcome.output == "tenants/tenant2.db: 1 -> 3\n1 at 3, 2 failed\n75\n")
    #expect(
      outcome.errors.split(separator: "\n").filter { $0.hasSuffix(", waiting") } == [
        "uplift: tenants/tenant0.db is busy, waiting",
        "uplift: tenants/tenant1.db is busy, waiting",
      ])
  }
}
