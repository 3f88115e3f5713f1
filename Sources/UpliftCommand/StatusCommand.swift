internal import Uplift

/// `uplift status`: says what is there and what is pending, and changes nothing.
struct StatusCommand {
  let arguments: Arguments
  let console: Console

  func run() -> ExitCode {
    var database: String?
    do throws(Complaint) {
      let invocation = try Invocation(arguments)
      database = invocation.database
      let report = StatusReport(try status(of: invocation.upgrader), invocation)
      if arguments.isJSON {
        console.result(JSON(report, nil, database: database).text)
      } else if !arguments.isQuiet {
        for line in report.lines { console.result(line.printable) }
      }
      let isPending = arguments.wantsExitCode && !report.status.isCurrent
      return console.exit(isPending ? .pending : .success)
    } catch {
      console.complain(error)
      if arguments.isJSON { console.result(JSON(nil, error, database: database).text) }
      return console.exit(error.exit)
    }
  }

  private func status(of upgrader: Upgrader) throws(Complaint) -> Status {
    do {
      return try upgrader.status()
    } catch {
      throw Complaint(error, signal: nil)
    }
  }
}
