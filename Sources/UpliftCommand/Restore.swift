internal import Uplift
internal import UpliftRelease

extension Run {
  /// `uplift restore`: puts a backup back.
  func restore() throws(UpgradeError) -> Report {
    let upgrader = try upgrader()
    let directory = arguments.options.backup?.directory ?? ""
    let restore =
      if let file = arguments.from {
        try upgrader.restore(backup: directory, from: file, isCancelled: Self.isCancelled)
      } else {
        try upgrader.restore(backup: directory, to: arguments.to, isCancelled: Self.isCancelled)
      }
    var lines = ["restored \(upgrader.database) to \(restore.version) from \(restore.backup)"]
    if let replaced = restore.replaced {
      lines.append("the old content, with the rows written after the backup, is in \(replaced)")
    }
    return Report(
      lines: lines,
      members: [
        "database": upgrader.database, "version": restore.version, "backup": restore.backup,
        "replaced": restore.replaced,
      ])
  }

  /// `uplift adopt`: finds out the version of a database that has lost it, and writes it.
  func adopt() throws(UpgradeError) -> Report {
    let upgrader = try upgrader()
    do {
      let adoption = try upgrader.adopt(
        version: arguments.to, released: arguments.released, fixtures: arguments.fixtures,
        isCancelled: Self.isCancelled)
      return Report(
        lines: ["\(upgrader.database) is at \(adoption.version)"]
          + adoption.others.map { "  not from the scripts: \($0)" },
        members: [
          "database": upgrader.database, "version": adoption.version, "others": adoption.others,
        ])
    } catch {
      return Report(
        members: [
          "database": upgrader.database, "versions": error.versions,
          "differences": error.differences.map(\.json),
        ], errors: [ErrorReport(error.error)])
    }
  }
}
