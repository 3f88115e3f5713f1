internal import UpliftSQLite
internal import UpliftSystem

/// Makes the database if there is none, as a copy of the seed or as an empty file.
///
/// The database appears whole or not at all, and never replaces another. The copy is made under a
/// temporary name, is synced, and then gets its final name. SQLite does not open it before that.
struct SeedCopy {
  let file: DatabaseFile
  /// Nil for an empty database.
  let seed: Seed?
  /// The seed's header when the upgrade was planned.
  let header: DatabaseHeader?
  /// The seed's file, as it was checked, if it is a backup: the database gets its mode, and its owner
  /// if this process runs as root.
  var backup: FileFacts?
  let deadline: Deadline

  /// Publishes the copy; false if another process was faster and has made the database.
  func publish() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: file)
    while true {
      let lock = try directory.lock(file, deadline)
      // Without the lock another process may be copying. Its copy stays until the database exists.
      if lock == .ours { Leftovers.discard(of: file) }
      try file.refuseOrphans()
      let end = try file.facts() == nil ? make(in: directory) : .taken
      if end == .removed { continue }
      if lock != .ours { Leftovers.discard(of: file) }
      // The name survives a power cut only after this sync, even if another process made the
      // database.
      try directory.sync()
      return end == .published
    }
  }

  /// How a copy ended.
  private enum End {
    /// The copy is the database.
    case published
    /// There is a database from another process.
    case taken
    /// Another boot removed the copy as a leftover before the copy had its final name.
    case removed
  }

  private func make(in directory: borrowing DataDirectory) throws(UpgradeError) -> End {
    let temporary = file.directory.appending(TemporaryName(of: file.path.name).next())
    try copy(to: temporary, in: directory)
    // This comes after the copy, because a journaling file system then writes both in one sync.
    do {
      try directory.syncParents()
    } catch {
      System.discard(temporary)
      throw error
    }
    return try giveName(to: temporary)
  }

  private func copy(
    to temporary: Path, in directory: borrowing DataDirectory
  ) throws(UpgradeError) {
    do throws(UpgradeError) {
      let copy = try at(temporary) { () throws(SystemError) in
        try OpenFile.creating(temporary)
      }
      try at(temporary) { () throws(SystemError) in try directory.giveToOwner(copy) }
      switch seed?.source {
      // An empty file has no content to sync.
      case nil: return
      case .file(let path): try copySeed(at: path, into: copy, at: temporary)
      case .bytes(let bytes):
        let isWhole = try at(temporary) { () throws(SystemError) in
          try copy.writeAll(bytes) { deadline.mustStopNow }
        }
        guard isWhole else { throw .cancelled(reached: nil) }
      }
      try at(temporary) { () throws(SystemError) in try copy.sync() }
    } catch {
      System.discard(temporary)
      throw error
    }
  }

  /// Copies the seed's file, and checks that it is the same as when the upgrade was planned.
  private func copySeed(
    at path: Path, into copy: borrowing OpenFile, at temporary: Path
  ) throws(UpgradeError) {
    // Another user may have put a link in the place of a backup. The seed may be a link.
    let source = try SeedFile.open(path, followingLinks: backup == nil)
    guard try SeedFile.header(of: source, path) == header else {
      throw .seed(file: path.shown, .changed)
    }
    let before = try at(path) { () throws(SystemError) in try source.facts() }
    if let backup {
      guard before == backup else { throw .seed(file: path.shown, .changed) }
      try at(temporary) { () throws(SystemError) in
        // Root's copy of a backup says nothing about the service that is to write the database.
        if System.isRoot, !before.owner.isRoot { try copy.setOwner(before.owner) }
        // The backup may be protected against changes.
        try copy.setMode(before.mode | 0o600)
      }
    }
    let isWhole = try at(temporary) { () throws(SystemError) in
      try copy.copyAll(of: source) { deadline.mustStopNow }
    }
    guard isWhole else { throw .cancelled(reached: nil) }
    let copied = try at(temporary) { () throws(SystemError) in try copy.facts() }
    let after = try at(path) { () throws(SystemError) in try source.facts() }
    guard copied.size == before.size, before == after else {
      throw .seed(file: path.shown, .changed)
    }
  }

  /// Gives the copy its final name, or removes the copy.
  private func giveName(to temporary: Path) throws(UpgradeError) -> End {
    do {
      try System.publish(temporary, as: file.path)
      return .published
    } catch {
      System.discard(temporary)
      if error.isTaken { return .taken }
      // A faster process may have removed the copy as a leftover.
      if error.isNotThere { return try file.facts() == nil ? .removed : .taken }
      guard error.isUnsupported else { throw UpgradeError(error, at: Path(file.shown)) }
      let kind = System.fileSystem(of: file.directory).name
      throw .disk(
        path: file.shown, words: "\(kind) can give a file no name without replacing another",
        failure: nil)
    }
  }

  private func at<Result: ~Copyable>(
    _ path: Path, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    try UpgradeError.at(path, work)
  }
}
