internal import UpliftSQLite
internal import UpliftSystem

/// Copies a database to a file that appears whole or not at all.
struct BackupCopy {
  let database: Path
  let directory: BackupDirectory
  /// True if the caller holds the write lock, so that nobody can write meanwhile.
  let isLocked: Bool
  let deadline: Deadline

  /// Copies the database to a name in the directory, and replaces the file that has it.
  ///
  /// This uses a connection of its own, which only reads.
  func make(as backup: Path) throws(UpgradeError) {
    try make(through: directory.torso(of: backup)) { torso throws(UpgradeError) in
      try UpgradeError.at(backup) { () throws(SystemError) in
        try System.replace(backup, by: torso)
      }
    }
  }

  /// Copies the database to a new name for the version that the copy has; no file is replaced.
  func makeReplaced(
    version: (Path) throws(UpgradeError) -> Version
  ) throws(UpgradeError) -> Path {
    var found: Path?
    try make(through: directory.replacedTorso) { torso throws(UpgradeError) in
      let version = try version(torso)
      while found == nil {
        let file = try directory.file(replacedAt: version)
        do throws(SystemError) {
          try System.publish(torso, as: file)
          found = file
        } catch {
          // Another restore was faster to take the name.
          guard error.isTaken else { throw UpgradeError(error, at: file) }
        }
      }
    }
    return found ?? directory.path
  }

  private func make(
    through torso: Path, publish: (Path) throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    try directory.make()
    let file = try hold(torso)
    do {
      try copy(to: torso)
      try UpgradeError.at(torso) { () throws(SystemError) in try file.sync() }
      try publish(torso)
    } catch {
      discard(torso)
      throw error
    }
    try directory.sync()
  }

  /// Makes the torso and locks it, so that no other process writes or removes it.
  ///
  /// A torso that is not locked was left by a process that was killed.
  private func hold(_ torso: Path) throws(UpgradeError) -> OpenFile {
    var attempt = 0
    while true {
      if let file = try UpgradeError.at(torso, { () throws(SystemError) in try create(torso) }) {
        return file
      }
      if try isLeftover(torso) {
        discard(torso)
        continue
      }
      guard deadline.pause(attempt: attempt) else {
        if deadline.isCancelled { throw .cancelled(reached: nil) }
        throw .busy(path: torso.shown, reached: nil)
      }
      attempt += 1
    }
  }

  /// Makes the empty file with the mode of the database, and its owner if this is root; nil if the name
  /// is taken.
  private func create(_ torso: Path) throws(SystemError) -> OpenFile? {
    let facts = try System.facts(of: database, followingLinks: true)
    let new: OpenFile
    do {
      new = try OpenFile.creating(torso)
    } catch {
      guard error.isTaken else { throw error }
      return nil
    }
    // Before it was locked, another process may have taken it for a leftover.
    guard try lock(new),
      try new.facts().identity == System.facts(of: torso, followingLinks: false)?.identity
    else { return nil }
    if let facts {
      if System.isRoot { try new.setOwner(facts.owner) }
      try new.setMode(facts.mode)
    }
    return new
  }

  private func isLeftover(_ torso: Path) throws(UpgradeError) -> Bool {
    // To open and close the database would drop SQLite's locks on it.
    if try directory.isDatabase(torso) { return true }
    do throws(SystemError) {
      guard let facts = try System.facts(of: torso, followingLinks: false) else { return true }
      guard facts.kind == .file else { return facts.kind != .directory }
      return try lock(OpenFile.writing(torso))
    } catch {
      if error.isNotThere { return true }
      throw UpgradeError(error, at: torso)
    }
  }

  /// True if the lock is ours, or if the file system has no locks.
  private func lock(_ file: borrowing OpenFile) throws(SystemError) -> Bool {
    do {
      return try file.lock()
    } catch {
      guard error.isUnsupported else { throw error }
      return true
    }
  }

  private func copy(to torso: Path) throws(UpgradeError) {
    let source: Connection
    do {
      source = try Connection(path: database.bytes, access: .readWrite, deadline: deadline)
    } catch {
      throw UpgradeError(error, at: database.shown, reached: nil)
    }
    _ = try PageCopy.make(of: source, database.shown, to: torso, isLocked: isLocked)
  }

  private func discard(_ torso: Path) {
    System.discard(torso)
    System.discard(torso + "-journal")
  }
}
