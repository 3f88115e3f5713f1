internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift status`: reports the version and the pending scripts, and changes nothing.
///
/// If an upgrade would be refused, it also reports that error and ends with its exit code.
struct StatusCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    let invocation: Invocation
    do {
      invocation = try Invocation(arguments, programsUpgrader)
    } catch {
      return report(error, nil)
    }
    do {
      var report = StatusReport(try invocation.upgrader.status(), invocation)
      if arguments.verifies { verify(invocation.upgrader, &report) }
      return self.report(report)
    } catch {
      return report(ErrorReport(error, signal: nil), invocation)
    }
  }

  /// Compares the schema, unless an upgrade would refuse the database anyway.
  private func verify(_ upgrader: Upgrader, _ report: inout StatusReport) {
    guard report.error == nil else { return }
    // The files on which the scripts run must be removed even after a signal.
    StopSignals.listen()
    do {
      report.verification = try upgrader.verify(isCancelled: { StopSignals.first != nil })
      if report.verification == nil {
        report.error = ErrorReport(nothingToVerify: report.database, isThere: report.isThere)
      }
    } catch {
      report.error = ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func report(_ report: StatusReport) -> ExitCode {
    if arguments.isJSON {
      console.result(JSON(report, verifies: arguments.verifies).text)
    } else if !arguments.isQuiet {
      for line in report.lines { console.result(line.printable) }
    }
    if let error = report.error {
      console.show(error)
      return console.finish(with: error.exit)
    }
    if report.verification?.fits == false { return console.finish(with: .different) }
    return console.finish(
      with: arguments.wantsExitCode && !report.status.isCurrent ? .pending : .success)
  }

  /// Reports an error, and as much of the status as could be read.
  private func report(_ error: ErrorReport, _ invocation: Invocation?) -> ExitCode {
    let database = invocation?.database
    let found = glance(invocation?.upgrader, error.exit)
    if arguments.isJSON {
      let target = invocation.map { $0.upgrader.knownTarget() } ?? arguments.target
      let report = JSON(error, database, found.exists, found.version, target: target)
      console.result(report.text)
    } else if !arguments.isQuiet, let database, let exists = found.exists {
      let version = exists ? found.version.map { "\($0)" } ?? "not known" : "not there"
      console.result("database  \(database)".printable)
      console.result("version   \(version)")
    }
    console.show(error)
    return console.finish(with: error.exit)
  }

  /// Reads the version of the database alone, which works even if the scripts or the seed cannot be
  /// read.
  private func glance(
    _ upgrader: Upgrader?, _ exit: ExitCode
  ) -> (exists: Bool?, version: Version?) {
    guard let upgrader else { return (nil, nil) }
    switch exit {
    case .unusable: return (true, nil)
    // Reading would only wait a second time.
    case .busy: return (nil, nil)
    default: return upgrader.glance()
    }
  }
}

extension ErrorReport {
  /// The error of `--verify` if there is nothing to compare.
  fileprivate init(nothingToVerify database: String, isThere: Bool) {
    guard isThere else {
      self.init(.missingDatabase(database), signal: nil)
      return
    }
    self.init(
      kind: "missing", message: "\"\(database)\" holds nothing, so there is no schema to compare",
      remedy: "run uplift up, which fills it", exit: .missing)
  }
}
