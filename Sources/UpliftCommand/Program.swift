public import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The verbs of `uplift` as a part of another program, which brings its own seed and steps.
///
/// The command `uplift` cannot run steps in Swift. A program that has such steps can offer the
/// verbs itself:
///
/// ```swift
/// import UpliftCommand
///
/// if arguments.first == "db" {
///   exit(DatabaseCommand(upgrader, name: "guestbook db").run(arguments.dropFirst()))
/// }
/// ```
///
/// After that, `guestbook db check` checks all steps. `guestbook db status` shows the pending ones.
///
/// `new`, `bake`, `check` and `release` work on the files of the upgrader. If these are a copy, as in
/// `Bundle.module`, name the files in the sources:
/// `guestbook db bake --resources Sources/Guestbook/Resources`. The steps in Swift still come from
/// the program.
public struct DatabaseCommand: Sendable {
  private let upgrader: Upgrader
  private let name: String

  /// `name` is what a user types before the verb; messages and help begin with it.
  public init(_ upgrader: Upgrader, name: String) {
    self.upgrader = upgrader
    self.name = name
  }

  /// Runs the verb with its options, and returns the exit code.
  ///
  /// A verb that works on a database or a seed listens to SIGINT, SIGTERM and SIGHUP until the
  /// process ends.
  public func run(_ arguments: some Sequence<String>) -> Int32 {
    System.ignoreSignalsOfWriting()
    return Program.run(arguments.map { Array($0.utf8) }, of: upgrader, name: name).rawValue
  }
}

/// The whole command: takes arguments, gives an exit code.
package enum Program {
  package static let version = "0.1.0"

  /// Runs the command with the arguments of the process, and ends the process.
  package static func main() -> Never {
    System.openStandardFiles()
    System.ignoreSignalsOfWriting()
    Engine.forgoMemoryStatistics()
    System.end(run(System.arguments(), of: nil, name: "uplift").rawValue)
  }

  /// Runs the command with the bytes of its arguments, which are nil if they are not known.
  ///
  /// `upgrader` is that of the program that the command is a part of; nil for `uplift` itself. `name`
  /// is what a user types before a verb.
  static func run(_ arguments: [[UInt8]]?, of upgrader: Upgrader?, name: String) -> ExitCode {
    let parsed: Arguments
    do throws(ErrorReport) {
      parsed = try Arguments(words(arguments), of: upgrader)
    } catch {
      let console = Console(isQuiet: false, program: name)
      console.show(error)
      let options = (arguments ?? []).prefix { $0 != Array("--".utf8) }
      if options.contains(Array("--json".utf8)) {
        console.result(JSON.object([("command", .null), ("error", error.json)]).text)
      }
      return console.finish(with: error.exit)
    }
    let console = Console(isQuiet: parsed.isQuiet, program: name)
    switch parsed.verb {
    case .help: console.result(Help.text(parsed.topic, isOwn: upgrader != nil))
    case .version: console.result("uplift \(version), SQLite \(Engine.version)")
    default: return Run(arguments: parsed, console: console, program: upgrader).end()
    }
    return console.finish(with: .success)
  }

  /// The arguments as text.
  ///
  /// One that is not UTF-8 is refused, because with its bytes replaced it would name another file.
  private static func words(_ arguments: [[UInt8]]?) throws(ErrorReport) -> [String] {
    guard let arguments else {
      throw .usage(
        "the arguments cannot be read, /proc is not mounted",
        fix: "mount /proc, then run this again")
    }
    return try arguments.map { (argument) throws(ErrorReport) in
      if let word = String(validating: argument, as: UTF8.self) { return word }
      throw .usage(
        "the argument \"\(String(decoding: argument, as: UTF8.self))\" is not UTF-8",
        fix: "use names that are UTF-8")
    }
  }
}

/// One run of a verb, which has a file of its own with what it does, its words and its JSON.
struct Run: Sendable {
  let arguments: Arguments
  let console: Console
  /// The upgrader of the program that the command is a part of; nil for `uplift` itself.
  let program: Upgrader?

  /// True if lines for people are wanted.
  var isTalking: Bool { !arguments.isJSON && !arguments.isQuiet }

  /// True if a signal asks to stop.
  static let isCancelled: @Sendable () -> Bool = { StopSignals.first != nil }

  /// Runs the verb, prints its report, and returns the exit code.
  func end() -> ExitCode {
    let report: Report
    do throws(UpgradeError) {
      report = try self.report()
    } catch {
      report = Report(errors: [ErrorReport(error)])
    }
    if arguments.isJSON {
      console.result(report.object(of: arguments.verb).text)
    } else {
      for line in report.findings { console.result(line.printable) }
      if !arguments.isQuiet { for line in report.lines { console.result(line.printable) } }
    }
    let limit = 50
    for error in report.errors.prefix(limit) { console.show(error) }
    if report.errors.count > limit {
      console.notice("uplift: \(report.errors.count - limit) more errors")
    }
    return console.finish(with: report.exit ?? report.errors.first?.exit ?? .success)
  }

  private func report() throws(UpgradeError) -> Report {
    // A signal lets a verb with copies or a database end in order; the others end at once.
    if ![.initialize, .new].contains(arguments.verb) { StopSignals.listen() }
    switch arguments.verb {
    case .initialize: return try initialize()
    case .new:
      if let source = arguments.importing { return try importScripts(of: source) }
      return try new()
    case .bake: return try bake()
    case .check, .release: return try check()
    case .up: return arguments.each.map(each) ?? up()
    case .status: return arguments.each.map(each) ?? status()
    case .rehearse: return try rehearse()
    case .restore: return try restore()
    case .adopt: return try adopt()
    case .help, .version: return Report()
    }
  }
}

/// What a verb has to say at its end.
struct Report: Sendable {
  /// For people; `--quiet` leaves them out.
  var lines: [String] = []
  /// For people, also with `--quiet`; they come first.
  var findings: [String] = []
  /// The members of the object that `--json` prints, between `command` and `error`.
  var members: JSON = [:]
  /// The first is the `error` of the object, and gives the exit code.
  var errors: [ErrorReport] = []
  /// The exit code, if it does not follow from the errors.
  var exit: ExitCode?

  func object(of verb: Verb) -> JSON {
    ["command": verb.rawValue] + members + (errors.first.map { ["error": $0] } ?? [:])
  }
}
