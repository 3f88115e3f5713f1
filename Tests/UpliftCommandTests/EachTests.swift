import Foundation
import TestSupport
import Testing

/// `--each DIR`: databases that are well.
struct EachTests {
  @Test(.tags(.promise1))
  func `upgrades every database of a directory, and tells of those that changed`() throws {
    let fleet = try Fleet(["b.db", "a.db", "c.db", "B.DB", ".hidden.db"])
    try fleet.service.scratch.write("", to: "tenants/new.db")
    try Shell.run(fleet.path("c.db"), "PRAGMA user_version = 3;")

    let first = try fleet.up()
    let second = try fleet.up("--jobs", "2")

    #expect(
      first
        == Outcome(
          status: 0,
          output: """
            tenants/a.db: 1 -> 3
            tenants/b.db: 1 -> 3
            tenants/new.db: seeded at 1 -> 3
            4 at 3

            """, errors: ""))
    #expect(second == Outcome(status: 0, output: "4 at 3\n", errors: ""))
    #expect(try fleet.versions(["a.db", "b.db", "c.db", "new.db"]) == [3])
    #expect(try fleet.versions([".hidden.db", "B.DB"]) == [1])
  }

  @Test(.tags(.promise16)) func `shows a line for each database, and changes nothing`() throws {
    let fleet = try Fleet(["a.db", "b.db"])
    try Shell.run(fleet.path("b.db"), "PRAGMA user_version = 3;")
    try fleet.service.scratch.write("", to: "tenants/e.db")
    let before = try Snapshot(of: fleet.service.scratch("tenants"))

    let outcome = try fleet.status("--exit-code")

    #expect(
      outcome
        == Outcome(
          status: 10,
          output: """
            tenants/a.db: 1 of 3, 2 pending
            tenants/b.db: 3 of 3
            tenants/e.db: 0 of 3, 2 pending
            1 at 3, 2 pending

            """, errors: ""))
    #expect(try Snapshot(of: fleet.service.scratch("tenants")) == before)
  }

  @Test func `prints one JSON object, with an object for each database`() throws {
    let fleet = try Fleet(["a.db", "c.db"])
    try fleet.add("b.db", "PRAGMA user_version = 9;")
    try Shell.run(fleet.path("c.db"), "PRAGMA user_version = 3;")

    let status = try members(of: fleet.status("--json").output)
    let outcome = try fleet.up("--json", "--jobs", "3")

    #expect(
      (status["databases"] as? [NSDictionary])?.compactMap { $0["current"] as? Bool }.count == 3)
    #expect(outcome.status == 76)
    let object = try members(of: outcome.output)
    let databases = try #require(object["databases"] as? [NSDictionary])
    #expect(
      databases.map { $0["database"] as? String } == [
        "tenants/a.db", "tenants/b.db", "tenants/c.db",
      ])
    #expect(databases.map { $0["end"] as? Int } == [3, 9, 3])
    #expect((databases[1]["error"] as? NSDictionary)?["kind"] as? String == "newer")
    #expect(
      outcome.output.hasPrefix(#"{"command":"up","each":"tenants","target":3,"databases":[{"#))
    #expect(
      outcome.output.hasSuffix(
        #""current":1,"changed":1,"failed":1,"stopped":0,"notBegun":0,"exit":76}"# + "\n"))
  }

  /// The text with the hash of a path written as `#`.
  private func plain(_ text: String) -> String {
    text.replacing(/-[0-9a-f]{8}-(?=[0-9]{4}-v)/, with: "-#-")
  }

  @Test(.tags(.promise14)) func `copies each database under its own name`() throws {
    let fleet = try Fleet(["a.db", "b.db"])

    let outcome = try fleet.up("--backup", "old")

    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("tenants/a.db: 1 -> 3, copied to old/a-"))
    #expect(lines[1].hasPrefix("tenants/b.db: 1 -> 3, copied to old/b-"))
    #expect(fleet.service.scratch.names("old").count == 2)
  }

  @Test func `prints each skipped statement with its database`() throws {
    let fleet = try Fleet([])
    try fleet.add("a.db", "CREATE TABLE visits (guest TEXT);")

    let outcome = try fleet.up("--skip-duplicates")

    #expect(
      outcome.output == """
        tenants/a.db: skipped 2_visits.sql:1: table visits already exists
        tenants/a.db: 1 -> 3
        1 at 3

        """)
  }

  @Test func `is a verb of a program that has its own steps`() throws {
    let scratch = try Scratch()
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    try FileManager.default.createSymbolicLink(
      atPath: scratch("Resources"), withDestinationPath: package.path + "/Resources")
    for name in ["a", "b"] { try scratch.write("", to: "tenants/\(name).db") }

    let outcome = try Command.product("Guestbook").run(
      "db", "up", "--each", "tenants", "--jobs", "2", in: scratch.path)

    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("2 at 7\n"))
  }

  @Test(arguments: [
    (["--each", "tenants", "--data", "d"], "--each and --data exclude each other"),
    (["--each", "tenants", "--database", "d"], "--each and --database exclude each other"),
    (["--each", "tenants", "--if-missing", "fail"], "--each and --if-missing exclude each other"),
    (["--each", "tenants", "--jobs", "0"], "--jobs is \"0\", not a number from 1 to 64"),
    (["--each", "tenants", "--jobs=+2"], "--jobs is \"+2\", not a number from 1 to 64"),
    (["--jobs", "2"], "--jobs is given without --each"),
    (["--each", "Resources/app.db"], "\"Resources/app.db\" is not a directory"),
  ])
  func `refuses options that do not go with it`(options: [String], said: String) throws {
    let fleet = try Fleet(["a.db"])

    let outcome = try fleet.service.uplift(options)

    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("uplift: \(said)\n"))
    #expect(try fleet.version("a.db") == 1)
  }

  /// The volume of the databases may not be mounted.
  @Test(
    .tags(.O13),
    arguments: [
      ("tenants", "no file in \"tenants\" ends in .db"),
      ("nowhere", "the directory of databases \"nowhere\" is not there"),
    ])
  func `ends with 66 if there is no database`(directory: String, said: String) throws {
    let fleet = try Fleet([])

    let outcome = try fleet.service.uplift("up", "--each", directory)
    let json = try fleet.service.uplift("status", "--each", directory, "--json")

    #expect(
      outcome
        == Outcome(
          status: 66, output: "",
          errors:
            "uplift: \(said)\nmount the volume, or name the directory of the databases with --each\n"
        ))
    #expect((try members(of: json.output)["error"] as? NSDictionary)?["exit"] as? Int == 66)
    #expect(fleet.service.scratch.names() == ["Resources", "tenants"])
  }
}

/// `--each DIR`: what cannot be upgraded, and an early end.
@Suite(.timeLimit(.minutes(20)))
struct EachFailureTests {
  @Test(.tags(.O13, .promise1, .promise7), arguments: ["1", "3"])
  func `names each database that is sick, and upgrades the others`(jobs: String) throws {
    let fleet = try Fleet(["e.db", "n.db", "z.db"])
    try fleet.add("b-newer.db", "PRAGMA user_version = 9;")
    try fleet.service.scratch.write("not a database", to: "tenants/c-damaged.db")
    try fleet.service.scratch.write("x", to: "tenants/d-directory.db/x")
    try FileManager.default.moveItem(
      atPath: fleet.path("n.db"), toPath: fleet.service.scratch("n.db"))

    let outcome = try fleet.service.shell(
      """
      ln -s ../n.db tenants/f-link.db
      cp Resources/app.db "tenants/$(printf 'g\\377').db"
      mkfifo tenants/h-fifo.db
      timeout 20 '\(Command.product("uplift").path)' up --each tenants --jobs \(jobs)
      """)

    #expect(outcome.status == 76)
    let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("uplift: ") }
    #expect(
      complaints.map { $0.dropFirst(8) }.sorted() == [
        "\"tenants/c-damaged.db\" is not a database: it has 14 bytes",
        "\"tenants/d-directory.db\" is a directory, not a database",
        "\"tenants/f-link.db\" is a link to \"../n.db\", not a database",
        "\"tenants/g\u{fffd}.db\" is not UTF-8", "\"tenants/h-fifo.db\" is not a file",
        "tenants/b-newer.db: the database is at 9, newer than the target 3",
      ])
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.sorted() == ["2 at 3, 6 failed", "tenants/e.db: 1 -> 3", "tenants/z.db: 1 -> 3"])
    #expect(try Shell.version(fleet.service.scratch("n.db")) == 1)
  }

  /// All scripts are read, not only those above the lowest version.
  @Test(
    .tags(.O14),
    arguments: [
      ("1_old.sql", "SELECT 'open;", [], 65), ("9_new.sql", "-- uplift: unfinished", [], 65),
      ("4.sql", "-- uplift: reads-seed\nSELECT 1;", [], 65), ("x.sql", "SELECT 1;", [], 65),
      ("4.sql", "SELECT 1;", ["--target", "9"], 65), ("4.sql", "SELECT 1;", ["--seed", "no"], 66),
    ] as [(String, String, [String], Int32)])
  func `finds an error of what ships before a database is changed`(
    name: String, text: String, options: [String], exit: Int32
  ) throws {
    let fleet = try Fleet(["a.db", "b.db"])
    try fleet.service.ship(name, text)
    let before = try Snapshot(of: fleet.service.scratch("tenants"))

    let outcome = try fleet.service.uplift(
      ["up", "--each", "tenants", "--resources", "Resources"] + options)

    #expect(outcome.status == exit)
    #expect(outcome.output == "")
    #expect(outcome.errors.split(separator: "\n").filter { $0.hasPrefix("uplift: ") }.count == 1)
    #expect(try Snapshot(of: fleet.service.scratch("tenants")) == before)
  }

  @Test(.tags(.R6)) func `reads each script once, before the first database`() throws {
    let fleet = try Fleet(["a.db", "b.db", "c.db"])
    try fleet.service.ship("1_slow.sql", Service.slow)
    try Shell.run(fleet.path("a.db"), "PRAGMA user_version = 0;")
    try fleet.service.scratch.remove("Resources/app.db")

    let outcome = try fleet.service.shell(
      """
      (while [ ! -e tenants/a.db-journal ] && [ ! -e end ]; do sleep 0.01; done; rm -r Resources) &
      uplift up --each tenants --migrations Resources/Migrations
      touch end; wait
      """)

    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("3 at 3\n"))
    #expect(fleet.service.scratch.names("Resources") == [])
  }

  @Test(.tags(.O14), arguments: ["1", "2"])
  func `begins no more after three failures at the same place`(jobs: String) throws {
    let names = (0..<40).map { "tenant\($0).db" }
    let fleet = try Fleet(names)
    try fleet.service.ship("4_bad.sql", "CREATE TABLE a (x);\nINSERT INTO nowhere VALUES (1);\n")

    let outcome = try fleet.up("--jobs", jobs)
    let json = try members(of: fleet.up("--jobs", jobs, "--json").output)

    let place = "Resources/Migrations/4_bad.sql:2:1"
    let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("uplift: ") }
    let failed = complaints.count { $0.contains(".db: \(place): no such table: nowhere") }
    #expect(jobs == "1" ? failed == 3 : (3...4).contains(failed))
    #expect(outcome.status == 1)
    #expect(
      complaints.last
        == "uplift: 3 databases failed at \(place), \(40 - failed) were not begun")
    #expect(outcome.output.hasSuffix("0 at 4, \(failed) failed, \(40 - failed) not begun\n"))
    #expect(json["stoppedAt"] as? String == place)
    #expect(try fleet.versions(Array(names.sorted().prefix(3))) == [3])
    #expect(try fleet.version("tenant9.db") == 1)
  }

  @Test(.tags(.O14)) func `goes on after failures at several places, and after other ones`() throws
  {
    let fleet = try Fleet(["z.db"], scripts: ["2.sql": "CREATE TABLE a (x);\nCREATE TABLE b (x);"])
    for index in 0..<2 { try fleet.add("a\(index).db", "CREATE TABLE a (x);") }
    for index in 0..<2 { try fleet.add("b\(index).db", "CREATE TABLE b (x);") }
    for index in 0..<4 { try fleet.add("w\(index).db", "PRAGMA user_version = 8;") }

    let outcome = try fleet.up()

    #expect(outcome.status == 1)
    #expect(outcome.output == "tenants/z.db: 1 -> 2\n1 at 2, 8 failed\n")
  }

  @Test(.tags(.promise5), arguments: ["1", "4"])
  func `runs each script once, though two runs begin at the same time`(jobs: String) throws {
    let names = (0..<40).map { "tenant\($0).db" }
    let fleet = try Fleet(
      names,
      scripts: [
        "2.sql": "CREATE TABLE visits (guest TEXT); INSERT INTO visits VALUES ('two');",
        "3.sql": "INSERT INTO visits VALUES ('three');",
      ])

    let outcome = try fleet.service.shell(
      """
      uplift up --each tenants --jobs \(jobs) --backup old & one=$!
      uplift up --each tenants --jobs \(jobs) --backup old & two=$!
      wait $one; echo $?; wait $two; echo $?
      """)

    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0 == "40 at 3" } == 2 && lines.count { $0 == "0" } == 2)
    for name in names {
      #expect(
        try Shell.run(fleet.path(name), "SELECT group_concat(guest) FROM visits;") == "two,three")
    }
  }

  @Test(.tags(.S15), arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `cancels what runs at a signal, begins no more, and prints the summary`(
    signal: String, exit: Int32
  ) throws {
    let fleet = try Fleet((0..<9).map { "tenant\($0).db" })
    try fleet.service.ship(
      "4_endless.sql",
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;")

    let outcome = try fleet.service.shell(
      "exec timeout -k 20 -s \(signal) --preserve-status 0.7 "
        + "'\(Command.product("uplift").path)' up --each tenants --jobs 2")

    #expect(outcome.status == exit)
    #expect(outcome.output.hasSuffix("0 at 4, 2 stopped, 7 not begun\n"))
    #expect(
      outcome.errors.contains(
        "uplift: tenants/tenant0.db: cancelled; the database is at 1\nstart again to continue\n"))
    #expect(try fleet.version("tenant0.db") == 1)
    #expect(try fleet.version("tenant8.db") == 1)
  }

  @Test(.tags(.O13, .P8)) func `goes on where a killed run has ended`() throws {
    let names = (0..<60).map { "tenant\($0).db" }
    let fleet = try Fleet(names)
    try fleet.service.ship("4_slow.sql", Service.slow.replacing("2000000", with: "200000"))

    for _ in 0..<3 {
      let run = try Command.product("uplift").start(
        ["up", "--each", "tenants", "--jobs", "3"], in: fleet.service.scratch.path)
      usleep(UInt32.random(in: 50_000...400_000))
      kill(run.identifier, SIGKILL)
      _ = try run.wait()
    }
    let outcome = try fleet.service.shell(
      "ulimit -n 40; uplift up --each tenants --jobs 2 | tail -1")

    #expect(outcome == Outcome(status: 0, output: "60 at 4\n", errors: ""))
    #expect(fleet.service.scratch.names("tenants").count == 60)
  }

  @Test(.tags(.P3)) func `waits for each database by itself`() throws {
    let fleet = try Fleet(["a.db", "b.db", "c.db"])

    let outcome = try fleet.service.shell(
      """
      for name in a b; do
        (echo 'BEGIN IMMEDIATE;'; while [ ! -e end ]; do sleep 0.05; done) |
          sqlite3 tenants/$name.db &
      done
      sleep 0.3
      uplift up --each tenants --wait 0.5; echo $?
      touch end; wait
      """)

    #expect(outcome.output == "tenants/c.db: 1 -> 3\n1 at 3, 2 failed\n75\n")
  }

  /// The job of `a.db` waits for a reader of its line, while the script of `b.db` runs.
  @Test(.tags(.O13)) func `keeps no database locked because nobody reads the output`() throws {
    let slow = Service.slow.replacing("2000000", with: "(SELECT count(*) FROM guests) * 1000000")
    let fleet = try Fleet([], scripts: ["2_slow.sql": slow])
    try fleet.add("a.db", "INSERT INTO guests VALUES (1), (2);")
    try fleet.add("b.db", "INSERT INTO guests VALUES (1), (2), (3), (4), (5), (6), (7), (8);")

    let outcome = try fleet.service.shell(
      """
      mkfifo full && exec 3<>full && { timeout 1 cat /dev/zero >&3; }
      uplift up --each tenants --jobs 2 >&3 & upgrade=$!
      for i in $(seq 150); do
        version=$(sqlite3 tenants/b.db 'PRAGMA user_version'); [ "$version" = 2 ] && break; sleep 0.2
      done
      pkill -KILL -P $upgrade; kill -KILL $upgrade; echo "$version"
      """)

    #expect(outcome.output == "2\n")
  }
}
