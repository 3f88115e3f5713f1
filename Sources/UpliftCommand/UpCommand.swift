internal import Uplift
internal import UpliftSystem

/// `uplift up`: brings the database up, and tells what was done as it is done.
struct UpCommand {
  let arguments: Arguments
  let console: Console

  func run() -> ExitCode {
    StopSignals.listen()
    Upgrader.haveProcessToItself()
    var report = UpReport(target: arguments.target)
    do throws(Complaint) {
      try upgrade(&report)
    } catch {
      report.fail(error)
      console.complain(error)
    }
    if arguments.isJSON { console.result(JSON(report).text) }
    return console.exit(report.complaint?.exit ?? .success)
  }

  private func upgrade(_ report: inout UpReport) throws(Complaint) {
    let invocation = try Invocation(arguments)
    report.begin(invocation.database)
    let temporaryFiles = TemporaryFiles(besideDatabase: invocation.database)
    // The closure outlives an inout parameter as far as the compiler knows.
    var heard = report
    defer { report = heard }
    let progress = ProgressDisplay(of: invocation.database, on: console)
    do {
      let upgrade = try invocation.upgrader.upgrade(isCancelled: { StopSignals.latest != nil }) {
        event in
        if case .started(_, _, index: 1, _) = event { temporaryFiles.discardLeftovers() }
        progress.show(event)
        tell(heard.note(event))
      }
      tell(heard.finish(upgrade))
    } catch {
      heard.target = invocation.upgrader.knownTarget()
      throw Complaint(error, signal: StopSignals.latest)
    }
  }

  private func tell(_ lines: [String]) {
    guard !arguments.isJSON, !arguments.isQuiet else { return }
    for line in lines { console.result(line.printable) }
  }
}
