internal import UpliftSQLite
internal import UpliftSystem

/// Makes a file in the directory of backups; the file appears whole or not at all.
///
/// It is written under the name of a partial file, synced, and then gets its own name.
struct BackupCopy {
  /// The database whose mode and owner the file gets.
  let database: Path
  let directory: BackupDirectory
  let deadline: Deadline

  /// Makes a backup, and replaces the file that has its name.
  ///
  /// `check` looks at the copy before that.
  func make(
    as backup: Path, _ write: (Path) throws(UpgradeError) -> Void,
    check: (Path) throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    try make(through: directory.partial(of: backup), write) { partial throws(UpgradeError) in
      try check(partial)
      try UpgradeError.at(backup) { () throws(SystemError) in
        try System.replace(backup, by: partial)
      }
    }
    try directory.sync()
  }

  /// Copies the content that a restore is about to replace, and returns the path of the copy.
  ///
  /// `version` reads the version of the copy. The file's name contains this version, and is not in
  /// use.
  func makeReplaced(
    _ write: (Path) throws(UpgradeError) -> Void, version: (Path) throws(UpgradeError) -> Version
  ) throws(UpgradeError) -> Path {
    let file = try make(through: directory.partialReplaced, write) {
      partial throws(UpgradeError) in
      let version = try version(partial)
      while true {
        let file = try directory.file(replacedAt: version)
        do throws(SystemError) {
          try System.publish(partial, as: file)
          return file
        } catch {
          // Another restore was faster to take the name.
          guard error.isTaken else { throw UpgradeError(error, at: file) }
        }
      }
    }
    do throws(UpgradeError) {
      try directory.sync()
    } catch {
      // The restore has replaced nothing yet.
      System.discard(file)
      throw error
    }
    return file
  }

  private func make<Result>(
    through partial: Path, _ write: (Path) throws(UpgradeError) -> Void,
    publish: (Path) throws(UpgradeError) -> Result
  ) throws(UpgradeError) -> Result {
    try directory.make()
    try directory.checkLength()
    let original = try UpgradeError.at(database) { () throws(SystemError) in
      try System.facts(of: database, followingLinks: true)
    }
    let file = try open(partial, like: original)
    do throws(UpgradeError) {
      try write(partial)
      try UpgradeError.at(partial) { () throws(SystemError) in
        try file.sync()
        if let original { try file.setMode(original.mode) }
      }
      return try publish(partial)
    } catch {
      discard(partial)
      throw error
    }
  }

  /// Makes the partial file and locks it, so that no other process writes or removes it.
  ///
  /// A partial file that is not locked was left by a process that was killed.
  private func open(
    _ partial: Path, like original: FileFacts?
  ) throws(UpgradeError) -> OpenFile {
    var attempt = 0
    while true {
      if let file = try create(partial, like: original) { return file }
      if try isLeftover(partial) {
        try remove(partial)
        continue
      }
      guard deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled(reached: nil) }
        throw .busy(path: partial.shown, reached: nil)
      }
      attempt += 1
    }
  }

  /// Makes and locks the empty file; nil if another process made, locked or removed it first.
  ///
  /// Only users who may write the database can read it before it is whole: who can read a file can
  /// lock it. It gets the owner of the database if this process is root.
  private func create(
    _ partial: Path, like original: FileFacts?
  ) throws(UpgradeError) -> OpenFile? {
    let new: OpenFile
    do {
      new = try OpenFile.creating(partial)
    } catch {
      if error.isTaken { return nil }
      // The user knows the directory, and not this name.
      throw UpgradeError(error, at: directory.path)
    }
    do throws(SystemError) {
      // Another process may have removed it before it was locked.
      guard try lock(new),
        try new.facts().identity == System.facts(of: partial, followingLinks: false)?.identity
      else { return nil }
      if let original {
        if System.isRoot { try new.setOwner(original.owner) }
        let writers = original.mode & 0o222
        try new.setMode(0o600 | writers | writers << 1)
      }
    } catch {
      throw UpgradeError(error, at: partial)
    }
    return new
  }

  private func isLeftover(_ partial: Path) throws(UpgradeError) -> Bool {
    // A second name of the database is not opened: to close it would drop SQLite's locks.
    if try directory.isDatabase(partial) { return true }
    do throws(SystemError) {
      guard let facts = try System.facts(of: partial, followingLinks: false) else { return true }
      switch facts.kind {
      case .file: return try lock(OpenFile.writing(partial))
      case .directory: break
      case .link, .other: return true
      }
    } catch {
      if error.isNotThere { return true }
      throw UpgradeError(error, at: partial)
    }
    throw .path(partial.shown, .isDirectory)
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

  /// Removes a partial file that a killed process has left.
  private func remove(_ partial: Path) throws(UpgradeError) {
    do {
      try System.removeFile(partial)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: partial) }
    }
    System.discard(partial + "-journal")
  }

  private func discard(_ partial: Path) {
    System.discard(partial)
    System.discard(partial + "-journal")
  }
}
