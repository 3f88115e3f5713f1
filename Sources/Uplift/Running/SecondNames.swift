internal import UpliftSystem

/// The second names, `-earlier`, that an upgrade gives to the backups from right before scripts
/// without a transaction.
struct SecondNames {
  private let directory: BackupDirectory
  /// The files that got a second name in this upgrade, each with the file that had the first name
  /// then: the same one, unless the file system has no hard links.
  private var given: [Version: (earlier: FileFacts.Content, first: FileFacts.Content)] = [:]
  /// True if the latest name was given in this attempt to run its script.
  private var isFromThisAttempt = false

  init(_ directory: BackupDirectory) {
    self.directory = directory
  }

  /// Begins an attempt to run a script.
  mutating func beginAttempt() { isFromThisAttempt = false }

  /// Gives the backup its second name; `copy` is used if the file system has no hard links.
  ///
  /// A backup that has this name already is from before an earlier attempt, so it stays. Another
  /// database, a link or a directory is refused.
  mutating func add(
    at version: Version, ofApplication applicationID: Int32,
    copy: (Path) throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    let earlier = directory.file(earlierAt: version)
    guard try isFree(earlier, version, applicationID) else { return }
    do {
      try System.addName(earlier, to: directory.file(at: version))
    } catch {
      // On a file system without locks, another boot may be faster.
      if error.isTaken { return }
      // Perhaps the file system has no hard links. A copy serves as well.
      try copy(earlier)
    }
    if let file = try BackupDirectory.content(of: earlier),
      let first = try directory.content(at: version)
    {
      given[version] = (file, first)
      isFromThisAttempt = true
    }
    do throws(UpgradeError) {
      try directory.sync()
    } catch {
      // The script does not begin.
      remove(at: version)
      throw error
    }
  }

  /// False if a backup has the name.
  private func isFree(
    _ earlier: Path, _ version: Version, _ applicationID: Int32
  ) throws(UpgradeError) -> Bool {
    let facts = try UpgradeError.at(earlier) { () throws(SystemError) in
      try System.facts(of: earlier, followingLinks: false)
    }
    if facts != nil {
      guard
        try directory.refuseToReplace(earlier, at: version, ofApplication: applicationID)
      else { return false }
      // It is damaged, or no database.
      try directory.keep(earlier, replacedAt: version)
    }
    try JournalFiles.refuse(beside: earlier)
    return true
  }

  /// Removes the second name of a backup if this attempt to run the script has changed nothing.
  ///
  /// If the name stayed, the backup from before the next failure, with newer rows, would get no
  /// second name. A name from an earlier attempt stays, because that one has changed rows, or another
  /// boot has run the script meanwhile.
  mutating func noteUnchanged(at version: Version) {
    if isFromThisAttempt { remove(at: version) }
  }

  /// Removes the second names that this upgrade has given.
  mutating func removeAll() {
    for version in Array(given.keys) { remove(at: version) }
  }

  /// Removes the second name of a backup, if this upgrade has given it one.
  ///
  /// A restore may have removed the name, and another boot may have taken it. If another boot has
  /// replaced the backup, with the changes of an unfinished script, only this name leads to the state
  /// before the script.
  private mutating func remove(at version: Version) {
    guard let own = given.removeValue(forKey: version) else { return }
    let earlier = directory.file(earlierAt: version)
    guard (try? BackupDirectory.content(of: earlier)) == own.earlier,
      (try? directory.content(at: version)) == own.first
    else { return }
    System.discard(earlier)
  }
}
