internal import UpliftSQLite
internal import UpliftSystem

/// Makes the database if there is none, as a copy of the seed or as an empty file.
///
/// The copy is made under a temporary name, is synced, and then gets its final name, so the database
/// appears whole or not at all, and never replaces another.
struct SeedCopy {
  let file: DatabaseFile
  /// Nil for an empty database.
  let seed: Seed?
  /// The seed's header when the upgrade was planned.
  let header: DatabaseHeader?
  /// The seed's file, as it was checked, if it is a backup: the database gets its mode and owner.
  var backup: FileFacts?
  let deadline: Deadline

  /// Publishes the copy; false if another process was faster and has made the database.
  func publish() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: file)
    while true {
      let isLocked = try directory.lock(deadline)
      // Without the lock another process may be copying. Its copy stays until the database exists.
      if isLocked { Leftovers.discard(of: file) }
      try file.refuseOrphans()
      guard let isMade = try file.facts() == nil ? make(in: directory) : false else { continue }
      if !isLocked { Leftovers.discard(of: file) }
      // The name survives a power cut only after this, even if another process made the database.
      try directory.sync()
      return isMade
    }
  }

  /// Makes the database; false if another process has made it.
  ///
  /// Nil if another boot removed the copy as a leftover before the copy had its final name.
  private func make(in directory: borrowing DataDirectory) throws(UpgradeError) -> Bool? {
    let temporary = file.path.parent.appending(TemporaryName(of: file.path.name).next())
    do throws(UpgradeError) {
      try copy(to: temporary, in: directory)
      // This comes after the copy, because a journaling file system then writes both in one sync.
      try directory.syncParents()
    } catch {
      System.discard(temporary)
      throw error
    }
    do {
      try System.publish(temporary, as: file.path)
      return true
    } catch {
      System.discard(temporary)
      if error.isTaken { return false }
      if error.isNotThere { return try file.facts() == nil ? nil : false }
      guard error.isUnsupported else { throw UpgradeError(error, at: Path(file.shown)) }
      let kind = System.fileSystem(of: file.path.parent).name
      throw .disk(file.shown, "\(kind) can give a file no name without replacing another")
    }
  }

  private func copy(
    to temporary: Path, in directory: borrowing DataDirectory
  ) throws(UpgradeError) {
    let copy = try UpgradeError.at(temporary.parent) { () throws(SystemError) in
      let copy = try OpenFile.creating(temporary)
      try directory.giveToOwner(copy)
      return copy
    }
    switch seed?.source {
    // An empty file has no content to sync.
    case nil: return
    case .file(let path): try copySeed(at: path, into: copy, at: temporary)
    case .bytes(let bytes):
      let isWhole = try UpgradeError.at(temporary) { () throws(SystemError) in
        try copy.writeAll(bytes) { deadline.mustStopNow }
      }
      guard isWhole else { throw .cancelled() }
    }
    try UpgradeError.at(temporary) { () throws(SystemError) in try copy.sync() }
  }

  /// Copies the seed's file, and checks that it is the same as when the upgrade was planned.
  private func copySeed(
    at path: Path, into copy: borrowing OpenFile, at temporary: Path
  ) throws(UpgradeError) {
    // Another user may have put a link in the place of a backup. The seed may be a link.
    let source = try SeedFile.open(path, isBackup: backup != nil, followingLinks: backup == nil)
    let before = source.facts
    guard source.header == header, backup == nil || backup == before else {
      throw .changedSeed(path.shown)
    }
    let size = try UpgradeError.at(temporary) { () throws(SystemError) -> Int64? in
      if backup != nil {
        // Root's copy of a backup says nothing about the service that is to write the database.
        if System.isRoot, !before.owner.isRoot { try copy.setOwner(before.owner) }
        // The backup may be protected against changes.
        try copy.setMode(before.mode | 0o600)
      }
      let isWhole = try copy.copyAll(of: source.file) { deadline.mustStopNow }
      return isWhole ? try copy.facts().size : nil
    }
    guard let size else { throw .cancelled() }
    let after = try UpgradeError.at(path) { () throws(SystemError) in try source.file.facts() }
    guard size == before.size, before == after else { throw .changedSeed(path.shown) }
  }
}
