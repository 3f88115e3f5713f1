import Foundation
import TestSupport
import Testing

/// `--each` with databases that cannot be upgraded.
struct EachSickTests {
  /// How many databases are well: a few hundred, or ten thousand if UPLIFT_DEEP is set.
  private static let count =
    ProcessInfo.processInfo.environment["UPLIFT_DEEP"] == nil ? 300 : 10_000

  private static func names(_ count: Int) -> [String] { (0..<count).map { "tenant\($0).db" } }

  /// Adds a database of each sick kind, but not one that is busy or unreadable.
  private func addSick(to fleet: Fleet) throws {
    let scratch = fleet.service.scratch
    try scratch.write(String(repeating: "not a database ", count: 100), to: "tenants/damaged.db")
    try fleet.add("newer.db", "PRAGMA user_version = 9;")
    try fleet.add("foreign.db", "PRAGMA application_id = 7;")
    try FileManager.default.createSymbolicLink(
      atPath: fleet.path("link.db"), withDestinationPath: "tenant0.db")
    try FileManager.default.createDirectory(
      atPath: fleet.path("directory.db"), withIntermediateDirectories: true)
    try scratch.write("rows", to: "tenants/lost.db-journal")
  }

  @Test func `says how to put back the backup of a newer database`() throws {
    let fleet = try Fleet(["a.db"])
    _ = try fleet.up("--backup", "old")

    let outcome = try fleet.up("--backup", "old", "--target", "2")

    #expect(outcome.status == 76)
    #expect(
      outcome.errors.hasSuffix(
        "uplift restore --database tenants/a.db --target 2 --backup old\n"))
  }

  @Test(
    .tags(.O13, .promise1, .promise7), .timeLimit(.minutes(20)),
    arguments: [["--jobs", "1"], ["--jobs", "3"]])
  func `upgrades all that are well, and names each that is sick`(options: [String]) throws {
    let names = Self.names(Self.count)
    let fleet = try Fleet(names)
    try Shell.run(fleet.service.scratch("Resources/app.db"), "PRAGMA application_id = 5;")
    for name in names.prefix(1) { try Shell.run(fleet.path(name), "PRAGMA application_id = 5;") }
    for name in names.dropFirst() {
      try? FileManager.default.removeItem(atPath: fleet.path(name))
      try FileManager.default.copyItem(atPath: fleet.path(names[0]), toPath: fleet.path(name))
    }
    try addSick(to: fleet)
    try Shell.run(fleet.path("newer.db"), "PRAGMA application_id = 5;")
    try fleet.add("busy.db")

    let outcome = try fleet.service.shell(
      """
      chmod -R a+rwX . && chmod 755 .
      cp Resources/app.db tenants/unreadable.db && chmod 0 tenants/unreadable.db
      (printf '.timeout 10000\\nBEGIN EXCLUSIVE;\\n'; while [ ! -e end ]; do sleep 0.05; done) |
        sqlite3 tenants/busy.db &
      while [ -z "$(echo 'BEGIN IMMEDIATE;' | sqlite3 tenants/busy.db 2>&1)" ]; do sleep 0.05; done
      \(Self.unprivileged) '\(Command.product("uplift").path)' up --each tenants --wait 0.2 \
        \(options.joined(separator: " "))
      echo $?
      touch end; wait
      """)

    let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("uplift: ") }
    #expect(
      complaints.map { $0.dropFirst(8) }.sorted() == [
        "\"tenants/busy.db\" stayed busy",
        "\"tenants/damaged.db\" is not a database",
        "\"tenants/directory.db\" is a directory, not a database",
        "\"tenants/foreign.db\" belongs to application 7, not 5",
        "\"tenants/link.db\" is a link to \"tenant0.db\", not a database",
        "\"tenants/lost.db-journal\" is there without its database",
        "\"tenants/unreadable.db\": unable to open database file",
        "tenants/newer.db: the database is at 9, newer than the target 3",
      ])
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.suffix(2) == ["\(names.count) at 3, 8 failed", "78"])
    #expect(
      Set(lines.dropLast(2).map(String.init)) == Set(names.map { "tenants/\($0): 1 -> 3" }))
    #expect(try fleet.versions(names) == [3])
    #expect(fleet.service.scratch.bytes("tenants/lost.db") == nil)
  }

  /// The words before a command that runs it without root's rights.
  private static let unprivileged =
    geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""

  @Test(.tags(.O13), .timeLimit(.minutes(10)))
  func `opens neither a FIFO nor a socket, and follows no link`() throws {
    let fleet = try Fleet(["a.db"])
    try FileManager.default.moveItem(
      atPath: fleet.path("a.db"), toPath: fleet.service.scratch("elsewhere.db"))

    let outcome = try fleet.service.shell(
      """
      mkfifo tenants/fifo.db
      ln -s ../elsewhere.db tenants/link.db
      ln -s nowhere tenants/dangling.db
      ln -s loop.db tenants/loop.db
      touch tenants/empty.db-wal
      timeout 20 '\(Command.product("uplift").path)' up --each tenants
      """)

    #expect(outcome.status == 78)
    #expect(outcome.output == "0 at 3, 4 failed\n")
    #expect(
      outcome.errors == """
        uplift: "tenants/dangling.db" is a link to "nowhere", not a database
        links are not followed: upgrade the database itself, with --each or --database
        uplift: "tenants/fifo.db" is not a file
        move it away, or give it another ending
        uplift: "tenants/link.db" is a link to "../elsewhere.db", not a database
        links are not followed: upgrade the database itself, with --each or --database
        uplift: "tenants/loop.db" is a link to "loop.db", not a database
        links are not followed: upgrade the database itself, with --each or --database

        """)
    #expect(try Shell.version(fleet.service.scratch("elsewhere.db")) == 1)
  }

  /// The command would put back the backup of another database, if one has the name that is shown.
  @Test func `names no command for a name that is not UTF-8`() throws {
    let fleet = try Fleet(["a.db", "\u{fffd}.db"])
    _ = try fleet.service.shell("cp tenants/a.db tenants/$(printf '\\377').db")
    _ = try fleet.up("--backup", "old")

    let outcome = try fleet.up("--backup", "old", "--target", "2")

    #expect(outcome.status == 76)
    let commands = outcome.errors.components(separatedBy: ": uplift restore ").dropFirst()
    #expect(commands.count == 1)
    #expect(commands.first?.hasPrefix("--database tenants/a.db ") == true)
  }

  /// SQLite would give each name a journal of its own; a service may have one of them open.
  ///
  /// Two names may differ although they are equal as text: `é` is one scalar or two.
  @Test(.tags(.O13), arguments: [("a.db", "b.db"), ("\u{e9}.db", "e\u{301}.db")])
  func `refuses both names of a file`(name: String, other: String) throws {
    let fleet = try Fleet([name, "c.db"])
    try FileManager.default.linkItem(atPath: fleet.path(name), toPath: fleet.path(other))
    try FileManager.default.linkItem(
      atPath: fleet.path("c.db"), toPath: fleet.service.scratch("elsewhere.db"))

    let outcome = try fleet.up("--jobs", "2")

    #expect(outcome.status == 78)
    #expect(outcome.errors.contains("\(other)\" are two names of one file\n"))
    #expect(outcome.errors.contains("\(name)\" are two names of one file\n"))
    #expect(outcome.output == "tenants/c.db: 1 -> 3\n1 at 3, 2 failed\n")
    #expect(try fleet.version(name) == 1)
  }

  @Test(.tags(.O14), arguments: ["--jobs=1", "--jobs=2"])
  func `begins no more after three failures at the same place`(jobs: String) throws {
    let names = Self.names(40)
    let fleet = try Fleet(names)
    try fleet.service.ship("4_bad.sql", Fleet.bad.replacing("visits", with: "more"))

    let outcome = try fleet.up(jobs)
    let json = try Fleet.objects(fleet.up(jobs, "--json")).last
    let all = try fleet.up(jobs, "--keep-going")

    #expect(json?["stoppedAt"] as? String == "Resources/Migrations/4_bad.sql:2:1")
    let complaints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("uplift: ") }
    let failed = complaints.count { $0.contains("no such table: nowhere") }
    #expect(outcome.status == 1)
    #expect(jobs == "--jobs=1" ? failed == 3 : (3...4).contains(failed))
    let last = String(complaints.last ?? "")
    #expect(
      last
        == """
        uplift: 3 databases failed at Resources/Migrations/4_bad.sql:2:1, \(40 - failed) were not begun
        """)
    #expect(
      complaints.first?.hasPrefix(
        "uplift: tenants/tenant0.db: Resources/Migrations/4_bad.sql:2:1: no such table: nowhere")
        == true || jobs != "--jobs=1")
    #expect(outcome.output.hasSuffix("0 at 4, \(failed) failed, \(40 - failed) not begun\n"))
    #expect(outcome.output.split(separator: "\n").count == failed + 1)
    #expect(outcome.output.contains("tenants/tenant0.db: 1 -> 3\n"))
    #expect(all.status == 1)
    #expect(all.output.hasSuffix("0 at 4, 40 failed\n"))
    #expect(try fleet.versions(names) == [3])
  }

  @Test(.tags(.O14)) func `goes on after failures at several places, and after other ones`() throws
  {
    let names = Self.names(4)
    let fleet = try Fleet(
      names + ["w0.db", "w1.db", "w2.db", "w3.db", "z.db"],
      scripts: ["2_a.sql": "CREATE TABLE a (x);\nCREATE TABLE b (x);"])
    for name in names.prefix(2) { try Shell.run(fleet.path(name), "CREATE TABLE a (x);") }
    for name in names.suffix(2) { try Shell.run(fleet.path(name), "CREATE TABLE b (x);") }
    for index in 0..<4 { try Shell.run(fleet.path("w\(index).db"), "PRAGMA user_version = 8;") }

    let outcome = try fleet.up()

    #expect(outcome.status == 1)
    #expect(outcome.output == "tenants/z.db: 1 -> 2\n1 at 2, 8 failed\n")
  }

  @Test(
    .tags(.O13),
    arguments: [
      (["newer"], 76), (["newer", "damaged"], 78), (["newer", "damaged", "script"], 1), ([], 0),
    ] as [([String], Int32)])
  func `exits with 1 if a script failed, otherwise with the largest code`(
    kinds: [String], exit: Int32
  ) throws {
    let fleet = try Fleet(["a.db"])
    if kinds.contains("newer") { try fleet.add("b.db", "PRAGMA user_version = 9;") }
    if kinds.contains("damaged") { try fleet.service.scratch.write("x", to: "tenants/c.db") }
    if kinds.contains("script") { try fleet.add("d.db", "CREATE TABLE visits (a);") }

    let outcome = try fleet.up()

    #expect(outcome.status == exit)
    #expect(try fleet.version("a.db") == 3)
  }

  /// The seed has been replaced meanwhile: what ships is not in order any more.
  @Test(.tags(.R6)) func `ends the run if the seed changes while it runs`() throws {
    let names = Self.names(6)
    let fleet = try Fleet(names, scripts: [:])
    try Shell.run(fleet.service.scratch("Resources/app.db"), "PRAGMA user_version = 3;")
    try fleet.service.ship("2_slow.sql", Service.slow + Service.slow)
    try fleet.service.ship(
      "3_words.sql", "-- uplift: reads-seed\nSELECT count(*) FROM seed.guests;")

    let outcome = try fleet.service.shell(
      """
      uplift up --each tenants > lines & command=$!
      until [ -s lines ] || ! kill -0 $command 2>/dev/null; do sleep 0.01; done
      sqlite3 Resources/app.db 'CREATE TABLE more (a)'
      wait $command; code=$?; cat lines; echo $code
      """)

    #expect(outcome.output.hasSuffix("\n65\n") || outcome.output.hasSuffix("6 at 3\n0\n"))
    if outcome.output.hasSuffix("\n65\n") {
      #expect(outcome.output.contains("1 failed, "))
      #expect(outcome.errors.contains("changed while it was read"))
    }
  }
}
