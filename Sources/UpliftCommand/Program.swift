internal import Uplift
internal import UpliftSystem

/// The command from its arguments to its exit code.
package struct Program {
  /// Runs the command with the process's own arguments, and ends the process.
  package static func main() -> Never {
    System.openStandardFiles()
    System.ignoreSignalsOfWriting()
    System.end(Program(arguments: System.arguments()).run().rawValue)
  }

  static let version = "0.1.0"

  let arguments: [String]?

  func run() -> ExitCode {
    let parsed: Arguments
    do throws(CommandLineError) {
      guard let arguments else { throw .notUTF8 }
      parsed = try Arguments(arguments)
    } catch {
      return refuse(Complaint(error))
    }
    let console = Console(isQuiet: parsed.isQuiet, progress: parsed.progress)
    switch parsed.command {
    case .help: return console.print(Help.text)
    case .version: return console.print("uplift \(Self.version)")
    case .up: return UpCommand(arguments: parsed, console: console).run()
    case .status: return StatusCommand(arguments: parsed, console: console).run()
    }
  }

  /// Nothing is known of a command line that cannot be read, but whether it asks for JSON.
  private func refuse(_ complaint: Complaint) -> ExitCode {
    let console = Console(isQuiet: false, progress: .never)
    console.complain(complaint)
    if arguments?.prefix(while: { $0 != "--" }).contains("--json") == true {
      let report = JSON.object([("command", .null), ("error", JSON(complaint))])
      console.result(report.text)
    }
    return console.exit(complaint.exit)
  }
}
