internal import UpliftSQLite
internal import UpliftSystem

/// The directory in which the database lies: made if it is missing, locked while a database
/// is made in it, and synced, so that a new name survives a power cut.
struct DataDirectory: ~Copyable {
  /// How long the lock's holder may do nothing that can be seen before nobody waits for it.
  private static let tolerance: Duration = .seconds(2)

  private let path: Path
  /// The directories that had to be made, the outermost first.
  private let made: [Path]
  private let directory: OpenFile
  /// Whose a new database shall be; nil if it stays with the user of this process.
  ///
  /// An entry point that runs as root and drops its rights later makes the database for a service
  /// that could not write it otherwise. SQLite does the same with its journals.
  private let owner: FileFacts.Owner?

  /// Makes the directory and those above it, and opens it.
  static func open(of file: DatabaseFile) throws(UpgradeError) -> DataDirectory {
    let path = file.directory
    let (made, facts) = try make(path, for: file)
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      try OpenFile.directory(path)
    }
    return DataDirectory(path: path, made: made, directory: directory, owner: heir(of: facts))
  }

  /// What became of the lock on the directory.
  enum Lock {
    /// Nobody else has it, and that holds for everybody who can reach the files.
    case ours
    /// The file system has no locks, or has them on each machine apart.
    case unsupported
    /// Somebody else has it still; it may be anybody who can read the directory.
    case held
  }

  /// Waits while another boot makes a database here.
  ///
  /// Whoever may read a directory can lock it, so the lock is a courtesy: it saves eight processes
  /// eight copies, and nothing depends on it. A holder whose copy grows is waited for, another one
  /// for a moment only: somebody who may not write here cannot stop a boot.
  borrowing func lock(_ file: DatabaseFile, _ deadline: Deadline) throws(UpgradeError) -> Lock {
    var attempt = 0
    var copies: Set<FileFacts> = []
    var unchangedSince = ContinuousClock.now
    // The rest of the patience is for SQLite's locks.
    let reserve = deadline.timeLeft / 2
    while true {
      do {
        if try directory.lock() {
          return System.fileSystem(of: path).isLocal ? .ours : .unsupported
        }
      } catch {
        guard error.isUnsupported else { throw UpgradeError(error, at: path) }
        return .unsupported
      }
      let copiesNow = Leftovers.facts(of: file)
      if copiesNow != copies { (copies, unchangedSince) = (copiesNow, .now) }
      if ContinuousClock.now - unchangedSince > Self.tolerance { return .held }
      guard deadline.timeLeft > reserve, deadline.pause(attempt: attempt) else {
        guard !deadline.isCancelled else { throw .cancelled(reached: nil) }
        return .held
      }
      attempt += 1
    }
  }

  /// Makes a new name in the directory safe.
  borrowing func sync() throws(UpgradeError) {
    try Self.sync(directory, path)
  }

  /// A file system that cannot sync a directory keeps its names by other means, or by none.
  private static func sync(_ directory: borrowing OpenFile, _ path: Path) throws(UpgradeError) {
    do {
      try directory.sync()
    } catch  where error.isUnsupported {
      return
    } catch {
      throw UpgradeError(error, at: path)
    }
  }

  /// Makes the name of the directory safe, and of those above it, the innermost first: before there
  /// is a database below them, because the next boot may find the database and not come here.
  ///
  /// The directories that were there before too: a boot that was killed may have made them, and
  /// nobody would know. Some of them may not be ours to open, and need not be.
  borrowing func syncParents() throws(UpgradeError) {
    var child = path
    while child != Path("/"), child != Path(".") {
      let parent = child.parent
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

  /// Gives a new file to the directory's owner.
  borrowing func adopt(_ file: borrowing OpenFile) throws(SystemError) {
    if let owner { try file.setOwner(owner) }
  }

  /// The same for an empty database that is there: SQLite fills it, so it is not opened here.
  borrowing func adopt(_ file: DatabaseFile) throws(UpgradeError) {
    guard let owner, let facts = try file.facts() else { return }
    try UpgradeError.at(Path(file.shown)) { () throws(SystemError) in
      try System.giveAway(file.path, facts, to: owner)
    }
  }

  /// Makes what is missing of a path; the facts are those of the last directory that was there.
  private static func make(
    _ path: Path, for file: DatabaseFile
  ) throws(UpgradeError) -> (made: [Path], facts: FileFacts) {
    var missing: [Path] = []
    var path = path
    var found = try facts(of: path, file)
    while found == nil, path != Path("/") {
      missing.append(path)
      path = path.parent
      found = try facts(of: path, file)
    }
    guard let found else { throw .path(file.shown, .parentNotADirectory("/")) }
    missing.reverse()
    for path in missing {
      try UpgradeError.at(path) { () throws(SystemError) in
        guard try System.makeDirectory(path), let owner = heir(of: found) else { return }
        try OpenFile.directoryItself(path).setOwner(owner)
      }
    }
    return (missing, found)
  }

  /// Whose things root makes in a directory of somebody else's.
  private static func heir(of directory: FileFacts) -> FileFacts.Owner? {
    System.isRoot && !directory.owner.isRoot ? directory.owner : nil
  }

  private static func facts(
    of path: Path, _ file: DatabaseFile
  ) throws(UpgradeError) -> FileFacts? {
    let found = try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
    if let found, found.kind != .directory {
      throw .path(file.shown, .parentNotADirectory(path.shown))
    }
    return found
  }
}
