import Foundation
import TestSupport
import Testing
import Uplift

/// `uplift up --backup DIR`, as its users see it.
struct BackupCommandTests {
  /// The text with the hash of a path written as `#`.
  private func plain(_ text: String) -> String {
    text.replacing(/-[0-9a-f]{8}-(?=[0-9]{4}-v)/, with: "-#-")
  }

  @Test func `names the copy, and keeps as many as it is told`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")

    let first = try service.uplift("up", "--backup", "old", "--keep", "1", "--target", "2")
    let second = try service.uplift("up", "--backup", "old", "--keep", "1", "--json")
    let third = try service.uplift("up", "--backup", "old")

    #expect(first.status == 0 && first.errors == "")
    #expect(
      plain(first.output) == """
        copied data/app.db at 1 to old/app-#-0001-v1.db
        applied 0002_add_visits.sql
        data/app.db is at 2

        """)
    #expect(
      plain(second.output).contains(
        #""created":false,"backup":"old/app-#-0002-v2.db","end":3"#))
    #expect(third == Outcome(status: 0, output: "data/app.db is at 3\n", errors: ""))
    #expect(service.scratch.names("old").map(plain) == ["app-#-0002-v2.db"])
  }

  /// The line with the name of the copy comes while the database is locked.
  @Test(.tags(.promise8)) func `upgrades although nobody reads the output yet`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")

    let outcome = try service.shell(
      """
      mkfifo full && exec 3<>full && { timeout 1 cat /dev/zero >&3; }
      uplift up --backup old >&3 & upgrade=$!
      for i in $(seq 150); do
        version=$(sqlite3 data/app.db 'PRAGMA user_version'); [ "$version" = 3 ] && break; sleep 0.2
      done
      timeout 5 cat <&3 | tr -d '\\0'; wait $upgrade; echo "$version $?"
      """)

    let lines = outcome.output.split(separator: "\n")
    #expect(
      plain(String(lines.first ?? "")) == "copied data/app.db at 1 to old/app-#-0001-v1.db")
    #expect(lines.dropFirst(lines.count - 2) == ["data/app.db is at 3", "3 0"])
  }

  @Test(.tags(.promise15)) func `goes back to a backup, and says where the rest is`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    _ = try service.uplift("up", "--backup", "old")
    try Shell.run(service.database, "INSERT INTO visits VALUES ('late');")

    let newer = try service.uplift("up", "--backup", "old", "--target", "2")
    let text = try service.uplift("restore", "--backup", "old")
    let json = try service.uplift("restore", "--backup", "old", "--to", "1", "--json")
    let from = try service.shell("uplift restore --backup old --from old/*-v3-replaced.db")
    let both = try service.uplift("restore", "--backup", "old", "--from", "f", "--to", "1")
    let nowhere = try service.uplift("restore", "--backup", "nowhere")
    let other = try service.uplift("restore", "--backup", "old", "--to", "7")
    let without = try service.uplift("restore")

    #expect(newer.status == 76)
    #expect(
      plain(newer.errors) == """
        uplift: the database is at 3, newer than the target 2
        start the newer program, or go back to "old/app-#-0001-v1.db": uplift restore --backup old

        """)
    #expect(text.status == 0 && text.errors == "")
    #expect(
      plain(text.output) == """
        restored data/app.db to 1 from old/app-#-0001-v1.db
        the old content, with the rows written after the backup, is in old/app-#-0002-v3-replaced.db

        """)
    #expect(
      plain(json.output) == #"""
        {"command":"restore","database":"data/app.db","version":1,\#
        "backup":"old/app-#-0001-v1.db","replaced":"old/app-#-0003-v1-replaced.db"}

        """#)
    #expect(plain(from.output).hasPrefix("restored data/app.db to 3 from old/app-#-0002-v3-repl"))
    #expect(both.status == 64 && both.errors.contains("--to and --from exclude each other"))
    #expect(nowhere.status == 66)
    #expect(
      nowhere.errors == """
        uplift: the directory of backups "nowhere" is not there
        name the directory to which upgrades copy the database

        """)
    #expect(other.status == 66)
    #expect(
      other.errors == """
        uplift: "old" has no backup of version 7, only of 1
        name one of these versions

        """)
    #expect(
      without
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: restore has no directory of backups
            name it with --backup DIR, as for uplift up

            """))
    #expect(try Shell.run(service.database, "SELECT max(rowid) FROM visits") != "")
  }

  @Test(.tags(.O9, .promise15)) func `changes nothing if the disk fails during a restore`()
    throws
  {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    try Shell.run(
      service.database, "CREATE TABLE filler (a); INSERT INTO filler VALUES (randomblob(300000));")
    _ = try service.uplift("up", "--backup", "old")
    try Shell.run(service.database, "DROP TABLE filler; VACUUM;")
    let before = try Shell.dump(service.database)

    let outcome = try service.shell("ulimit -f 100; uplift restore --backup old")

    #expect(outcome.status == 74)
    #expect(try Shell.dump(service.database) == before)
    #expect(service.scratch.names("old").allSatisfy { !$0.hasPrefix(".") })
    #expect(try service.uplift("restore", "--backup", "old").status == 0)
    #expect(try Shell.version(service.database) == 1)
  }

  @Test(arguments: [
    (["--keep", "2"], "--keep is given without --backup", "write --backup DIR too"),
    (
      ["--backup", "b", "--keep", "0"], "--keep is \"0\", not a number from 1 to 1000000",
      "write digits, as in --keep 2"
    ),
    (
      ["--backup", "b", "--keep", "+1"], "--keep is \"+1\", not a number from 1 to 1000000",
      "write digits, as in --keep 2"
    ),
  ])
  func `refuses a number of backups that makes no sense`(
    words: [String], said: String, remedy: String
  ) throws {
    let service = try Service.upToThree()

    let outcome = try service.uplift(words)

    #expect(
      outcome == Outcome(status: 64, output: "", errors: "uplift: \(said)\n\(remedy)\n"))
    #expect(service.scratch.names() == ["Resources"])
  }

  @Test(.tags(.promise15)) func `goes back to a version with dots`() throws {
    let service = try Service(
      scripts: ["1.0_a.sql": "CREATE TABLE a(b);", "1.1_b.sql": "CREATE TABLE b(c);"])
    let options = ["--database", "app.db", "--migrations", "Resources/Migrations"]
    _ = try service.uplift(options + ["--target", "1.0"])
    _ = try service.uplift(options + ["--backup", "old"])

    let newer = try service.uplift(options + ["--backup", "old", "--target", "1.0"])
    let restore = try service.uplift(
      ["restore"] + options + ["--backup", "old", "--target", "1.0"])

    #expect(newer.status == 76)
    #expect(newer.errors.hasSuffix(": uplift restore --backup old\n"))
    #expect(restore.status == 0)
    #expect(try Shell.version(service.scratch("app.db")) == 1_000_000)
  }

  @Test func `needs neither scripts nor a seed to go back to a version that is named`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    try Shell.run(service.database, "PRAGMA user_version = 0;")
    let hash = SHA256.hexadecimal(Array(service.database.utf8)).prefix(8)
    for version in 0...1 {
      let backup = "old/app-\(hash)-000\(version + 1)-v\(version).db"
      _ = try service.shell("mkdir -p old; cp data/app.db \(backup)")
      try Shell.run(service.scratch(backup), "PRAGMA user_version = \(version);")
    }
    let options = ["restore", "--database", "data/app.db", "--backup", "old", "--to"]

    let toOne = try service.uplift(options + ["1"])
    let version = try Shell.version(service.database)
    let toZero = try service.uplift(options + ["0"])

    #expect(toOne.status == 0 && version == 1)
    #expect(toZero.status == 0)
    #expect(try Shell.version(service.database) == 0)
  }

  @Test(.tags(.O1, .promise14)) func `runs no script if there is no room for the copy`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    try Shell.run(
      service.database, "CREATE TABLE filler (a); INSERT INTO filler VALUES (randomblob(300000));")
    let before = service.scratch.bytes("data/app.db")

    let outcome = try service.shell("ulimit -f 200; uplift up --backup old")

    #expect(outcome.status == 74)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("uplift: \"old\": "))
    #expect(service.scratch.bytes("data/app.db") == before)
    #expect(service.scratch.names("old") == [])
    #expect(service.scratch.names("data") == ["app.db"])
  }
}
