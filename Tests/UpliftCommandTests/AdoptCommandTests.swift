import Foundation
import TestSupport
import Testing
import UpliftCommand

/// `uplift adopt` and `uplift status --verify`, as their users see them.
struct AdoptCommandTests {
  /// A service whose database was at a version, and has lost it.
  private func service(at version: Int, _ sql: String = "") throws -> Service {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=\(version)")
    try Shell.run(service.database, "PRAGMA user_version = 0;" + sql)
    return service
  }

  @Test(.tags(.promise16, .O15)) func `writes the version that the schema proves`() throws {
    let service = try service(
      at: 2, "CREATE INDEX mine ON visits(guest); CREATE TABLE _litestream_seq(a);")

    let refused = try service.uplift("up")
    let adopted = try service.uplift("adopt")
    let again = try service.uplift("adopt", "--json")
    let up = try service.uplift("up")

    #expect(refused.status == 78)
    #expect(
      refused.errors == """
        uplift: "data/app.db" has tables but no version, the seed is at 1
        uplift adopt finds out the version, which .dump and .clone do not copy

        """)
    #expect(
      adopted
        == Outcome(
          status: 0,
          output: """
            data/app.db is at 2
              not from the scripts: index mine on visits
              not from the scripts: table _litestream_seq

            """, errors: ""))
    #expect(again.status == 78)
    let report = try members(of: again.output)
    #expect(report["command"] as? String == "adopt")
    #expect(report["versions"] as? [Int] == [])
    #expect((report["error"] as? NSDictionary)?["kind"] as? String == "unversioned")
    #expect(up.output == "applied 0003_index_guests.sql\ndata/app.db is at 3\n")
  }

  /// Without a seed, nothing else says that the version is lost.
  @Test(.tags(.O15)) func `is named by up if a database at 0 has the table of a script`() throws {
    let service = try Service(scripts: ["1_guests.sql": "CREATE TABLE guests (name TEXT);"])
    try service.place("CREATE TABLE guests (name TEXT);")
    try service.scratch.remove("Resources/app.db")
    let options = ["--database", "data/app.db"]

    let refused = try service.uplift(["up"] + options)
    let adopted = try service.uplift(["adopt"] + options)

    #expect(refused.status == 1)
    #expect(
      refused.errors.hasSuffix(
        "\ncorrect the script; or if the database has lost its version, uplift adopt finds it out\n"
      ))
    #expect(adopted.output == "data/app.db is at 1\n")
  }

  @Test func `prints JSON, or nothing`() throws {
    let service = try service(at: 3)

    let json = try service.uplift("adopt", "--json")
    try Shell.run(service.database, "PRAGMA user_version = 0;")
    let quiet = try service.uplift("adopt", "--quiet", "--to", "3")

    #expect(
      json
        == Outcome(
          status: 0,
          output: #"{"command":"adopt","database":"data/app.db","version":3,"others":[]}"# + "\n",
          errors: ""))
    #expect(quiet == Outcome(status: 0, output: "", errors: ""))
    #expect(try Shell.version(service.database) == 3)
  }

  @Test(.tags(.promise16, .O15)) func `shows the nearest version and what differs`() throws {
    let service = try service(at: 2, "DROP TABLE visits; CREATE VIEW v AS SELECT 1;")
    let before = service.data

    let outcome = try service.uplift("adopt")
    let json = try members(of: try service.uplift("adopt", "--json", "--to=2").output)

    #expect(
      outcome
        == Outcome(
          status: 78, output: "",
          errors: """
            uplift: "data/app.db" has the schema of no version, and is nearest to 1: view v is not in version 1
            change the schema until it is that of the version that the database had, then run \
            uplift adopt again; or if the differences are to stay, set PRAGMA user_version to that version

            """))
    #expect(json["database"] as? String == "data/app.db")
    #expect(json["versions"] as? [Int] == [2])
    #expect(
      json["differences"] as? [[String: String]] == [
        ["object": "table visits", "message": "table visits is missing"],
        ["object": "view v", "message": "view v is not in version 2"],
      ])
    #expect(service.data == before)
  }

  @Test func `names the script that fails, with its line`() throws {
    let service = try service(at: 2)
    try service.ship("0003_index_guests.sql", "CREATE INDEX i ON guests (nope);")

    let outcome = try service.uplift("adopt")

    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        """
        uplift: Resources/Migrations/0003_index_guests.sql:1:27: no such column: nope (SQLITE_ERROR, 1); the scripts do not lead from Resources/app.db to 3
          CREATE INDEX i ON guests (nope);
                                    ^
        """))
  }

  @Test func `is a verb of a program with steps of its own, too`() throws {
    let service = try Service()
    let guestbook = Command.product("Guestbook").path
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../..")
    try FileManager.default.removeItem(atPath: service.scratch("Resources"))
    try FileManager.default.copyItem(
      atPath: root.appendingPathComponent("Resources").path,
      toPath: service.scratch("Resources"))
    let database = service.scratch("data/guestbook.db")

    let up = try service.shell("'\(guestbook)' db up")
    let verified = try service.shell("'\(guestbook)' db status --verify --json")
    let version = try Shell.version(database)
    let wrong = try service.shell("'\(guestbook)' db adopt")
    try Shell.run(database, "PRAGMA user_version = 0;")
    let adopted = try service.shell("'\(guestbook)' db adopt --to \(version)")

    #expect(up.status == 0)
    #expect(verified.output.contains(#""schema":{"fits":true,"differences":[],"others":[]}"#))
    #expect(
      wrong.errors == """
        guestbook db: "data/guestbook.db" is at \(version), and has not lost its version
        guestbook db status --verify compares its schema with that of the version

        """)
    #expect(
      adopted == Outcome(status: 0, output: "data/guestbook.db is at \(version)\n", errors: ""))
  }

  @Test func `stops at a signal, and leaves nothing behind`() throws {
    let service = try Service(scripts: [
      "2_endless.sql":
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"
    ])
    try service.place("CREATE TABLE guests (name TEXT);")

    for verb in ["adopt", "status --verify"] {
      if verb != "adopt" { try Shell.run(service.database, "PRAGMA user_version = 1;") }
      let outcome = try service.shell(
        "mkdir -p tmp; SQLITE_TMPDIR=$PWD/tmp timeout -k 20 -s INT --preserve-status 0.5 "
          + "'\(Command.product("uplift").path)' \(verb); code=$?; ls -A tmp; exit $code")

      #expect(outcome.status == 130, "\(verb)")
      #expect(outcome.errors == "uplift: cancelled, and no file was changed\nstart again\n")
      #expect(try Shell.version(service.database) == (verb == "adopt" ? 0 : 1))
    }
  }
}

/// `uplift status --verify`.
struct StatusVerifyTests {
  @Test(.tags(.promise16)) func `exits with 11 if the schema is not what the scripts make`() throws
  {
    let service = try Service.upToThree()
    let absent = try service.uplift("status", "--verify")
    let nothing = try members(of: try service.uplift("status", "--verify", "--json").output)
    try service.scratch.write("", to: "data/app.db")
    let empty = try service.uplift("status", "--verify")
    try service.scratch.remove("data/app.db")
    _ = try service.uplift("--target=2")
    let right = try service.uplift("status", "--verify")
    let pending = try service.uplift("status", "--verify", "--exit-code", "--quiet")
    try Shell.run(
      service.database,
      "ALTER TABLE visits ADD COLUMN town TEXT; CREATE INDEX mine ON visits(town);")
    let before = service.data
    let wrong = try service.uplift("status", "--verify", "--exit-code")
    let quiet = try service.uplift("status", "--verify", "--quiet")
    let plain = try service.uplift("status")

    // Nothing was compared, so this must not look like a schema that fits.
    #expect(absent.status == 66)
    #expect(absent.errors == empty.errors)
    #expect(!absent.output.contains("schema"))
    #expect(nothing["schema"] is NSNull)
    #expect((nothing["error"] as? NSDictionary)?["kind"] as? String == "missing")
    #expect(empty.status == 66)
    #expect(
      empty.errors == """
        uplift: "data/app.db" holds nothing, so there is no schema to compare
        run uplift up, which makes or fills it

        """)
    #expect(right.output.hasSuffix("\nschema    what the scripts make for 2\n"))
    #expect(pending == Outcome(status: 10, output: "", errors: ""))
    #expect(wrong.status == 11)
    #expect(
      wrong.output.hasSuffix(
        """

        schema    not what the scripts make for 2:
                  column visits.town is not in version 2
        others    index mine on visits

        """))
    #expect(quiet == Outcome(status: 11, output: "", errors: ""))
    #expect(plain.status == 0 && !plain.output.contains("schema"))
    #expect(service.data == before)
  }

  @Test func `shows the differences as JSON`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("up")
    try Shell.run(service.database, "DROP INDEX guests_by_name;")

    let outcome = try service.uplift("status", "--verify", "--json")

    #expect(outcome.status == 11)
    #expect(
      outcome.output.hasSuffix(
        #","current":true,"schema":{"fits":false,"differences":[{"object":"index guests_by_name","#
          + #""message":"index guests_by_name is missing"}],"others":[]}}"# + "\n"))
    #expect(try members(of: try service.uplift("status", "--json").output)["schema"] == nil)
  }

  @Test(.tags(.promise7)) func `compares no schema if an upgrade would refuse the database`() throws
  {
    let service = try Service.upToThree()
    try service.place("CREATE TABLE strange (a); PRAGMA user_version = 9;")

    let newer = try service.uplift("status", "--verify")
    try Shell.run(service.database, "PRAGMA user_version = 0;")
    let unversioned = try service.uplift("status", "--verify")

    #expect(newer.status == 76 && !newer.output.contains("schema"))
    #expect(unversioned.status == 78 && !unversioned.output.contains("schema"))
  }

  @Test func `reports scripts that cannot be compared with, below the status`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("up")
    try service.ship("0003_index_guests.sql", "CREATE INDEX i ON guests (nope);")

    let outcome = try service.uplift("status", "--verify")

    #expect(outcome.status == 65)
    #expect(outcome.output.hasPrefix("database  data/app.db\nversion   3 of 3\n"))
    #expect(outcome.errors.contains("0003_index_guests.sql:1:27: no such column: nope"))
  }

  @Test(.tags(.promise16, .F14), arguments: ["delete", "wal"])
  func `needs no right to write`(journal: String) throws {
    let service = try Service.upToThree()
    _ = try service.uplift("up")
    try Shell.run(service.database, "PRAGMA journal_mode = \(journal);")
    let before = service.data
    let drop = geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : ""

    let outcome = try service.shell(
      "chmod 755 .; chmod 444 data/app.db; chmod 555 data; "
        + "\(drop)'\(Command.product("uplift").path)' status --verify; code=$?; "
        + "chmod 755 data; exit $code")

    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasSuffix("schema    what the scripts make for 3\n"))
    #expect(service.data == before)
  }

  @Test(.tags(.promise16), arguments: ["delete", "wal"])
  func `adopting a database without the right to write says so`(journal: String) throws {
    let service = try Service.upToThree()
    _ = try service.uplift("up")
    try Shell.run(
      service.database, "PRAGMA user_version = 0; PRAGMA journal_mode = \(journal);")
    let before = service.data
    let drop = geteuid() == 0 ? "setpriv --reuid 65534 --clear-groups " : ""

    let outcome = try service.shell(
      "chmod 755 .; chmod 444 data/app.db; chmod 555 data; "
        + "\(drop)'\(Command.product("uplift").path)' adopt; code=$?; "
        + "chmod 755 data; exit $code")

    #expect(outcome.status == 77, "\(outcome)")
    #expect(
      outcome.errors.hasPrefix(#"uplift: "data/app.db" has to be written and is read-only"#))
    #expect(service.data == before)
  }
}
