import Foundation
import TestSupport
import Testing

struct StopTests {
  private static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"

  @Test(
    .tags(.S15, .promise6), .timeLimit(.minutes(10)),
    arguments: [("INT", 130), ("TERM", 143), ("HUP", 143)] as [(String, Int32)])
  func `stops in the middle of an endless statement, at the last commit`(
    signal: String, exit: Int32
  ) throws {
    let service = try Service.upToThree()
    try service.ship("4_endless.sql", "CREATE TABLE four (a);\n" + Self.endless)

    let clock = ContinuousClock()
    var outcome = Outcome(status: 0, output: "", errors: "")
    let duration = try clock.measure {
      outcome = try service.shell(
        "exec timeout -k 20 -s \(signal) --preserve-status 0.5 '\(Command.product("uplift").path)' up"
      )
    }

    #expect(duration < .seconds(10))
    #expect(
      outcome
        == Outcome(
          status: exit,
          output: """
            seeded data/app.db at 1

            """,
          errors: "uplift: cancelled; the database is at 1\nstart again to continue\n"))
    #expect(try Shell.version(service.database) == 1)
    #expect(try Shell.run(service.database, ".tables") == "guests")
    #expect(service.scratch.names("data") == ["app.db"])
  }

  @Test(.timeLimit(.minutes(10)), arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `stops a bake, and leaves the seed as it was`(signal: String, exit: Int32) throws {
    let service = try Service(scripts: ["2_endless.sql": Self.endless])
    let before = service.scratch.bytes("Resources/app.db")

    let outcome = try service.shell(
      "SQLITE_TMPDIR=$PWD exec timeout -k 20 -s \(signal) --preserve-status 0.5 "
        + "'\(Command.product("uplift").path)' bake")

    #expect(
      outcome
        == Outcome(
          status: exit, output: "",
          errors: "uplift: cancelled, and no file was changed\nstart again\n"))
    #expect(service.scratch.bytes("Resources/app.db") == before)
    #expect(service.scratch.names() == ["Resources"])
    #expect(service.scratch.names("Resources") == ["Migrations", "app.db"])
  }

  @Test(.tags(.S15), .timeLimit(.minutes(10)))
  func `stops at a signal that was blocked before it began`() throws {
    let service = try Service(scripts: ["2_endless.sql": Self.endless])

    let outcome = try service.shell(
      """
      exec timeout -k 10 -s TERM --preserve-status 0.3 \
        env --block-signal=TERM '\(Command.product("uplift").path)' up
      """)

    #expect(outcome.status == 143)
  }

  @Test(.tags(.S15), .timeLimit(.minutes(10)))
  func `ends with the code of the first signal, whatever comes after it`() throws {
    let service = try Service(scripts: ["2_endless.sql": "CREATE TABLE two (a);\n" + Self.endless])
    let uplift = try Command.product("uplift").start(["up"], in: service.scratch.path)
    try waitUntil { !uplift.isRunning || service.scratch.bytes("data/app.db-journal") != nil }

    // Of two signals that wait to be delivered, the one with the lower number comes first.
    uplift.interrupt()
    uplift.terminate()
    let outcome = try uplift.wait()

    #expect(outcome.status == 130)
  }

  /// SIGQUIT is for a program that hangs: it ends the program at once.
  @Test(.tags(.S15), .timeLimit(.minutes(10)))
  func `ends at SIGQUIT without a message, and the next boot goes on`() throws {
    let service = try Service(scripts: ["2_endless.sql": "CREATE TABLE two (a);\n" + Self.endless])

    let outcome = try service.shell(
      """
      ulimit -c 0
      SWIFT_BACKTRACE=enable=yes exec timeout -k 10 -s QUIT --preserve-status 0.5 \
        '\(Command.product("uplift").path)' up
      """)
    try service.ship("2_endless.sql", "CREATE TABLE two (a);")
    let next = try service.uplift()

    #expect(outcome.output == "seeded data/app.db at 1\n")
    #expect(outcome.status == 131)
    #expect(outcome.errors == "")
    #expect(next.status == 0)
    #expect(try Shell.run(service.database, "SELECT count(*) FROM two") == "0")
  }

  @Test(.tags(.S15), .timeLimit(.minutes(10)))
  func `stops waiting for a lock`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")

    let outcome = try service.shell(
      """
      (echo 'BEGIN IMMEDIATE;'; sleep 3) | /usr/bin/sqlite3 data/app.db &
      sleep 0.3
      '\(Command.product("uplift").path)' up & sleep 0.5; kill -TERM $!; wait $!
      """)

    #expect(outcome.status == 143)
    #expect(outcome.errors.hasPrefix("uplift: cancelled"))
  }

  @Test(.timeLimit(.minutes(10)), arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
  func `stops a restore that waits for a lock`(signal: String, exit: Int32) throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")
    _ = try service.uplift("up", "--backup", "old")

    let outcome = try service.shell(
      """
      (echo 'BEGIN IMMEDIATE;'; sleep 3) | /usr/bin/sqlite3 data/app.db &
      sleep 0.3
      timeout -k 20 -s \(signal) --preserve-status 0.5 \
        '\(Command.product("uplift").path)' restore --backup old
      """)

    #expect(outcome.status == exit)
    #expect(try Shell.version(service.database) == 3)
  }

  @Test(.timeLimit(.minutes(10)))
  func `does not stop at a signal that was ignored before it began`() throws {
    let service = try Service(scripts: ["2.sql": Self.sleeping])

    let outcome = try service.shell(
      """
      trap '' HUP
      '\(Command.product("uplift").path)' up & sleep 0.2; kill -HUP $!; wait $!
      """)

    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("data/app.db is at 2\n"))
  }

  /// A statement that takes some seconds.
  private static let sleeping =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) "
    + "SELECT count(*) FROM n;"
}
