internal import UpliftSQLite
internal import UpliftSystem

/// Makes a database where there is none: whole or not at all, and never in the place of another.
///
/// Files only: SQLite does not see the database before it has its name.
struct Seeding {
  let place: DatabasePath
  /// Nil for an empty database.
  let seed: Seed?
  /// What the seed said when the upgrade was planned.
  let header: SeedHeader?
  let orphans: Upgrader.OrphanedJournals
  let watch: Watch

  /// Publishes a copy of the seed, or an empty file where there is none; false where somebody
  /// else was faster, and theirs is the database.
  func publish() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: place)
    // Where the lock is no proof that nobody else is copying, what others copy stays until the
    // database is there, and our copy has a name of its own.
    let isAlone = try directory.lock(watch)
    if isAlone { try Leftovers.remove(of: place) }
    let temporary = isAlone ? place.temporary : place.temporaryOfOurs()
    let isOurs =
      try isAbsent(in: directory, isAlone) ? make(under: temporary, in: directory) : false
    if !isAlone { try Leftovers.remove(of: place) }
    // The name is durable only when the directory is synced; for those who lost the race too.
    try directory.sync()
    return isOurs
  }

  /// Looks again, now that the directory is locked, and at journals that have no database.
  ///
  /// Without a lock nothing is moved: it may be in use by the time it is.
  private func isAbsent(
    in directory: borrowing DataDirectory, _ isAlone: Bool
  ) throws(UpgradeError) -> Bool {
    guard try place.facts() == nil else { return false }
    let journals = StrayJournals(place: place)
    if isAlone, orphans == .moveAside {
      try journals.moveAside(in: directory)
    } else {
      try journals.refuse()
    }
    return try place.facts() == nil
  }

  private func make(
    under temporary: String, in directory: borrowing DataDirectory
  ) throws(UpgradeError) -> Bool {
    try copy(to: temporary)
    // Behind the copy, which a file system with a journal syncs together with them.
    do {
      try directory.syncParents()
    } catch {
      System.discard(temporary)
      throw error
    }
    return try giveName(to: temporary)
  }

  private func copy(to temporary: String) throws(UpgradeError) {
    do {
      let copy = try at(temporary) { () throws(SystemError) in
        try OpenFile.creating(temporary)
      }
      switch seed?.source {
      // An empty file has nothing that a power cut could take.
      case nil: return
      case .file(let path): try fill(copy, at: temporary, from: path)
      case .bytes(let bytes):
        try at(temporary) { () throws(SystemError) in try copy.write(bytes) }
      }
      try at(temporary) { () throws(SystemError) in try copy.sync() }
    } catch {
      System.discard(temporary)
      throw error
    }
  }

  private func fill(
    _ copy: borrowing OpenFile, at temporary: String, from path: String
  ) throws(UpgradeError) {
    let source = try Resources.open(path)
    guard try Resources.header(of: source, path) == header else {
      throw .seed(file: path, .changed)
    }
    let before = try at(path) { () throws(SystemError) in try source.facts() }
    try at(temporary) { () throws(SystemError) in try copy.copyAll(of: source) }
    let copied = try at(temporary) { () throws(SystemError) in try copy.facts() }
    let after = try at(path) { () throws(SystemError) in try source.facts() }
    guard copied.size == before.size, before == after else { throw .seed(file: path, .changed) }
  }

  private func giveName(to temporary: String) throws(UpgradeError) -> Bool {
    do {
      try System.publish(temporary, as: place.path)
      return true
    } catch {
      System.discard(temporary)
      if error.isTaken { return false }
      // Whoever was faster may have cleaned up after us, too.
      if error.isNotThere, try place.facts() != nil { return false }
      guard error.isUnsupported else { throw UpgradeError(error, at: place.shown) }
      let kind = System.fileSystem(of: place.directory).name
      throw .disk(
        path: place.shown, words: "\(kind) can give a file no name without replacing another",
        script: nil)
    }
  }

  private func at<Result: ~Copyable>(
    _ path: String, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    try UpgradeError.at(path, work)
  }
}
