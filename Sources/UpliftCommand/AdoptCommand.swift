internal import Uplift
internal import UpliftRelease
internal import UpliftSystem

/// `uplift adopt`: finds out the version of a database that has lost it, and writes it.
struct AdoptCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    StopSignals.listen()
    let invocation: Invocation
    do {
      invocation = try Invocation(arguments, programsUpgrader)
    } catch {
      return fail(error, nil, nil)
    }
    do {
      let adoption = try invocation.upgrader.adopt(
        version: arguments.adoptedVersion, released: arguments.released,
        fixtures: arguments.fixtures, isCancelled: { StopSignals.first != nil })
      if arguments.isJSON {
        console.result(JSON(adoption, invocation.database).text)
      } else if !arguments.isQuiet {
        console.result("\(invocation.database) is at \(adoption.version)".printable)
        for other in adoption.others {
          console.result("  not from the scripts: \(other)".printable)
        }
      }
      return console.finish(with: .success)
    } catch {
      return fail(
        ErrorReport(error.error, signal: StopSignals.first), invocation.database, error)
    }
  }

  private func fail(
    _ report: ErrorReport, _ database: String?, _ failure: AdoptionFailure?
  ) -> ExitCode {
    if arguments.isJSON { console.result(JSON(report, database, failure).text) }
    console.show(report)
    return console.finish(with: report.exit)
  }
}

extension JSON {
  /// The object that `uplift adopt --json` prints.
  ///
  /// - `command`: `"adopt"`
  /// - `database`: its path; null if the options do not lead to one
  /// - `version`: the version that was written
  /// - `others`: the objects that were not compared, as in `index by_town on guests`
  ///
  /// On failure `version` and `others` are missing, and these members are there instead:
  ///
  /// - `versions`: those that the database may have: several that fit, or the nearest
  /// - `differences`: how the database differs from the last version in `versions`, each with its
  ///   `object` and a `message`
  /// - `error`: see `ErrorReport+JSON.swift`
  init(_ adoption: Adoption, _ database: String) {
    self = .object([
      ("command", .string("adopt")),
      ("database", .string(database)),
      ("version", JSON(adoption.version)),
      ("others", .array(adoption.others.map { .string($0) })),
    ])
  }

  init(_ report: ErrorReport, _ database: String?, _ failure: AdoptionFailure?) {
    self = .object([
      ("command", .string("adopt")),
      ("database", JSON(database)),
      ("versions", .array(failure?.versions.map { JSON($0) } ?? [])),
      ("differences", .array(failure?.differences.map { JSON($0) } ?? [])),
      ("error", JSON(report)),
    ])
  }
}
