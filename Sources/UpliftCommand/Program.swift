internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The whole command: takes arguments, gives an exit code.
package struct Program {
  /// Runs the command with the arguments of the process, and ends the process.
  package static func main() -> Never {
    System.openStandardFiles()
    System.ignoreSignalsOfWriting()
    Engine.forgoMemoryStatistics()
    System.end(Program(arguments: System.arguments(), upgrader: nil, name: "uplift").run().rawValue)
  }

  package static let version = "0.1.0"

  /// The bytes as they were given, which need not be UTF-8; nil if they are not known.
  let arguments: [[UInt8]]?
  /// The upgrader of the program that the command is a part of; nil for `uplift` itself.
  let upgrader: Upgrader?
  /// The name that a user types before a verb.
  let name: String

  func run() -> ExitCode {
    let parsed: Arguments
    do throws(CommandLineError) {
      parsed = try Arguments(words(), of: upgrader)
    } catch {
      return refuse(ErrorReport(error))
    }
    let console = Console(isQuiet: parsed.isQuiet, program: name)
    if let directory = parsed.each, [.up, .status].contains(parsed.verb) {
      return EachCommand(
        arguments: parsed, console: console, programsUpgrader: upgrader, directory: directory
      ).run()
    }
    switch parsed.verb {
    case .help: return console.print(Help.text(parsed.topic, isOwn: upgrader != nil))
    case .version:
      return console.print("uplift \(Self.version), SQLite \(Engine.version)")
    case .up:
      return UpCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .status:
      return StatusCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .rehearse:
      return RehearseCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .restore:
      return RestoreCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .adopt:
      return AdoptCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .new:
      return NewCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .check, .release:
      return CheckCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    case .bake:
      return BakeCommand(arguments: parsed, console: console, programsUpgrader: upgrader).run()
    }
  }

  /// The arguments as text.
  ///
  /// One that is not UTF-8 is refused, because with its bytes replaced it would name another file.
  private func words() throws(CommandLineError) -> [String] {
    guard let arguments else {
      throw CommandLineError(
        "the arguments cannot be read, /proc is not mounted",
        remedy: "mount /proc, then run this again")
    }
    var words: [String] = []
    for argument in arguments {
      guard let word = String(validating: argument, as: UTF8.self) else {
        throw CommandLineError(
          "the argument \"\(String(decoding: argument, as: UTF8.self))\" is not UTF-8",
          remedy: "use names that are UTF-8")
      }
      words.append(word)
    }
    return words
  }

  /// Reports a command line that cannot be read; as JSON too, if `--json` is among the words.
  private func refuse(_ report: ErrorReport) -> ExitCode {
    let console = Console(isQuiet: false, program: name)
    console.show(report)
    let options = (arguments ?? []).prefix { $0 != Array("--".utf8) }
    if options.contains(Array("--json".utf8)) {
      console.result(JSON.object([("command", .null), ("error", JSON(report))]).text)
    }
    return console.finish(with: report.exit)
  }
}
