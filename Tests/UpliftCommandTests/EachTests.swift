import Foundation
import TestSupport
import Testing

/// `uplift up --each DIR`.
struct EachTests {
  @Test(.tags(.promise1))
  func `upgrades every database of a directory, and tells of those that changed`() throws {
    let fleet = try Fleet(["b.db", "a.db", "c.db"])
    try fleet.add("B.DB", "PRAGMA user_version = 2; CREATE TABLE visits (guest TEXT);")
    try fleet.service.scratch.write("", to: "tenants/notes.txt")
    try fleet.add(".hidden.db")
    try Shell.run(fleet.path("c.db"), "PRAGMA user_version = 3;")

    let first = try fleet.up()
    let second = try fleet.up()

    #expect(
      first
        == Outcome(
          status: 0,
          output: """
            tenants/B.DB: 2 -> 3
            tenants/a.db: 1 -> 3
            tenants/b.db: 1 -> 3
            4 at 3

            """, errors: ""))
    #expect(second == Outcome(status: 0, output: "4 at 3\n", errors: ""))
    #expect(try fleet.versions(["a.db", "b.db", "B.DB"]) == [3])
    #expect(try fleet.version(".hidden.db") == 1)
    #expect(
      fleet.service.scratch.names("tenants")
        == [".hidden.db", "B.DB", "a.db", "b.db", "c.db", "notes.txt"])
  }

  /// The volume of the databases may not be mounted.
  @Test(.tags(.O13), arguments: ["up", "status"])
  func `makes no database, and ends with 66 if there is none`(verb: String) throws {
    let fleet = try Fleet([])
    try fleet.service.scratch.write("", to: "tenants/a.sqlite3")

    let outcome = try fleet.service.uplift(verb, "--each", "tenants")
    let json = try fleet.service.uplift(verb, "--each", "tenants", "--json")
    try fleet.service.scratch.remove("tenants/a.sqlite3")

    #expect(
      outcome
        == Outcome(
          status: 66, output: "",
          errors: """
            uplift: no file in "tenants" ends in .db
            mount the volume, or name the directory of the databases with --each

            """))
    #expect((try members(of: json.output)["error"] as? NSDictionary)?["exit"] as? Int == 66)
    #expect(fleet.service.scratch.names() == ["Resources", "tenants"])
    #expect(fleet.service.scratch.names("tenants") == [])
  }

  @Test func `fills an empty file from the seed, as for a single database`() throws {
    let fleet = try Fleet([])
    try fleet.service.scratch.write("", to: "tenants/new.db")

    let outcome = try fleet.up()

    #expect(outcome.output == "tenants/new.db: seeded at 1 -> 3\n1 at 3\n")
    #expect(try Shell.run(fleet.path("new.db"), ".tables") == "guests  visits")
  }

  @Test func `prints one JSON object a line, for every database and for the whole`() throws {
    let fleet = try Fleet(["a.db", "b.db"])
    try Shell.run(fleet.path("b.db"), "PRAGMA user_version = 9;")
    try fleet.add("c.db", "PRAGMA user_version = 3;")

    let outcome = try fleet.up("--json")

    let lines = outcome.output.split(separator: "\n").map { withoutSeconds(String($0)) }
    #expect(outcome.status == 76)
    #expect(lines.count == 4)
    #expect(
      lines.first == #"""
        {"command":"up","database":"tenants/a.db","target":3,"start":1,"seeded":false,\#
        "created":false,"backup":null,"end":3,"applied":[{"version":2,"name":"2_visits.sql"},\#
        {"version":3,"name":"3_index.sql"}],"skipped":[]}
        """#)
    let objects = try Fleet.objects(outcome)
    #expect((objects[1]["error"] as? NSDictionary)?["kind"] as? String == "newer")
    #expect(objects[2]["end"] as? Int == 3)
    #expect(
      lines.last == #"""
        {"command":"up","each":"tenants","target":3,"databases":3,"current":1,"changed":1,\#
        "failed":1,"stopped":0,"notBegun":0,"exit":76}
        """#)
  }

  @Test func `prints errors only with --quiet`() throws {
    let fleet = try Fleet(["a.db", "b.db"])
    try Shell.run(fleet.path("b.db"), "PRAGMA user_version = 9;")

    let outcome = try fleet.up("--quiet")

    #expect(
      outcome
        == Outcome(
          status: 76, output: "",
          errors: """
            uplift: tenants/b.db: the database is at 9, newer than the target 3
            start the newer program, or restore a copy of the database from before its upgrade

            """))
  }

  @Test(.tags(.promise14)) func `copies each database under its own name`() throws {
    let fleet = try Fleet(["a.db", "b-1.db"])

    let outcome = try fleet.up("--backup", "old")
    let inside = try fleet.up("--backup", "tenants")

    #expect(
      outcome.output == """
        tenants/a.db: 1 -> 3, copied to old/a-1.db
        tenants/b-1.db: 1 -> 3, copied to old/b-1-1.db
        2 at 3

        """)
    #expect(fleet.service.scratch.names("old") == ["a-1.db", "b-1-1.db"])
    #expect(inside.status == 64)
    #expect(inside.output == "")
  }

  @Test(.tags(.O2, .O4)) func `deletes the old backups of each database, and of no other`() throws {
    let fleet = try Fleet(["a.db", "a-b.db"])
    let keep = ["--backup", "old", "--keep", "1"]

    _ = try fleet.service.uplift(["up", "--each", "tenants", "--target", "2"] + keep)
    let first = fleet.service.scratch.names("old")
    try fleet.service.scratch.write("", to: "old/a-b-c-1.db")
    let outcome = try fleet.service.uplift(["up", "--each", "tenants"] + keep)

    #expect(outcome.status == 0)
    #expect(first == ["a-1.db", "a-b-1.db"])
    #expect(fleet.service.scratch.names("old") == ["a-2.db", "a-b-2.db", "a-b-c-1.db"])
  }

  @Test(.tags(.F18)) func `upgrades names that are not UTF-8, and names them safely`() throws {
    let fleet = try Fleet(["a\nb\u{1b}[2J.db", "-x.db", "'; DROP.db"])

    let outcome = try fleet.service.shell(
      #"""
      cp Resources/app.db "tenants/$(printf 'n\377x').db"
      cp Resources/app.db "tenants/$(printf 'n\376x').db"
      uplift up --each tenants --backup old --jobs 2; echo $?
      for file in tenants/*.db; do sqlite3 "$file" 'PRAGMA user_version'; done
      set -- old/*; echo $#
      """#)

    #expect(outcome.errors == "")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.suffix(8) == ["5 at 3", "0", "3", "3", "3", "3", "3", "5"])
    #expect(lines.count == 13)
    #expect(!outcome.output.contains("\u{1b}"))
  }

  @Test func `prints each skipped statement with its database`() throws {
    let fleet = try Fleet(["a.db"])
    try Shell.run(fleet.path("a.db"), "CREATE TABLE visits (guest TEXT);")

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
    try FileManager.default.createDirectory(
      atPath: scratch("tenants"), withIntermediateDirectories: true)
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    try FileManager.default.createSymbolicLink(
      atPath: scratch("Resources"), withDestinationPath: package.path + "/Resources")
    for name in ["a", "b"] { try scratch.write("", to: "tenants/\(name).db") }

    let outcome = try Command.product("Guestbook").run(
      "db", "up", "--each", "tenants", "--jobs", "2", in: scratch.path)
    let status = try Command.product("Guestbook").run(
      "db", "status", "--each", "tenants", in: scratch.path)

    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("2 at 7\n"))
    #expect(status.output == "tenants/a.db: 7 of 7\ntenants/b.db: 7 of 7\n2 at 7\n")
  }

  @Test(arguments: [
    (["--data", "d"], "--each and --data exclude each other", "use one of them"),
    (["--database", "d"], "--each and --database exclude each other", "use one of them"),
    (["--if-missing", "fail"], "--each and --if-missing exclude each other", "use one of them"),
    (
      ["--jobs", "0"], "--jobs is \"0\", not a number from 1 to 64", "write digits, as in --jobs 4"
    ),
    (["--jobs=65"], "--jobs is \"65\", not a number from 1 to 64", "write digits, as in --jobs 4"),
    (["--jobs=+2"], "--jobs is \"+2\", not a number from 1 to 64", "write digits, as in --jobs 4"),
  ])
  func `refuses options that do not go with it`(
    options: [String], said: String, remedy: String
  ) throws {
    let fleet = try Fleet(["a.db"])

    let outcome = try fleet.service.uplift(["up", "--each", "tenants"] + options)

    #expect(outcome == Outcome(status: 64, output: "", errors: "uplift: \(said)\n\(remedy)\n"))
    #expect(try fleet.version("a.db") == 1)
  }

  @Test(arguments: [["--jobs", "2"], ["--keep-going"]])
  func `has options that mean nothing without it`(options: [String]) throws {
    let fleet = try Fleet([])

    let outcome = try fleet.service.uplift(options)

    #expect(outcome.status == 64)
    #expect(
      outcome.errors
        == "uplift: \(options[0]) is given without --each\nwrite --each DIR too\n")
  }

  @Test(
    arguments: [
      ("nowhere", 66, "the directory of databases \"nowhere\" is not there"),
      ("Resources/app.db", 66, "\"Resources/app.db\" is not a directory"),
    ] as [(String, Int32, String)])
  func `says what is wrong with the directory`(
    directory: String, exit: Int32, said: String
  ) throws {
    let fleet = try Fleet([])

    let outcome = try fleet.service.uplift("up", "--each", directory)
    let json = try fleet.service.uplift("up", "--each", directory, "--json")

    #expect(
      outcome
        == Outcome(
          status: exit, output: "",
          errors: "uplift: \(said)\nname the directory of the databases with --each\n"))
    #expect((try members(of: json.output)["error"] as? NSDictionary)?["exit"] as? Int == Int(exit))
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

  @Test(.tags(.promise8)) func `removes the temporary files of a crashed boot`() throws {
    let fleet = try Fleet(["a.db", "b.db"])
    try fleet.service.scratch.write("torso", to: "tenants/.a.db.ghjkmnpqrstvwxyz.uplift")
    try fleet.service.scratch.write("other", to: "tenants/.c.db.ghjkmnpqrstvwxyz.uplift")

    let outcome = try fleet.up()

    #expect(outcome.status == 0)
    #expect(
      fleet.service.scratch.names("tenants")
        == [".c.db.ghjkmnpqrstvwxyz.uplift", "a.db", "b.db"])
  }

  @Test func `refuses the seed among the databases`() throws {
    let fleet = try Fleet(["a.db"])
    try FileManager.default.linkItem(
      atPath: fleet.service.scratch("Resources/app.db"), toPath: fleet.path("seed.db"))

    let outcome = try fleet.up()

    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("uplift: \"tenants/seed.db\" is the seed itself\n"))
    #expect(outcome.output == "tenants/a.db: 1 -> 3\n1 at 3, 1 failed\n")
    #expect(try fleet.version("seed.db") == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func `shows how many databases have ended, with --progress always`() throws {
    let fleet = try Fleet(["a.db", "b.db"], scripts: ["2_slow.sql": Service.slow])

    let outcome = try fleet.up("--progress", "always")

    #expect(outcome.errors.contains("\r1/2 databases [##########..........] 50%\u{1b}[K"))
    #expect(outcome.output == "tenants/a.db: 1 -> 2\ntenants/b.db: 1 -> 2\n2 at 2\n")
  }
}
