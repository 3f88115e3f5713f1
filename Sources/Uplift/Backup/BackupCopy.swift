internal import UpliftSQLite
internal import UpliftSystem

/// Copies a database to a file that appears whole or not at all.
struct BackupCopy {
  let database: Path
  let directory: BackupDirectory
  let deadline: Deadline

  /// Copies the database to a name in the directory, and replaces the file that has it.
  ///
  /// If nobody must write meanwhile, the caller holds the write lock. This uses a connection of its
  /// own, which only reads.
  func make(as backup: Path) throws(UpgradeError) {
    try directory.make()
    let torso = directory.torso(of: backup)
    discard(torso)
    do {
      try create(torso)
      try copy(to: torso)
      try sync(torso)
      try UpgradeError.at(backup) { () throws(SystemError) in
        try System.replace(backup, by: torso)
      }
    } catch {
      discard(torso)
      throw error
    }
    try directory.sync()
  }

  /// Makes the empty file with the mode of the database, and its owner if this is root.
  private func create(_ torso: Path) throws(UpgradeError) {
    try UpgradeError.at(torso) { () throws(SystemError) in
      let facts = try System.facts(of: database, followingLinks: true)
      let new = try OpenFile.creating(torso)
      if let facts {
        if System.isRoot { try new.setOwner(facts.owner) }
        try new.setMode(facts.mode)
      }
    }
  }

  private func copy(to torso: Path) throws(UpgradeError) {
    do {
      let source = try Connection(
        path: database.bytes, access: .readWrite, deadline: deadline)
      let copy = try Connection(path: torso.bytes, access: .readWrite, deadline: deadline)
      // A copy that is not whole is removed, so it needs no journal, and one sync at its end.
      for pragma in ["journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"] {
        try copy.run("PRAGMA \(pragma)")
      }
      _ = try source.copyAll(into: copy) { true }
    } catch {
      if deadline.isCancelled { throw .cancelled(reached: nil) }
      throw UpgradeError(error, at: torso.shown, reached: nil)
    }
  }

  private func sync(_ torso: Path) throws(UpgradeError) {
    try UpgradeError.at(torso) { () throws(SystemError) in try OpenFile.writing(torso).sync() }
  }

  private func discard(_ torso: Path) {
    System.discard(torso)
    System.discard(torso + "-journal")
  }
}
