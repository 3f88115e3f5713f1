internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift bake`: makes the seed anew.
struct BakeCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    StopSignals.listen()
    do throws(ErrorReport) {
      let bake = try bake()
      if arguments.isJSON {
        console.result(JSON(bake).text)
      } else if !arguments.isQuiet {
        for line in lines(bake) { console.result(line.printable) }
      }
      for name in bake.varying {
        console.notice(
          "uplift: \(name) gives other rows each time that it runs, so each bake differs".printable)
      }
      if bake.mayNeedNumber {
        console.notice(
          ("uplift: a script reads \(bake.path): if the rows of the seed have changed, "
            + "run uplift bake --content").printable)
      }
      return console.finish(with: .success)
    } catch {
      if arguments.isJSON {
        console.result(
          JSON.object([("command", .string("bake")), ("error", JSON(error))]).text)
      }
      console.show(error)
      return console.finish(with: error.exit)
    }
  }

  private func bake() throws(ErrorReport) -> Bake {
    let shipment = try Shipment(arguments, programsUpgrader, throughNewest: true)
    let progress = ProgressDisplay(of: shipment.seed ?? "the seed", on: console)
    do {
      return try shipment.upgrader.bake(
        arguments.bake, isCancelled: { StopSignals.first != nil }, onEvent: { progress.show($0) })
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func lines(_ bake: Bake) -> [String] {
    var lines: [String] = []
    if let path = bake.renamed { lines.append("the script that reads the seed is now \(path)") }
    let state = bake.isChanged ? "is now" : "is unchanged,"
    return lines + ["\(bake.path) \(state) at \(bake.version)"]
  }
}

extension JSON {
  /// The object that `uplift bake --json` prints.
  ///
  /// - `command`: `"bake"`
  /// - `file`: the path of the seed, or of `--output`
  /// - `version`: its version
  /// - `changed`: true if it was written
  /// - `renamed`: the new path of the script that reads the seed; null if it was not renamed
  /// - `varying`: the names of the scripts that give other rows each time that they run
  /// - `error`: on failure only, and then it is the only other member
  init(_ bake: Bake) {
    self = .object([
      ("command", .string("bake")),
      ("file", .string(bake.path)),
      ("version", JSON(bake.version)),
      ("changed", .bool(bake.isChanged)),
      ("renamed", JSON(bake.renamed)),
      ("varying", .array(bake.varying.map { .string($0) })),
    ])
  }
}
