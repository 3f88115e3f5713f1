internal import Uplift
internal import UpliftRelease

/// `uplift new`: writes the next script.
struct NewCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    if let source = arguments.importing { return importScripts(of: source) }
    do throws(ErrorReport) {
      let path = try write()
      if arguments.isJSON {
        console.result(JSON.object([("command", .string("new")), ("file", .string(path))]).text)
      } else if !arguments.isQuiet {
        console.result("wrote \(path)".printable)
        console.result(advice.printable)
      }
      return console.finish(with: .success)
    } catch {
      if arguments.isJSON {
        console.result(
          JSON.object([("command", .string("new")), ("file", .null), ("error", JSON(error))]).text)
      }
      console.show(error)
      return console.finish(with: error.exit)
    }
  }

  private func write() throws(ErrorReport) -> String {
    let shipment = try Shipment(arguments, programsUpgrader)
    guard let migrations = shipment.migrations else {
      throw ErrorReport(CommandLineError.noScripts)
    }
    let script = NewScript(
      in: migrations, of: shipment.upgrader.migrations, seed: shipment.upgrader.seed)
    do {
      guard let refresh = arguments.refresh else { return try script.write(words) }
      let tables = refresh.split(separator: ",").map(String.init) + arguments.words
      return try script.write(refreshing: tables)
    } catch {
      throw ErrorReport(error)
    }
  }

  /// The words, also if several of them are in one argument.
  private var words: [String] {
    arguments.words.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
  }

  private var advice: String {
    arguments.refresh == nil
      ? "write the script, and remove the line -- uplift: unfinished"
      : "read it, then run uplift bake --content"
  }
}
