import Foundation
import TestSupport
import Testing

/// `uplift up --backup DIR`, as its users see it.
struct BackupCommandTests {
  @Test func `names the copy, and keeps as many as it is told`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")

    let first = try service.uplift("up", "--backup", "old", "--keep", "1", "--target", "2")
    let second = try service.uplift("up", "--backup", "old", "--keep", "1", "--json")
    let third = try service.uplift("up", "--backup", "old")

    #expect(
      first
        == Outcome(
          status: 0,
          output: """
            copied data/app.db at 1 to old/app-1.db
            applied 0002_add_visits.sql
            data/app.db is at 2

            """, errors: ""))
    #expect(second.output.contains(#""created":false,"backup":"old/app-2.db","end":3"#))
    #expect(third == Outcome(status: 0, output: "data/app.db is at 3\n", errors: ""))
    #expect(service.scratch.names("old") == ["app-2.db"])
  }

  /// The copy from before the script without a transaction is gone at the end.
  @Test(.tags(.promise14)) func `names the copy from before the first script`() throws {
    let service = try Service.upToThree()
    try service.ship("0004_pack.sql", "-- uplift: no-transaction\nVACUUM;")
    _ = try service.uplift("--target", "1")

    let outcome = try service.uplift("up", "--backup", "old", "--json")

    #expect(outcome.output.contains(#""backup":"old/app-1.db""#), "\(outcome)")
    #expect(service.scratch.names("old") == ["app-1.db"])
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
    #expect(lines.first == "copied data/app.db at 1 to old/app-1.db")
    #expect(lines.dropFirst(lines.count - 2) == ["data/app.db is at 3", "3 0"])
  }

  @Test(.tags(.promise15)) func `goes back to a backup, and says where the rest is`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    _ = try service.uplift("up", "--backup", "old")
    try Shell.run(service.database, "INSERT INTO visits VALUES ('late');")

    _ = try service.shell("touch -d @1763294400 old/app-1.db")
    let newer = try service.uplift("up", "--backup", "old", "--target", "2")
    _ = try service.shell("cp -rp old ./-old")
    let dashed = try service.uplift("up", "--backup=-old", "--target", "2")
    // The bell cannot be shown, so the command would name another file.
    _ = try service.shell("cp -rp old old$(printf '\\a')")
    let hidden = try service.uplift("up", "--backup", "old\u{07}", "--target", "2")
    let unusable = try ["application_id", "user_version"].map { pragma in
      _ = try service.shell("rm -rf other; cp -rp old other")
      _ = try service.shell("sqlite3 other/app-1.db 'PRAGMA \(pragma) = 2'")
      return try service.uplift("up", "--backup", "other", "--target", "2")
    }
    let text = try service.uplift("restore", "--backup", "old")
    _ = try service.shell("touch -d @1763300000 old/app-1.db")
    let json = try service.uplift("restore", "--backup", "old", "--to", "1", "--json")
    let nowhere = try service.uplift("restore", "--backup", "nowhere")
    let without = try service.uplift("restore")

    for outcome in unusable + [hidden] { #expect(!outcome.errors.contains("uplift restore")) }
    #expect(dashed.errors.hasSuffix(": uplift restore --target 2 --backup=-old\n"))
    #expect(newer.status == 76)
    #expect(
      newer.errors == """
        uplift: the database is at 3, newer than the target 2
        start the newer program, or go back to "old/app-1.db": uplift restore --target 2 --backup old

        """)
    #expect(
      text
        == Outcome(
          status: 0,
          output: """
            restored data/app.db to 1 from old/app-1.db, which was made at 2025-11-16T12:00:00Z
            the old content, with the rows written after the backup, is in old/app-3-replaced.db

            """, errors: ""))
    #expect(
      json.output == #"""
        {"command":"restore","database":"data/app.db","version":1,"backup":"old/app-1.db",\#
        "made":"2025-11-16T13:33:20Z","replaced":"old/app-1-replaced.db"}

        """#)
    #expect(nowhere.status == 66)
    #expect(nowhere.errors.hasPrefix("uplift: \"nowhere\" has no backup to put back\n"))
    #expect(
      without
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: restore has no directory of backups
            name it with --backup DIR, as for uplift up

            """))
    #expect(try Shell.run(service.database, ".tables") == "guests")
  }

  @Test(.tags(.O9, .promise15)) func `leaves nothing behind if the disk fails during a restore`()
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
    #expect(service.scratch.names("old") == ["app-1.db"])
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

  /// The message has two forms of the number; a user can type each, and not both.
  @Test(.tags(.promise15)) func `goes back with the command of the message, if numbers have dots`()
    throws
  {
    let service = try Service(
      scripts: ["1.0_a.sql": "CREATE TABLE a(b);", "1.1_b.sql": "CREATE TABLE b(c);"])
    _ = try service.uplift(
      "--database", "app.db", "--migrations", "Resources/Migrations", "--target", "1.0")
    _ = try service.uplift(
      "--database", "app.db", "--migrations", "Resources/Migrations", "--backup", "old")

    let newer = try service.uplift(
      "--database", "app.db", "--migrations", "Resources/Migrations", "--backup", "old", "--target",
      "1.0")
    let words = try #require(newer.errors.split(separator: ": uplift ").last).dropLast()
    let restore = try service.shell("uplift \(words)")

    #expect(newer.status == 76)
    #expect(
      words
        == "restore --database app.db --migrations Resources/Migrations --target 1.0 --backup old")
    #expect(restore.status == 0)
    #expect(try Shell.version(service.scratch("app.db")) == 1_000_000)
  }

  @Test func `needs neither scripts nor a seed to go back to a version that is named`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")
    try Shell.run(service.database, "PRAGMA user_version = 0;")
    _ = try service.shell("mkdir old; cp data/app.db old/app-0.db; cp data/app.db old/app-1.db")
    try Shell.run(service.scratch("old/app-1.db"), "PRAGMA user_version = 1;")
    let options = ["restore", "--database", "data/app.db", "--backup", "old", "--to"]

    let toOne = try service.uplift(options + ["1"])
    let version = try Shell.version(service.database)
    let toZero = try service.uplift(options + ["0"])

    #expect(toOne.status == 0 && version == 1)
    #expect(toZero.status == 0)
    #expect(try Shell.version(service.database) == 0)
  }

  @Test(.tags(.O3, .O11), .enabled(if: geteuid() == 0, "only root can be another user"))
  func `says so if it cannot remove what a killed process has left`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target", "1")

    let outcome = try service.shell(
      """
      chmod 755 .
      mkdir old
      echo half > old/app-1.db.uplift-part
      chown -R 65534 data old/app-1.db.uplift-part
      setpriv --reuid 65534 --clear-groups timeout -k 1 60 '\(Command.product("uplift").path)' \
        up --backup old --wait 2
      """)

    #expect(outcome.status == 77)
    #expect(outcome.errors.contains("old/app-1.db.uplift-part\": "))
    #expect(try Shell.version(service.database) == 1)
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
    #expect(outcome.errors.hasPrefix("uplift: \"old/app-1.db.uplift-part\": "))
    #expect(service.scratch.bytes("data/app.db") == before)
    #expect(service.scratch.names("old") == [])
    #expect(service.scratch.names("data") == ["app.db"])
  }
}
