internal import Synchronization
internal import Uplift
internal import UpliftSystem

/// `--each DIR`: runs `up` or `status` for every `*.db` of a directory.
///
/// The seed and the scripts are read and checked once, before the first database is opened. An
/// error there ends the run. If a database fails, the run goes on, unless three fail at the same
/// place of the same script.
struct EachCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?
  let directory: String

  func run() -> ExitCode {
    StopSignals.listen()
    var summary = EachSummary(of: arguments.verb, in: directory, target: arguments.target)
    do throws(ErrorReport) {
      let databases = try databases()
      let temporaryFiles = TemporaryFiles(inside: Path(directory))
      let upgrader = try upgrader()
      summary.target = upgrader.target
      summary.count = databases.count
      let one = EachDatabase(
        arguments: arguments, upgrader: upgrader, temporaryFiles: temporaryFiles)
      let run = EachRun(databases, one, console, summary)
      let others = (1..<max(1, min(arguments.jobs ?? 1, databases.count))).map { _ in
        BackgroundWork { run.work() }
      }
      run.work()
      for other in others { other.wait() }
      summary = run.summary
      if !arguments.isJSON, !arguments.isQuiet { console.result(summary.line) }
      if let stop = summary.stop { console.show(stop) }
    } catch {
      summary.error = error
      console.show(error)
    }
    let exit = summary.exit(wantsPending: arguments.wantsExitCode, signal: StopSignals.first)
    if arguments.isJSON { console.result(JSON(summary, exit: exit).text) }
    return console.finish(with: exit)
  }

  /// Reads what ships, for all databases.
  private func upgrader() throws(ErrorReport) -> Upgrader {
    let upgrader = try Invocation.upgrader(for: arguments, programsUpgrader)
    do {
      return try upgrader.withScripts(readsScripts: arguments.verb == .up)
    } catch {
      throw ErrorReport(error, signal: nil)
    }
  }

  /// The paths of every `*.db`, in the order of the bytes of their names.
  ///
  /// Hidden files are left out, as a shell leaves them out.
  private func databases() throws(ErrorReport) -> [Path] {
    let names: [[UInt8]]
    do {
      names = try System.names(in: Path(directory))
    } catch {
      guard error.isNotThere || error.isNotADirectory else {
        throw ErrorReport(UpgradeError(error, at: Path(directory)), signal: nil)
      }
      throw ErrorReport(
        each: error.isNotThere
          ? "the directory of databases \"\(directory)\" is not there"
          : "\"\(directory)\" is not a directory",
        remedy: "name the directory of the databases with --each", .missing)
    }
    let dot = UInt8(ascii: ".")
    let found = names.filter { $0.suffix(3).elementsEqual(".db".utf8) && $0.first != dot }
    // A volume that is not mounted is an empty directory.
    guard !found.isEmpty else {
      throw ErrorReport(
        each: "no file in \"\(directory)\" ends in .db",
        remedy: "mount the volume, or name the directory of the databases with --each", .missing)
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map { Path(directory).appending($0) }
  }
}

/// The jobs of a run: each takes one database after another, and shows its result.
private final class EachRun: @unchecked Sendable {
  private let databases: [Path]
  private let one: EachDatabase
  private let showsLines: Bool
  /// It is used only while the lock of `state` is held.
  private let console: Console
  private let state: Mutex<EachSummary>

  init(
    _ databases: [Path], _ one: EachDatabase, _ console: Console, _ summary: EachSummary
  ) {
    self.databases = databases
    self.one = one
    self.console = console
    showsLines = !one.arguments.isJSON && !one.arguments.isQuiet
    state = Mutex(summary)
  }

  /// One job: it ends when no more databases are to be begun.
  func work() {
    while let index = next() {
      let result = one.result(of: databases[index])
      state.withLock { state in
        state.note(result, at: index)
        if let error = result.error { console.show(error) }
        if showsLines { for line in result.lines { console.result(line.printable) } }
      }
    }
  }

  private func next() -> Int? {
    guard StopSignals.first == nil else { return nil }
    return state.withLock { $0.begin() }
  }

  var summary: EachSummary { state.withLock { $0 } }
}
