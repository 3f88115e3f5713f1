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

  /// Tells an error, and what is known all the same.
  private func refuse(_ complaint: Complaint, _ invocation: Invocation?) -> ExitCode {
    let database = invocation?.database
    let found = glance(invocation?.upgrader, complaint.exit)
    if arguments.isJSON {
      let target = invocation.map { $0.upgrader.knownTarget() } ?? arguments.target
      let report = JSON(complaint, database, found.exists, found.version, target: target)
      console.result(report.text)
    } else if !arguments.isQuiet, let database, let exists = found.exists {
      let version = exists ? found.version.map { "\($0)" } ?? "not known" : "not there"
      console.result("database  \(database)".printable)
      console.result("version   \(version)")
    }
    console.complain(complaint)
    return console.exit(complaint.exit)
  }

  /// Scripts or a seed that cannot be read hide nothing of the database.
  private func glance(
    _ upgrader: Upgrader?, _ exit: ExitCode
  ) -> (exists: Bool?, version: Version?) {
    guard let upgrader else { return (nil, nil) }
    switch exit {
    case .notOurs: return (true, nil)
    // It would only wait once more.
    case .busy: return (nil, nil)
    default: return upgrader.glance()
    }
  }
}
