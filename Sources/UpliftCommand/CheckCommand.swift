internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift check`: tries everything before a release.
struct CheckCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    StopSignals.listen()
    var report = CheckReport()
    do throws(ErrorReport) {
      try check(&report)
    } catch {
      if arguments.isJSON { console.result(JSON(report, error).text) }
      console.show(error)
      return console.finish(with: error.exit)
    }
    if arguments.isJSON {
      console.result(JSON(report, nil).text)
    } else {
      show(report)
    }
    return console.finish(with: isClean(report) ? .success : .resources)
  }

  private func isClean(_ report: CheckReport) -> Bool {
    report.findings.allSatisfy { $0.severity == .note && !arguments.isStrict }
  }

  private func check(_ report: inout CheckReport) throws(ErrorReport) {
    let upgrader = try Shipment(arguments, programsUpgrader).upgrader
    let progress = ProgressDisplay(of: "the copy", on: console)
    do {
      report.findings = try upgrader.check(
        fixtures: arguments.fixtures, isCancelled: { StopSignals.first != nil },
        onEvent: { progress.show($0) })
      // Nothing is recorded if the check fails, because such scripts are not released.
      if arguments.recordsScripts, isClean(report) {
        report.recorded = try upgrader.recordScripts()
      }
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func show(_ report: CheckReport) {
    // With `--strict`, a note is the reason for the exit code, as an error is.
    let showsNotes = !arguments.isQuiet || arguments.isStrict
    for finding in report.findings where showsNotes || finding.severity == .error {
      console.show(finding)
    }
    if arguments.isQuiet { return }
    for file in report.recorded {
      let scripts = file.count == 1 ? "1 script" : "\(file.count) scripts"
      console.result("recorded \(scripts) in \(file.path)".printable)
    }
    console.result(report.summary)
  }
}

/// The findings of a check, and the lock files that it has written.
struct CheckReport {
  var findings: [Finding] = []
  var recorded: [LockedScripts] = []

  var summary: String {
    if findings.isEmpty { return "nothing found" }
    let errors = findings.count { $0.severity == .error }
    let notes = findings.count - errors
    return [(errors, "error"), (notes, "note")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
  }
}

extension Console {
  /// Shows a finding in the form of an error.
  func show(_ finding: Finding) {
    let from = finding.startingPoints.joined(separator: ", ")
    result(
      "\(finding.severity.rawValue): \(finding)\(from.isEmpty ? "" : " (from \(from))")".printable)
    if let excerpt = finding.place.excerpt {
      let shown = TerminalExcerpt(of: excerpt.text, at: excerpt.caret)
      result(shown.text)
      result(shown.padding + "^")
    }
    result("  \(finding.remedy)".printable)
  }
}

extension JSON {
  /// The object that `uplift check --json` prints.
  ///
  /// - `command`: `"check"`
  /// - `findings`: each with `kind`, `severity` (`"error"` or `"note"`), `file`, `line`, `column`,
  ///   `message`, `text`, `caret`, `remedy` and `startingPoints`; a member that is not known is
  ///   null
  /// - `recorded`: the lock files that were written, each with its `file` and the number of
  ///   `scripts`
  /// - `error`: on failure only; see `ErrorReport+JSON.swift`
  init(_ report: CheckReport, _ error: ErrorReport?) {
    var members: [(name: String, value: JSON)] = [
      ("command", .string("check")),
      ("findings", .array(report.findings.map { JSON($0) })),
      (
        "recorded",
        .array(
          report.recorded.map { file in
            .object([("file", .string(file.path)), ("scripts", .number(Int64(file.count)))])
          })
      ),
    ]
    if let error { members.append(("error", JSON(error))) }
    self = .object(members)
  }

  private init(_ finding: Finding) {
    self = .object([
      ("kind", .string(finding.kind.rawValue)),
      ("severity", .string(finding.severity.rawValue)),
      ("file", .string(finding.place.file)),
      ("line", JSON(finding.place.line)),
      ("column", JSON(finding.place.column)),
      ("message", .string(finding.words)),
      ("text", JSON(finding.place.excerpt?.text)),
      ("caret", JSON(finding.place.excerpt?.caret)),
      ("remedy", .string(finding.remedy)),
      ("startingPoints", .array(finding.startingPoints.map { .string($0) })),
    ])
  }
}
