package import Uplift

/// An error of an upgrade that ran on a copy, or on a scratch database.
extension UpgradeError {
  /// True if a step, the seed or the database is at fault; false if it is the machine: its disk, its
  /// memory, its rights.
  var isAboutSteps: Bool { [1, 65, 76, 78].contains(exitCode) }

  /// The words without the version of the database at their end.
  var wordsWithoutVersion: String {
    let words = description
    guard let reached else { return words }
    let end = "; the database is at \(reached)"
    return words.hasSuffix(end) ? String(words.dropLast(end.count)) : words
  }

  /// The words of a rehearsal: what the copy has reached says nothing about the database.
  package func words(onCopyOf database: String) -> String {
    if case .cancelled = self { return "cancelled; the copy was removed" }
    let words = wordsWithoutVersion
    guard let reached, words != description else { return words }
    return words + "; the copy was at \(reached), \"\(database)\" is as it was"
  }

  /// The remedy of a rehearsal: it does not say what was kept, because the database is as it was.
  package var remedyOnCopy: String {
    if case .cancelled = self { return "start again" }
    guard let end = remedy.firstRange(of: ", then start again;") else { return remedy }
    return remedy[..<end.lowerBound] + ", then rehearse again"
  }
}
