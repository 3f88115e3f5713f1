import Testing
import Uplift
import UpliftCommand
import UpliftSystem

struct ExitCodeTests {
  private static let failure = UpgradeError.Failure(
    script: "2.sql", line: 1, column: 1, text: "x", reason: .uncommitted, reached: 1)

  /// Every case of the error, with the name that programs know it by.
  static let table: [(error: UpgradeError, exit: Int32, kind: String)] = [
    (.scriptName(file: "x.sql", .noNumber), 65, "scriptName"),
    (.duplicate(2, first: "2.sql", second: "02.sql"), 65, "duplicate"),
    (.mixedNumbers(plain: "2.sql", dotted: "1.2.sql"), 65, "mixedNumbers"),
    (.scriptText(file: "2.sql", line: 1, column: 1, .zeroByte), 65, "scriptText"),
    (.targetNotShipped(9, newest: 3), 65, "targetNotShipped"),
    (.gap(database: 1, seed: 3), 65, "gap"),
    (.seed(file: "s.db", .empty), 65, "seed"),
    (.seedNewer(seed: 3, target: 2), 65, "seedNewer"),
    (.missing(.seed, path: "s.db"), 66, "missing"),
    (.missing(.migrations, path: "M"), 66, "missing"),
    (.missing(.database, path: "x.db"), 66, "missing"),
    (.missing(.extension, path: "x.so"), 66, "missing"),
    (.preparation("no licence", reached: 2), 65, "preparation"),
    (.failed(failure), 1, "failed"),
    (.disk(path: "x.db", words: "full", failure: nil), 74, "disk"),
    (.disk(path: "x.db", words: "full", failure: failure), 74, "disk"),
    (.busy(path: "x.db", reached: nil), 75, "busy"),
    (.busy(path: "x.db", reached: 2), 75, "busy"),
    (.denied(path: "x.db", words: "denied"), 77, "denied"),
    (.readOnly(path: "x.db"), 77, "readOnly"),
    (.unreadable(path: "s.db", words: "denied"), 77, "unreadable"),
    (.tooManyFiles(path: "x.db", words: "many"), 75, "tooManyFiles"),
    (.path("x.db", .linkLoop), 66, "path"),
    (.path("x.db", .noWorkingDirectory), 66, "path"),
    (.path("x.db", .nameTooLong), 64, "path"),
    (.path("x.db", .directoryForJournal), 64, "path"),
    (.path("file:x.db", .address), 64, "path"),
    (.path("x.db", .isSeed), 64, "path"),
    (.path("x.db", .danglingLink(target: "y.db")), 66, "path"),
    (.path("", .empty), 64, "path"),
    (.path("x.db", .tooLong(bytes: 600)), 64, "path"),
    (.path("x.db", .zeroByte), 64, "path"),
    (.path("x.db", .isDirectory), 64, "path"),
    (.path("x.db", .notAFile), 64, "path"),
    (.path("x.db", .parentNotADirectory("d")), 64, "path"),
    (.sqlite(path: "x.db", code: 1, words: "error"), 74, "sqlite"),
    (.newer(database: 4, target: 3), 76, "newer"),
    (.invalid(version: -1), 78, "invalid"),
    (.damaged(path: "x.db", .empty), 78, "damaged"),
    (.unversioned(path: "x.db", seed: 1), 78, "unversioned"),
    (.foreign(path: "x.db", applicationID: 1, expected: 2), 78, "foreign"),
    (.orphaned(journal: "x.db-wal"), 78, "orphaned"),
    (.moved(path: "x.db", reached: 2), 78, "moved"),
    (.cancelled(reached: 2), 143, "cancelled"),
    (.cancelled(reached: nil), 143, "cancelled"),
  ]

  @Test(arguments: table.indices)
  func `follows from the error`(row: Int) {
    let (error, exit, kind) = Self.table[row]

    let report = ErrorReport(error, signal: nil)

    #expect((error.exitCode, error.kind) == (exit, kind), "\(error)")
    #expect(report.exit.rawValue == exit, "\(error)")
    #expect(report.kind == kind, "\(error)")
    #expect(report.message == error.description)
    #expect(report.remedy == error.remedy)
  }

  @Test func `follows from the signal, if one stopped the upgrade`() {
    #expect(ExitCode(.cancelled(reached: 2), signal: .interrupt).rawValue == 130)
    #expect(ExitCode(.cancelled(reached: 2), signal: .terminate).rawValue == 143)
    #expect(ExitCode(.busy(path: "x.db", reached: 2), signal: .interrupt).rawValue == 75)
  }
}
