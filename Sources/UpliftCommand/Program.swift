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

  /// As they were given; they need not be UTF-8.
  let arguments: [[UInt8]]

  func run() -> ExitCode {
    let parsed: Arguments
    do throws(CommandLineError) {
      parsed = try Arguments(words())
    } catch {
      return refuse(Complaint(error))
    }
    let console = Console(isQuiet: parsed.isQuiet, progress: parsed.progress)
    switch parsed.command {
    case .help: return console.print(Help.text(parsed.topic))
    case .version:
      return console.print("uplift \(Self.version), SQLite \(Upgrader.sqliteVersion)")
    case .up: return UpCommand(arguments: parsed, console: console).run()
    case .status: return StatusCommand(arguments: parsed, console: console).run()
    }
  }

  /// One that is not UTF-8 is refused: it would name another file once it is repaired.
  private func words() throws(CommandLineError) -> [String] {
    var words: [String] = []
    for argument in arguments {
      guard let word = String(validating: argument, as: UTF8.self) else {
        throw .notUTF8(String(decoding: argument, as: UTF8.self))
      }
      words.append(word)
    }
    return words
  }

  /// Nothing is known of a command line that cannot be read, but whether it asks for JSON.
  private func refuse(_ complaint: Complaint) -> ExitCode {
    let console = Console(isQuiet: false, progress: .never)
    console.complain(complaint)
    let options = arguments.prefix { $0 != Array("--".utf8) }
    if options.contains(Array("--json".utf8)) {
      let report = JSON.object([("command", .null), ("error", JSON(complaint))])
      console.result(report.text)
    }
    return console.exit(complaint.exit)
  }
}
