package import Uplift

/// An error of an upgrade that ran on a copy, or on a scratch database.
extension UpgradeError {
  /// True if a step, the seed or the database is at fault; false if it is the machine: its disk, its
  /// memory, its rights.
  var isAboutSteps: Bool { [1, 65, 76, 78].contains(exitCode) }

  /// The words of a rehearsal: what the copy has reached says nothing about the database.
  package func words(onCopyOf database: String) -> String {
    if kind == .cancelled { return "cancelled; the copy was removed" }
    guard let reached, words != description else { return words }
    return words + "; the copy was at \(reached), \"\(database)\" is as it was"
  }

  /// The remedy of a rehearsal: it does not say what was kept, because the database is as it was.
  package var remedyOnCopy: String {
    if kind == .cancelled { return "start again" }
    guard let end = remedy.firstRange(of: ", then start again;") else { return remedy }
    return remedy[..<end.lowerBound] + ", then rehearse again"
  }
}
