import Foundation
import TestSupport
import Testing

struct OutputTests {
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["", "--json"])
  func `does the upgrade, and says that the result could not be written`(form: String) throws {
    let service = try Service.upToThree()

    let outcome = try service.shell("uplift \(form) >/dev/full")

    #expect(outcome.status == 74)
    #expect(
      outcome.errors == """
        uplift: standard output: No space left on device
        the work is done, but its result was not printed

        """)
    #expect(try Shell.version(service.database) == 3)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `does not exit with 10 if the list of pending scripts could not be printed`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell("uplift status --exit-code >/dev/full")

    #expect(outcome.status == 74)
  }

  @Test(.timeLimit(.minutes(10)))
  func `waits for a reader of standard output that does not block`() throws {
    let service = try Service(
      scripts: Dictionary(
        uniqueKeysWithValues: (2...300).map {
          ("\($0)_\(String(repeating: "x", count: 200)).sql", "")
        }))
    let pipe = Pipe()
    let end = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) == 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Command.product("uplift").path)
    process.arguments = ["status", "--json"]
    process.currentDirectoryURL = URL(fileURLWithPath: service.scratch.path)
    process.standardOutput = pipe

    try process.run()
    try pipe.fileHandleForWriting.close()
    usleep(100_000)
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()

    #expect(process.terminationStatus == 0)
    #expect(output.count > 65_536)
    #expect(try members(of: String(decoding: output, as: UTF8.self))["target"] as? Int == 300)
  }

  @Test(.timeLimit(.minutes(10)))
  func `prints no more results after one that could not be printed`() throws {
    let service = try Service(scripts: [
      "2_slow.sql": "CREATE TABLE first(a);" + Service.slow + Service.slow
    ])

    // The script makes a journal at once, and then takes its time. The pipe has no reader when the
    // first line is written, and one when the others would be.
    let outcome = try service.shell(
      """
      mkfifo pipe
      exec 3<>pipe
      exec 4>pipe
      exec 3<&-
      { '\(Command.product("uplift").path)' up >&4; echo $? >code; } &
      exec 4>&-
      while [ ! -e data/app.db-journal ] && [ ! -e code ]; do sleep 0.01; done
      exec 5<>pipe
      wait
      timeout 1 cat <&5
      cat code
      """)

    #expect(outcome.output == "74\n")
    #expect(try Shell.version(service.database) == 2)
  }

  @Test func `does the upgrade when nobody reads the result`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell("{ sleep 0.2; uplift; echo $? >&2; } | true")

    #expect(outcome.errors.hasSuffix("\n74\n"))
    #expect(try Shell.version(service.database) == 3)
  }

  /// The pipe is full, and its reader stands still.
  @Test func `ends after a signal although nobody takes the result`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell(
      """
      mkfifo full && exec 3<>full && head -c 65536 /dev/zero >&3
      uplift >&3 & upgrade=$!
      for i in $(seq 300); do
        [ "$(sqlite3 data/app.db 'PRAGMA user_version' 2>&1)" = 3 ] && break; sleep 0.1
      done
      pkill -TERM -P $upgrade; wait $upgrade; echo $?
      """)

    #expect(outcome.output == "74\n")
    #expect(outcome.errors.contains("the work is done, but its result was not printed"))
    #expect(try Shell.version(service.database) == 3)
  }

  @Test func `keeps the exit code of a script that failed`() throws {
    let service = try Service(scripts: ["2.sql": "nonsense;"])

    let outcome = try service.shell("uplift >/dev/full")

    #expect(outcome.status == 1)
  }

  @Test(.tags(.promise2))
  func
    `does the upgrade if standard input, output and error are closed, and writes into no other file`()
    throws
  {
    let service = try Service.upToThree()

    let outcome = try service.shell("uplift <&- >&- 2>&-")

    #expect(outcome == Outcome(status: 0, output: "", errors: ""))
    #expect(try Shell.run(service.database, "PRAGMA integrity_check;") == "ok")
    #expect(try Shell.version(service.database) == 3)
  }
}

private let script = "/usr/bin/script"

/// The output on a terminal, which the program `script` makes.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: script)))
struct TerminalTests {
  private let slow =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000000) "
    + "SELECT count(*) FROM n;"

  private func terminal(
    _ service: Service, _ arguments: String, _ environment: [String: String] = [:]
  ) throws -> [String] {
    let outcome = try Command(script).run(
      "-qec", "'\(Command.product("uplift").path)' up \(arguments)", "/dev/null",
      in: service.scratch.path,
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
    return outcome.output.components(separatedBy: "\r\n")
  }

  @Test(.timeLimit(.minutes(10)))
  func `shows progress in one line, and clears it before any other line is written`() throws {
    let service = try Service(scripts: ["2_slow.sql": slow, "3_slow.sql": slow])

    let lines = try terminal(service, "")

    // The part of each line that the terminal still shows at the end.
    let left = lines.map { line in
      line.components(separatedBy: "\r").reduce("") {
        $1.hasPrefix("\u{1b}[K") ? String($1.dropFirst(3)) : $1
      }.replacing(#/ \([0-9.]+ s\)/#, with: "")
    }
    #expect(
      left == [
        "seeded data/app.db at 1", "applied 2_slow.sql", "applied 3_slow.sql",
        "data/app.db is at 3", "",
      ])
    #expect(lines.joined().contains("\r2_slow.sql 1/2 [....................] 0%\u{1b}[K"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `has a line as long as the terminal is wide, not as it is high`() throws {
    let service = try Service(scripts: ["2_slow.sql": slow, "3_slow.sql": slow])

    let outcome = try Command(script).run(
      "-qec", "stty rows 24 cols 60; '\(Command.product("uplift").path)' up", "/dev/null",
      in: service.scratch.path, environment: ["TERM": "xterm"])

    #expect(outcome.output.contains("\r2_slow.sql 1/2 [....................] 0%\u{1b}[K"))
  }

  @Test func `has colour in an error, unless NO_COLOR is set or the terminal is dumb`() throws {
    let service = try Service(scripts: ["2.sql": "nonsense;"])

    let coloured = try terminal(service, "")
    let plain = try terminal(service, "", ["NO_COLOR": "1"])
    let dumb = try terminal(service, "", ["TERM": "dumb"])

    #expect(coloured.joined().contains("\u{1b}[1;31muplift:"))
    #expect(!plain.joined().contains("\u{1b}"))
    #expect(!dumb.joined().contains("\u{1b}"))
  }

  /// SQLite calls nobody while a function of SQL runs, and while it sorts.
  @Test(.timeLimit(.minutes(10)))
  func `counts the seconds while one statement runs, although SQLite reports nothing`() throws {
    let part = "length(replace(hex(zeroblob(20000000)), '00', 'x'))"
    let service = try Service(scripts: [
      "2_long.sql": "SELECT \(Array(repeating: part, count: 30).joined(separator: ", "));"
    ])

    let lines = try terminal(service, "")

    for seconds in 2...3 {
      #expect(lines.joined().contains("] 0%, still running (\(seconds) s)"))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `shows how much of a script has run`() throws {
    let statement = "SELECT '" + String(repeating: "x", count: 10_000) + "';\n"
    let service = try Service(scripts: ["2_slow.sql": statement + slow + "\n" + statement])

    let lines = try terminal(service, "")

    #expect(lines.joined().contains("\r2_slow.sql 1/1 [#########...........] 49%"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `shows no progress on a terminal that cannot move its cursor`() throws {
    let service = try Service(scripts: ["2_slow.sql": slow])

    let lines = try terminal(service, "", ["TERM": "dumb"])

    #expect(!lines.joined().contains("\u{1b}"))
  }

  @Test(.timeLimit(.minutes(10))) func `shows no progress with --quiet`() throws {
    let service = try Service(scripts: ["2_slow.sql": slow])

    let lines = try terminal(service, "--quiet")

    #expect(!lines.joined().contains("\u{1b}"))
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: ["-9223372036854775808", "99999999999999999999", "-1", "0", "", "x"])
  func `ignores a number of columns that no terminal can have`(columns: String) throws {
    let service = try Service(scripts: ["2_slow.sql": slow])

    let lines = try terminal(service, "", ["COLUMNS": columns])

    #expect(lines.joined().contains("\r2_slow.sql 1/1 [....................] 0%\u{1b}[K"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `leaves the last column free, because some terminals begin a new line after it`() throws {
    let service = try Service(scripts: ["2_slow_and_with_a_long_name.sql": slow])

    let lines = try terminal(service, "", ["COLUMNS": "20"])

    #expect(lines.joined().contains("\r2_slow_and_… 1/1 0%\u{1b}[K"))
  }
}
