internal import UpliftSQLite
internal import UpliftSystem

/// Makes a database where there is none: whole or not at all, and never in the place of another.
///
/// Files only: SQLite does not see the database before it has its name.
struct SeedCopy {
  let file: DatabaseFile
  /// Nil for an empty database.
  let seed: Seed?
  /// What the seed said when the upgrade was planned.
  let header: DatabaseHeader?
  let orphans: Upgrader.OrphanedJournals
  let deadline: Deadline

  /// Publishes a copy of the seed, or an empty file where there is none; false where somebody
  /// else was faster, and theirs is the database.
  func publish() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: file)
    while true {
      let lock = try directory.lock(file, deadline)
      // Without the lock somebody else may be copying: what others copy stays until the database
      // is there.
      if lock == .ours { Leftovers.discard(of: file) }
      let end = try isAbsent(in: directory, lock) ? make(in: directory) : .taken
      if end == .removed { continue }
      if lock != .ours { Leftovers.discard(of: file) }
      // The name is durable only when the directory is synced; for those who lost the race too.
      try directory.sync()
      return end == .published
    }
  }

  /// How a copy ended.
  private enum End {
    /// It is the database.
    case published
    /// Somebody else's is the database.
    case taken
    /// Another boot took it for a leftover before it had its name.
    case removed
  }

  /// Looks again, now that the directory is locked, and at journals that have no database.
  private func isAbsent(
    in directory: borrowing DataDirectory, _ lock: DataDirectory.Lock
  ) throws(UpgradeError) -> Bool {
    guard try file.facts() == nil else { return false }
    let journals = StrayJournals(file: file)
    if orphans == .moveAside {
      try journals.moveAside(in: directory, lock)
    } else {
      try journals.refuse()
    }
    return try file.facts() == nil
  }

  private func make(in directory: borrowing DataDirectory) throws(UpgradeError) -> End {
    let temporary = file.directory.appending(TemporaryName(of: file.path.name).next())
    try copy(to: temporary, in: directory)
    // After the copy: a file system with a journal then syncs both together.
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
      try at(temporary) { () throws(SystemError) in try directory.adopt(copy) }
      switch seed?.source {
      // An empty file has nothing that a power cut could take.
      case nil: return
      case .file(let path): try fill(copy, at: temporary, from: Path(path))
      case .bytes(let bytes):
        let isWhole = try at(temporary) { () throws(SystemError) in
          try copy.writeAll(bytes) { deadline.isCancelled }
        }
        guard isWhole else { throw .cancelled(reached: nil) }
      }
      try at(temporary) { () throws(SystemError) in try copy.sync() }
    } catch {
      System.discard(temporary)
      throw error
    }
  }

  private func fill(
    _ copy: borrowing OpenFile, at temporary: Path, from path: Path
  ) throws(UpgradeError) {
    let source = try SeedFile.open(path)
    guard try SeedFile.header(of: source, path) == header else {
      throw .seed(file: path.shown, .changed)
    }
    let before = try at(path) { () throws(SystemError) in try source.facts() }
    let isWhole = try at(temporary) { () throws(SystemError) in
      try copy.copyAll(of: source) { deadline.isCancelled }
    }
    guard isWhole else { throw .cancelled(reached: nil) }
    let copied = try at(temporary) { () throws(SystemError) in try copy.facts() }
    let after = try at(path) { () throws(SystemError) in try source.facts() }
    guard copied.size == before.size, before == after else {
      throw .seed(file: path.shown, .changed)
    }
  }

  private func giveName(to temporary: Path) throws(UpgradeError) -> End {
    do {
      try System.publish(temporary, as: file.path)
      return .published
    } catch {
      System.discard(temporary)
      if error.isTaken { return .taken }
      // Whoever was faster may have cleaned up after us, too.
      if error.isNotThere { return try file.facts() == nil ? .removed : .taken }
      guard error.isUnsupported else { throw UpgradeError(error, at: Path(file.shown)) }
      let kind = System.fileSystem(of: file.directory).name
      throw .disk(
        path: file.shown, words: "\(kind) can give a file no name without replacing another",
        script: nil)
    }
  }

  private func at<Result: ~Copyable>(
    _ path: Path, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    try UpgradeError.at(path, work)
  }
}
