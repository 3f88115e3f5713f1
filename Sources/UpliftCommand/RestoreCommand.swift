internal import Uplift
internal import UpliftSystem

/// `uplift restore`: puts a backup back.
struct RestoreCommand {
  let arguments: Arguments
  let console: Console
  let programsUpgrader: Upgrader?

  func run() -> ExitCode {
    StopSignals.listen()
    do throws(ErrorReport) {
      let (database, restore) = try restore()
      if arguments.isJSON {
        console.result(JSON(restore, database).text)
      } else if !arguments.isQuiet {
        for line in lines(restore, database) { console.result(line.printable) }
      }
      return console.finish(with: .success)
    } catch {
      if arguments.isJSON {
        console.result(
          JSON.object([("command", .string("restore")), ("error", JSON(error))]).text)
      }
      console.show(error)
      return console.finish(with: error.exit)
    }
  }

  private func restore() throws(ErrorReport) -> (String, Restore) {
    let invocation = try Invocation(arguments, programsUpgrader)
    let directory = arguments.options.backup?.directory ?? ""
    do {
      let restore = try invocation.upgrader.restore(
        from: directory, to: arguments.backupVersion,
        isCancelled: { StopSignals.first != nil })
      return (invocation.database, restore)
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func lines(_ restore: Restore, _ database: String) -> [String] {
    let made = Self.made(restore).map { ", which was made at \($0)" } ?? ""
    var lines = ["restored \(database) to \(restore.version) from \(restore.backup)\(made)"]
    if let replaced = restore.replaced {
      lines.append("the old content, with the rows written after the backup, is in \(replaced)")
    }
    return lines
  }

  /// When the backup was made; nil if the system does not say.
  fileprivate static func made(_ restore: Restore) -> String? {
    do {
      return try System.facts(of: Path(restore.backup), followingLinks: true)
        .map { System.text(of: $0.modified) }
    } catch {
      return nil
    }
  }
}

extension JSON {
  /// The object that `uplift restore --json` prints.
  ///
  /// - `command`: `"restore"`
  /// - `database`: its path
  /// - `version`: its version now
  /// - `backup`: the path of the backup
  /// - `made`: when the backup was made, in UTC: `2026-11-20T13:45:00Z`
  /// - `replaced`: the path of the copy of the old content; null if there was no database, or an
  ///   empty one
  /// - `error`: on failure only, and then it is the only other member
  init(_ restore: Restore, _ database: String) {
    self = .object([
      ("command", .string("restore")),
      ("database", .string(database)),
      ("version", JSON(restore.version)),
      ("backup", .string(restore.backup)),
      ("made", JSON(RestoreCommand.made(restore))),
      ("replaced", JSON(restore.replaced)),
    ])
  }
}
