internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift rehearse`: runs the pending scripts on a copy, and reports their time and room.
///
/// It exits with the code with which `uplift up` would exit: that of a failed script, or 74 if
/// there is too little room.
struct RehearseCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  /// People read a table on a terminal; a program, or a file, gets JSON.
  private var isJSON: Bool { arguments.isJSON || !Stream.output.isTerminal }

  func run() -> ExitCode {
    StopSignals.listen()
    do throws(ErrorReport) {
      let (database, rehearsal) = try rehearse()
      let error = error(rehearsal, of: database)
      if arguments.isJSON || !arguments.isQuiet {
        show(rehearsal, of: database, error)
      }
      if let error { console.show(error) }
      return console.finish(with: error?.exit ?? .success)
    } catch {
      if isJSON, arguments.isJSON || !arguments.isQuiet {
        console.result(
          JSON.object([("command", .string("rehearse")), ("error", JSON(error))]).text)
      }
      console.show(error)
      return console.finish(with: error.exit)
    }
  }

  private func rehearse() throws(ErrorReport) -> (String, Rehearsal) {
    let invocation = try Invocation(arguments, programsUpgrader)
    let temporaryFiles = TemporaryFiles(besideDatabase: invocation.database)
    defer { temporaryFiles.discardLeftovers() }
    let progress = ProgressDisplay(of: "the copy", on: console)
    do {
      let rehearsal = try invocation.upgrader.rehearse(
        arguments.rehearsal, isCancelled: { StopSignals.first != nil },
        onEvent: { progress.show($0) })
      return (invocation.database, rehearsal)
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  /// The error that an upgrade would end with.
  private func error(_ rehearsal: Rehearsal, of database: String) -> ErrorReport? {
    if let failure = rehearsal.failure {
      return ErrorReport(failure.onCopy(of: database), signal: nil)
    }
    guard let room = rehearsal.room.first(where: { !$0.isEnough }) else { return nil }
    return ErrorReport(tooSmall: room)
  }

  private func show(_ rehearsal: Rehearsal, of database: String, _ error: ErrorReport?) {
    if isJSON {
      console.result(JSON(rehearsal, of: database, error).text)
    } else {
      for line in RehearsalTable(rehearsal, of: database).lines {
        console.result(line.printable)
      }
    }
  }
}

extension ErrorReport {
  fileprivate init(tooSmall room: Rehearsal.Room) {
    self.init(
      kind: "disk",
      message: "\"\(room.directory)\" has \((room.free ?? 0).asBytes) free, "
        + "and an upgrade needs \(room.needed.asBytes)",
      remedy: "make room before the upgrade", exit: .disk)
  }
}
