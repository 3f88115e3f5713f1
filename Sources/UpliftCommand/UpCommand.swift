internal import Uplift
internal import UpliftSystem

/// `uplift up`: runs the upgrade, and prints each step when it is committed.
struct UpCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    StopSignals.listen()
    var report = UpReport(target: arguments.target)
    do throws(ErrorReport) {
      try upgrade(&report)
    } catch {
      report.fail(error)
      console.show(error)
    }
    if arguments.isJSON { console.result(JSON(report).text) }
    return console.finish(with: report.error?.exit ?? .success)
  }

  private func upgrade(_ report: inout UpReport) throws(ErrorReport) {
    let invocation = try Invocation(arguments, programsUpgrader)
    report.begin(invocation.database)
    let temporaryFiles = TemporaryFiles(besideDatabase: invocation.database)
    // A copy, because an escaping closure cannot capture an inout parameter.
    var copy = report
    defer { report = copy }
    let progress = ProgressDisplay(of: invocation.database, on: console)
    do {
      let upgrade = try invocation.upgrader.upgrade(
        isCancelled: { StopSignals.first != nil }
      ) { event in
        if case .started(let script) = event, script.index == 1 {
          temporaryFiles.discardLeftovers()
        }
        progress.show(event)
        for line in shown(copy.note(event)) { console.resultWithoutWaiting(line) }
      }
      for line in shown(copy.finish(upgrade)) { console.result(line) }
    } catch {
      copy.target = invocation.upgrader.knownTarget()
      throw ErrorReport(
        error, signal: StopSignals.first, of: invocation.upgrader, arguments)
    }
  }

  private func shown(_ lines: [String]) -> [String] {
    arguments.isJSON || arguments.isQuiet ? [] : lines.map(\.printable)
  }
}
