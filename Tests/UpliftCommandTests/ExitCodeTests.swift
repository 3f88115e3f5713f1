import Testing
import Uplift
import UpliftCommand
import UpliftSystem

struct ExitCodeTests {
  /// Every kind by its name in the command's JSON: programs depend on the names and the codes.
  private static let codes: [String: Int32] = [
    "failed": 1, "endless": 1, "path": 64, "scripts": 65, "seed": 65, "preparation": 65,
    "missing": 66,
    "disk": 74, "sqlite": 74, "busy": 75, "tooManyFiles": 75, "newer": 76,
    "tooOld": 76, "denied": 77,
    "damaged": 78, "unversioned": 78, "foreign": 78, "orphaned": 78, "moved": 78, "cancelled": 143,
  ]

  @Test(arguments: UpgradeError.Kind.allCases)
  func `follows from the kind of the error`(kind: UpgradeError.Kind) {
    let error = UpgradeError(kind, "words", fix: "do it")

    let report = ErrorReport(error, signal: nil)

    #expect(kind.exitCode == Self.codes[kind.rawValue])
    #expect(error.exitCode == kind.exitCode)
    #expect(report.exit.rawValue == kind.exitCode)
    #expect(report.kind == kind.rawValue)
    #expect(report.message == error.description)
    #expect(report.remedy == error.remedy)
  }

  @Test func `follows from the signal, if one stopped the upgrade`() {
    #expect(ExitCode(.cancelled(reached: 2), signal: .interrupt).rawValue == 130)
    #expect(ExitCode(.cancelled(reached: 2), signal: .terminate).rawValue == 143)
    #expect(ExitCode(.busy("x.db", reached: 2), signal: .interrupt).rawValue == 75)
  }
}
