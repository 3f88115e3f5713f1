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
    let isCancelled = { StopSignals.first != nil }
    do throws(UpgradeError) {
      let restore =
        if let file = arguments.backupFile {
          try invocation.upgrader.restore(backup: directory, from: file, isCancelled: isCancelled)
        } else {
          try invocation.upgrader.restore(
            backup: directory, to: arguments.backupVersion, isCancelled: isCancelled)
        }
      return (invocation.database, restore)
    } catch {
      throw ErrorReport(error, signal: StopSignals.first)
    }
  }

  private func lines(_ restore: Restore, _ database: String) -> [String] {
    var lines = ["restored \(database) to \(restore.version) from \(restore.backup)"]
    if let replaced = restore.replaced {
      lines.append("the old content, with the rows written after the backup, is in \(replaced)")
    }
    return lines
  }
}

extension JSON {
  /// The object that `uplift restore --json` prints.
  ///
  /// - `command`: `"restore"`
  /// - `database`: its path
  /// - `version`: its version now
  /// - `backup`: the path of the backup
  /// - `replaced`: the path of the copy of the old content; null if there was no database, or an
  ///   empty one
  /// - `error`: on failure only, and then it is the only other member
  init(_ restore: Restore, _ database: String) {
    self = .object([
      ("command", .string("restore")),
      ("database", .string(database)),
      ("version", JSON(restore.version)),
      ("backup", .string(restore.backup)),
      ("replaced", JSON(restore.replaced)),
    ])
  }
}
