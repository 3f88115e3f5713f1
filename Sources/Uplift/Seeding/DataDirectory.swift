internal import UpliftSQLite
internal import UpliftSystem

/// The directory in which the database lies: made where it is missing, locked while a database
/// is made in it, and synced, so that a new name survives a power cut.
struct DataDirectory: ~Copyable {
  private let path: String
  /// The directories that had to be made, the outermost first.
  private let made: [String]
  private let directory: OpenFile

  /// Makes the directory and those above it, and opens it.
  static func open(of place: DatabasePath) throws(UpgradeError) -> DataDirectory {
    let path = place.directory
    let made = try make(path, for: place)
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      try OpenFile.directory(path)
    }
    return DataDirectory(path: path, made: made, directory: directory)
  }

  /// Waits until nobody else has the directory; false where that is no proof, because the file
  /// system has no locks, or has them on each machine apart.
  borrowing func lock(_ watch: Watch) throws(UpgradeError) -> Bool {
    var attempt = 0
    while true {
      do {
        if try directory.lock() { return System.fileSystem(of: path).isLocal }
      } catch {
        guard error.isUnsupported else { throw UpgradeError(error, at: path) }
        return false
      }
      guard watch.pause(attempt: attempt) else {
        throw watch.isCancelled ? .cancelled(reached: nil) : .busy(path: path, reached: nil)
      }
      attempt += 1
    }
  }

  /// Makes a new name in the directory safe.
  borrowing func sync() throws(UpgradeError) {
    try Self.sync(directory, path)
  }

  /// A file system that cannot sync a directory keeps its names by other means, or by none.
  private static func sync(
    _ directory: borrowing OpenFile, _ path: String
  ) throws(UpgradeError) {
    do {
      try directory.sync()
    } catch  where error.isUnsupported {
      return
    } catch {
      throw UpgradeError(error, at: path)
    }
  }

  /// Makes the name of the directory safe, and of those above it, the innermost first: before there
  /// is a database below them, for the next boot may find it and not come here.
  ///
  /// Those that were there before too: a boot that was killed may have made them, and nobody would
  /// know. Some of them may not be ours to open, and need not be.
  borrowing func syncParents() throws(UpgradeError) {
    var child = path
    while child != "/", child != "." {
      let parent = DatabasePath.parent(of: child)
      do {
        try Self.sync(
          try UpgradeError.at(parent) { () throws(SystemError) in try OpenFile.directory(parent) },
          parent)
      } catch {
        guard made.contains(child) else { return }
        throw error
      }
      child = parent
    }
  }

  private static func make(
    _ path: String, for place: DatabasePath
  ) throws(UpgradeError) -> [String] {
    var missing: [String] = []
    var path = path
    while try !isThere(path, place) {
      missing.append(path)
      path = DatabasePath.parent(of: path)
    }
    missing.reverse()
    for path in missing {
      _ = try UpgradeError.at(path) { () throws(SystemError) in try System.makeDirectory(path) }
    }
    return missing
  }

  private static func isThere(_ path: String, _ place: DatabasePath) throws(UpgradeError) -> Bool {
    let found = try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
    if let found, found.kind != .directory { throw .path(place.shown, .parentNotADirectory(path)) }
    return found != nil
  }
}
