internal import Uplift

/// `uplift status`: says what is there and what is pending, and changes nothing.
///
/// It also says what stands against an upgrade, with that error's exit code.
struct StatusCommand {
  let arguments: Arguments
  let console: Console

  func run() -> ExitCode {
    let invocation: Invocation
    do {
      invocation = try Invocation(arguments)
    } catch {
      return refuse(error, nil)
    }
    do {
      return tell(StatusReport(try invocation.upgrader.status(), invocation))
    } catch {
      return refuse(Complaint(error, signal: nil), invocation)
    }
  }

  private func tell(_ report: StatusReport) -> ExitCode {
    if arguments.isJSON {
      console.result(JSON(report).text)
    } else if !arguments.isQuiet {
      for line in report.lines { console.result(line.printable) }
    }
    if let complaint = report.complaint {
      console.complain(complaint)
      return console.exit(complaint.exit)
    }
    return console.exit(arguments.wantsExitCode && !report.status.isCurrent ? .pending : .success)
  }

  private func refuse(_ complaint: Complaint, _ invocation: Invocation?) -> ExitCode {
    console.complain(complaint)
    if arguments.isJSON {
      let target = invocation.map { $0.upgrader.knownTarget() } ?? arguments.target
      let report = JSON(complaint, database: invocation?.database, target: target)
      console.result(report.text)
    }
    return console.exit(complaint.exit)
  }
}
