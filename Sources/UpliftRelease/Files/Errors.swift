package import Uplift

/// The errors of these tools that are thrown in several places.
extension UpgradeError {
  /// A release tool was asked to stop; the copies that it worked on are gone.
  package static let stopped = UpgradeError(
    .cancelled, "cancelled, and no file was changed", fix: "start again")

  package static let noSeed = UpgradeError(
    .missing, "no seed is given as a file",
    fix: "name the file with --seed, and the scripts with --migrations; "
      + "bake --empty --output FILE makes a first seed")

  package static func taken(_ path: String) -> Self {
    .path(path, "is there already", fix: "move it away, or name another")
  }

  package static func missingDirectory(_ path: String) -> Self {
    .missing("the directory", path, fix: "make it, or correct the path")
  }

  package static func noNumberLeft(after version: Version) -> Self {
    UpgradeError(
      .scripts, "no number is left after \(version)",
      fix: "name the script yourself, with a number for the next release")
  }

  /// Neither the seed nor a step leads to the version.
  package static func unknownVersion(_ version: Version) -> Self {
    UpgradeError(
      .missing, "neither the seed nor a script leads to \(version), so its schema is not known",
      fix: "ship the scripts that lead to it, or put the seed of its release into Released")
  }
}

/// The error of an upgrade that ran on a copy.
extension UpgradeError {
  /// The error of a tool: the version that a copy in a scratch directory has reached means nothing
  /// to anybody.
  var onScratch: UpgradeError {
    if kind == .cancelled { return .stopped }
    var error = self
    error.reached = nil
    return error
  }

  /// The error of a rehearsal: the version that its copy has reached says nothing about `database`,
  /// which is as it was.
  package func onCopy(of database: String) -> UpgradeError {
    if kind == .cancelled {
      return UpgradeError(.cancelled, "cancelled; the copy was removed", fix: "start again")
    }
    let copy = reached.map { "; the copy was at \($0), \(database.quoted) is as it was" } ?? ""
    return UpgradeError(
      kind, message + copy, fix: remedy, at: place, sqlite: sqlite, orphans: orphans)
  }
}

extension Int64 {
  /// A number of bytes for people, as `12.4 MB`.
  package var asBytes: String {
    let units: [(name: String, size: Int64)] = [
      ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000),
    ]
    guard let unit = units.first(where: { self >= $0.size }) else { return "\(self) bytes" }
    return "\(self / unit.size).\(self % unit.size / (unit.size / 10)) \(unit.name)"
  }
}
