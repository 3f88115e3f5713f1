internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift check`: tries everything before a release.
///
/// `uplift release` records the release, too.
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
      if arguments.isJSON { console.result(JSON(report, of: arguments.verb, error).text) }
      console.show(error)
      return console.finish(with: error.exit)
    }
    if arguments.isJSON {
      console.result(JSON(report, of: arguments.verb, nil).text)
    } else {
      show(report)
    }
    return console.finish(with: report.check.findings.isEmpty ? .success : .resources)
  }

  private func check(_ report: inout CheckReport) throws(ErrorReport) {
    let upgrader = try Shipment(arguments, programsUpgrader).upgrader
    let progress = ProgressDisplay(of: "the copy", on: console)
    do {
      if arguments.verb == .release {
        let release = try upgrader.release(
          released: arguments.released, fixtures: arguments.fixtures,
          isCancelled: { StopSignals.first != nil }, onEvent: { progress.show($0) })
        report.check = release.check
        report.release = release
      } else {
        report.check = try upgrader.check(
          released: arguments.released, fixtures: arguments.fixtures,
          isCancelled: { StopSignals.first != nil }, onEvent: { progress.show($0) })
      }
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func show(_ report: CheckReport) {
    for finding in report.check.findings { console.show(finding) }
    if arguments.isQuiet { return }
    for finding in report.check.notTried {
      console.result("not tried: \(finding)".printable)
      console.result("  \(finding.remedy)".printable)
    }
    if report.release?.version == nil { console.result(report.summary) }
    guard let release = report.release, let version = release.version else { return }
    for file in release.files { console.result("wrote \(file)".printable) }
    console.result(
      release.files.isEmpty ? "\(version) is released already" : "\(version) is released")
  }
}

/// The findings of a check, and what a release has recorded.
struct CheckReport {
  var check = Check(findings: [], notTried: [])
  /// Nil for `check`.
  var release: Release?

  var summary: String {
    switch check.findings.count {
    case 0: "nothing found"
    case 1: "1 finding"
    case let count: "\(count) findings"
    }
  }
}

extension Console {
  /// Shows a finding in the form of an error.
  func show(_ finding: Finding) {
    let from = finding.startingPoints.joined(separator: ", ")
    result(
      "\(finding.kind.rawValue): \(finding)\(from.isEmpty ? "" : " (from \(from))")".printable)
    if let excerpt = finding.place.excerpt {
      let shown = TerminalExcerpt(of: excerpt.text, at: excerpt.caret)
      result(shown.text)
      result(shown.padding + "^")
    }
    result("  \(finding.remedy)".printable)
  }
}

extension JSON {
  /// The object that `uplift check --json` and `uplift release --json` print.
  ///
  /// - `command`: `"check"` or `"release"`
  /// - `findings`, `notTried`: each with `kind`, `file`, `line`, `column`, `message`, `text`, `caret`,
  ///   `remedy` and `startingPoints`; a member that is not known is null
  /// - `version`, `files`: for `release`; the version that is released, null if a finding forbids
  ///   it; and the paths of the files that were written
  /// - `error`: on failure only; see `ErrorReport+JSON.swift`
  init(_ report: CheckReport, of verb: Verb, _ error: ErrorReport?) {
    var members: [(name: String, value: JSON)] = [
      ("command", .string(verb.rawValue)),
      ("findings", .array(report.check.findings.map { JSON($0) })),
      ("notTried", .array(report.check.notTried.map { JSON($0) })),
    ]
    if verb == .release {
      members += [
        ("version", JSON(report.release?.version)),
        ("files", .array((report.release?.files ?? []).map { .string($0) })),
      ]
    }
    if let error { members.append(("error", JSON(error))) }
    self = .object(members)
  }

  private init(_ finding: Finding) {
    self = .object([
      ("kind", .string(finding.kind.rawValue)),
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
