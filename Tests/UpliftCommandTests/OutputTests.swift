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
        the result was not printed; uplift status says what is there

        """)
    #expect(try Shell.version(service.database) == 3)
  }

  @Test func `does the upgrade when nobody reads the result`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell("{ sleep 0.2; uplift; echo $? >&2; } | true")

    #expect(outcome.errors.hasSuffix("\n74\n"))
    #expect(try Shell.version(service.database) == 3)
  }

  @Test func `keeps the exit code of a script that failed`() throws {
    let service = try Service(scripts: ["2.sql": "nonsense;"])

    let outcome = try service.shell("uplift >/dev/full")

    #expect(outcome.status == 1)
  }

  @Test(.tags(.promise2))
  func `does the upgrade where the standard files are closed, and lets no file be one`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell("uplift --progress always <&- >&- 2>&-")

    #expect(outcome == Outcome(status: 0, output: "", errors: ""))
    #expect(try Shell.run(service.database, "PRAGMA integrity_check;") == "ok")
    #expect(try Shell.version(service.database) == 3)
  }
}

private let script = "/usr/bin/script"

/// What a terminal gets, by way of the one that `script` makes.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: script)))
struct TerminalTests {
  private let slow =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000000) "
    + "SELECT count(*) FROM n;"

  private func terminal(
    _ service: Service, _ arguments: String, _ environment: [String: String] = [:]
  ) throws -> [String] {
    let outcome = try Command(script).run(
      "-qec", "'\(Command.product("uplift").path)' \(arguments)", "/dev/null",
      in: service.scratch.path,
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
    return outcome.output.components(separatedBy: "\r\n")
  }

  @Test(.timeLimit(.minutes(10)))
  func `shows progress in one line, which is gone before any other is written`() throws {
    let service = try Service(scripts: ["2_slow.sql": slow, "3_slow.sql": slow])

    let lines = try terminal(service, "")

    // What is left of each line once the terminal has done what it was told.
    let left = lines.map { line in
      line.components(separatedBy: "\r").reduce("") {
        $1.hasPrefix("\u{1b}[K") ? String($1.dropFirst(3)) : $1
      }
    }
    #expect(
      left == [
        "seeded data/app.db at 1", "applied 2_slow.sql", "applied 3_slow.sql",
        "data/app.db is at 3", "",
      ])
    #expect(lines.joined().contains("\r2_slow.sql 1/2 [....................] 0%\u{1b}[K"))
  }

  @Test func `has colour in an error, unless NO_COLOR or a dumb terminal asks for none`() throws {
    let service = try Service(scripts: ["2.sql": "nonsense;"])

    let coloured = try terminal(service, "")
    let plain = try terminal(service, "", ["NO_COLOR": "1"])
    let dumb = try terminal(service, "", ["TERM": "dumb"])

    #expect(coloured.joined().contains("\u{1b}[1;31muplift:"))
    #expect(!plain.joined().contains("\u{1b}"))
    #expect(!dumb.joined().contains("\u{1b}"))
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["--progress never", "--quiet"])
  func `shows no progress where it is told not to`(option: String) throws {
    let service = try Service(scripts: ["2_slow.sql": slow])

    let lines = try terminal(service, option)

    #expect(!lines.joined().contains("\u{1b}"))
  }
}
