internal import UpliftSQLite

/// Makes a database where there is none: whole or not at all, and never in the place of another.
///
/// Files only: SQLite does not see the database before it has its name.
struct Seeding {
  let place: DatabasePath
  let seed: Seed?
  let watch: Watch

  /// Publishes a copy of the seed, or an empty file where there is none; false where somebody
  /// else was faster, and theirs is the database.
  func publish() throws(UpgradeError) -> Bool {
    let made = try makeDirectories()
    let directory = try at(place.directory) { () throws(SystemError) in
      try OpenFile.directory(place.directory)
    }
    try lock(directory)

    let isOurs = try copyUnlessThere()
    // The name is durable only when the directory is synced; for those who lost the race too.
    try sync(directory, andParentsOf: made)
    return isOurs
  }

  private func at<Result: ~Copyable>(
    _ path: String, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    try UpgradeError.at(path, work)
  }

  private func copyUnlessThere() throws(UpgradeError) -> Bool {
    try removeLeftover()
    if try place.facts() != nil { return false }
    for suffix in ["-journal", "-wal"] where try place.hasJournal(suffix) {
      throw .orphaned(journal: place.shown + suffix)
    }
    do {
      try copy()
      return try giveName()
    } catch {
      // Nothing may stay behind; the error on its way says more than one of cleaning up.
      try? System.removeFile(place.temporary)
      throw error
    }
  }

  /// A crash may have left a part of a copy, or a second name of the live database: it is
  /// unlinked and never opened.
  func removeLeftover() throws(UpgradeError) {
    do {
      try System.removeFile(place.temporary)
    } catch where !error.isNotThere {
      throw UpgradeError(error, at: place.temporary)
    } catch {
      return
    }
  }

  private func copy() throws(UpgradeError) {
    let copy = try at(place.temporary) { () throws(SystemError) in
      try OpenFile.creating(place.temporary)
    }
    if case .file(let path) = seed?.source {
      let source = try Resources.open(path)
      let before = try at(path) { () throws(SystemError) in try source.facts() }
      _ = try Resources.header(of: source, path)
      try at(place.temporary) { () throws(SystemError) in try copy.copyAll(of: source) }
      let copied = try at(place.temporary) { () throws(SystemError) in try copy.facts() }
      let after = try at(path) { () throws(SystemError) in try source.facts() }
      guard copied.size == before.size, before == after else {
        throw .seed(file: path, .changed)
      }
    }
    try at(place.temporary) { () throws(SystemError) in try copy.sync() }
  }

  private func giveName() throws(UpgradeError) -> Bool {
    do {
      try System.publish(place.temporary, as: place.path)
      return true
    } catch where error.isTaken {
      try at(place.temporary) { () throws(SystemError) in
        try System.removeFile(place.temporary)
      }
      return false
    } catch {
      throw UpgradeError(error, at: place.shown)
    }
  }

  /// One process seeds at a time, where the file system has locks; where it has none, publishing
  /// without replacing is still safe.
  private func lock(_ directory: borrowing OpenFile) throws(UpgradeError) {
    var attempt = 0
    while true {
      do {
        if try directory.lock() { return }
      } catch {
        guard error.isUnsupported else { throw UpgradeError(error, at: place.directory) }
        return
      }
      guard watch.pause(attempt: attempt) else {
        throw watch.isCancelled
          ? .cancelled(reached: nil) : .busy(path: place.directory, reached: nil)
      }
      attempt += 1
    }
  }

  /// The directories that had to be made, the outermost first.
  private func makeDirectories() throws(UpgradeError) -> [String] {
    var missing: [String] = []
    var path = place.directory
    while try facts(ofDirectory: path) == nil {
      missing.append(path)
      let slash = path.lastIndex(of: "/") ?? path.startIndex
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    missing.reverse()
    for path in missing {
      _ = try at(path) { () throws(SystemError) in try System.makeDirectory(path) }
    }
    return missing
  }

  private func facts(ofDirectory path: String) throws(UpgradeError) -> FileFacts? {
    let found = try at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
    if let found, found.kind != .directory { throw .path(place.shown, .parentNotADirectory(path)) }
    return found
  }

  private func sync(
    _ directory: borrowing OpenFile, andParentsOf made: [String]
  ) throws(UpgradeError) {
    try at(place.directory) { () throws(SystemError) in try directory.sync() }
    for path in made.reversed() {
      let slash = path.lastIndex(of: "/") ?? path.startIndex
      let parent = slash == path.startIndex ? "/" : String(path[..<slash])
      try at(parent) { () throws(SystemError) in try OpenFile.directory(parent).sync() }
    }
  }
}
