internal import UpliftSQLite

/// Makes a database where there is none: whole or not at all, and never in the place of another.
///
/// Files only: SQLite does not see the database before it has its name.
struct Seeding {
  let place: DatabasePath
  /// Nil for an empty database.
  let seed: Seed?
  let orphans: Upgrader.OrphanedJournals
  let watch: Watch

  /// Publishes a copy of the seed, or an empty file where there is none; false where somebody
  /// else was faster, and theirs is the database.
  func publish() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: place)
    let isLocked = try directory.lock(watch)
    try Self.removeLeftover(of: place)
    let isOurs =
      try place.facts() == nil
      ? make(as: isLocked ? place.temporary : "\(place.temporary)-\(System.process)") : false
    // The name is durable only when the directory is synced; for those who lost the race too.
    try directory.sync()
    return isOurs
  }

  private func make(as temporary: String) throws(UpgradeError) -> Bool {
    try look()
    try copy(to: temporary)
    return try giveName(to: temporary)
  }

  /// A crash may have left a part of a copy, or a second name of the live database: it is
  /// unlinked and never opened.
  static func removeLeftover(of place: DatabasePath) throws(UpgradeError) {
    do {
      try System.removeFile(place.temporary)
    } catch  where error.isNotThere {
      return
    } catch {
      throw UpgradeError(error, at: place.temporary)
    }
  }

  /// SQLite would replay a journal that has lost its database into the fresh seed, or delete it:
  /// it may be the only copy of somebody's data.
  private func look() throws(UpgradeError) {
    for suffix in ["-journal", "-wal"] {
      guard try place.hasJournal(suffix) else { continue }
      guard orphans == .moveAside else { throw .orphaned(journal: place.shown + suffix) }
      let journal = place.path + suffix
      try at(journal) { () throws(SystemError) in
        try System.publish(journal, as: "\(journal).orphaned-\(System.stamp())")
      }
    }
  }

  private func copy(to temporary: String) throws(UpgradeError) {
    do {
      let copy = try at(temporary) { () throws(SystemError) in
        try OpenFile.creating(temporary)
      }
      switch seed?.source {
      case nil: break
      case .file(let path): try fill(copy, temporary, from: path)
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
    _ copy: borrowing OpenFile, _ temporary: String, from path: String
  ) throws(UpgradeError) {
    let source = try Resources.open(path)
    _ = try Resources.header(of: source, path)
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
      guard error.isUnsupported else { throw UpgradeError(error, at: place.shown) }
      let kind = System.fileSystem(of: place.directory)
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
