internal import Uplift
internal import UpliftSystem

/// `--each DIR`: runs `up` or `status` for each database in a directory.
///
/// If one fails, the run goes on, unless three fail at the same place of the same script. The seed
/// and the scripts are read and checked once, before the first database is opened. An error there
/// ends the run.
struct EachCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?
  let directory: String

  func run() -> ExitCode {
    StopSignals.listen()
    let output = EachOutput(console, arguments)
    var summary = EachSummary(of: arguments.verb, in: directory, target: arguments.target)
    do throws(ErrorReport) {
      let queue = try runJobs(&summary, output)
      summary = queue.summary
      if !arguments.isQuiet { output.show(lines(of: summary)) }
      if let place = summary.stoppedAt { output.show(stopped(at: place, summary)) }
    } catch {
      summary.error = error
      output.show(error)
    }
    let exit = summary.exit(wantsPending: arguments.wantsExitCode, signal: StopSignals.first)
    if arguments.isJSON { output.show([JSON(summary, exit: exit).text]) }
    return output.finish(with: exit)
  }

  /// Reads what ships, and runs the jobs to their end.
  private func runJobs(
    _ summary: inout EachSummary, _ output: EachOutput
  ) throws(ErrorReport) -> EachQueue {
    let upgrader = try Invocation.upgrader(for: arguments, programsUpgrader)
    let listing: DatabaseDirectory
    do {
      listing = try DatabaseDirectory(directory)
    } catch {
      throw ErrorReport(error)
    }
    let temporaryFiles = TemporaryFiles(inside: listing.path)
    let plan: SharedPlan
    do {
      plan = try SharedPlan(
        upgrader, in: listing.path, readsScripts: arguments.verb == .up)
    } catch {
      throw ErrorReport(error, signal: nil)
    }
    summary.target = plan.target
    let queue = EachQueue(listing, summary, keepsGoing: arguments.keepsGoing)
    let job = EachJob(
      arguments: arguments, listing: listing, plan: plan, temporaryFiles: temporaryFiles,
      queue: queue, output: output)
    let others = (1..<max(1, min(arguments.jobs, listing.entries.count))).map { _ in
      BackgroundWork { job.run() }
    }
    job.run()
    for other in others { other.wait() }
    return queue
  }

  private func lines(of summary: EachSummary) -> [String] {
    arguments.isJSON ? [] : [summary.line]
  }

  /// Says why no more databases were begun.
  private func stopped(at place: String, _ summary: EachSummary) -> ErrorReport {
    ErrorReport(
      kind: "stopped",
      message: "\(EachQueue.limit) databases failed at \(place), "
        + "\(summary.notBegun) were not begun",
      remedy: "correct the script and start again, or try all of them with --keep-going",
      exit: .scriptFailed, location: nil, reached: nil)
  }
}
