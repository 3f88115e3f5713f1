internal import UpliftSQLite
internal import UpliftSystem

/// The data directory, in which the database lies.
///
/// It is made if it is missing. It is locked while a database is made in it, and synced so that a
/// new name survives a power cut.
struct DataDirectory: ~Copyable {
  /// How long to wait for the lock while the holder's copy does not grow.
  private static let tolerance: Duration = .seconds(2)

  private let path: Path
  /// The directories that had to be made, the outermost first.
  private let made: [Path]
  private let directory: OpenFile
  /// The future owner of a new database; nil if the owner is the user of this process.
  ///
  /// The entry point of a container may run as root and start the service as another user. The
  /// service could not write a database that belongs to root. SQLite does the same with its
  /// journals.
  private let owner: FileFacts.Owner?

  /// Opens the directory.
  ///
  /// It and the directories above it are made if they are missing.
  static func open(of file: DatabaseFile) throws(UpgradeError) -> DataDirectory {
    let path = file.directory
    let (made, facts) = try make(path, for: file)
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      try OpenFile.directory(path)
    }
    return DataDirectory(path: path, made: made, directory: directory, owner: ownerOfNew(in: facts))
  }

  /// The result of `lock`.
  enum Lock {
    /// This process has the lock.
    ///
    /// Every process that can reach the files respects it.
    case ours
    /// The file system has no locks, or a lock holds on one machine only.
    case unsupported
    /// Another process still has the lock.
    ///
    /// It may be any process that can read the directory.
    case held
  }

  /// Waits for the lock while another boot makes a database in the directory.
  ///
  /// Any process that can read a directory can lock it. So the lock only saves work: of eight
  /// processes that start together, one makes a copy. No promise depends on it. A boot waits while
  /// the holder's copy grows, but at most for half of the time that it may wait. If the copy does
  /// not grow, the boot waits only for a moment. So a process that may not write in the directory
  /// cannot stop a boot.
  borrowing func lock(_ file: DatabaseFile, _ deadline: Deadline) throws(UpgradeError) -> Lock {
    var attempt = 0
    var copies: Set<FileFacts> = []
    var unchangedSince = ContinuousClock.now
    // The other half of the time is for SQLite's locks.
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
        guard !deadline.mustStopNow else { throw .cancelled(reached: nil) }
        return .held
      }
      attempt += 1
    }
  }

  /// Syncs the directory, so that a new name in it survives a power cut.
  borrowing func sync() throws(UpgradeError) {
    try Self.sync(directory, path)
  }

  /// Accepts a file system that cannot sync a directory.
  ///
  /// On such a file system Uplift cannot make names durable.
  private static func sync(_ directory: borrowing OpenFile, _ path: Path) throws(UpgradeError) {
    do {
      try directory.sync()
    } catch  where error.isUnsupported {
      return
    } catch {
      throw UpgradeError(error, at: path)
    }
  }

  /// Syncs all directories above this one, the innermost first, so that their names survive a power
  /// cut.
  ///
  /// It is called before there is a database, because a boot that finds a database does not sync
  /// these directories. It also syncs directories that existed already: a boot that was killed may
  /// have made them without a sync. It stops at the first directory that cannot be opened or
  /// synced. It throws only if this boot made the directory below that one.
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

  /// Gives a new file to the directory's owner, if this process runs as root.
  borrowing func giveToOwner(_ file: borrowing OpenFile) throws(SystemError) {
    if let owner { try file.setOwner(owner) }
  }

  /// Gives an existing empty database to the directory's owner, if this process runs as root.
  ///
  /// The file is not opened for that, because closing it would drop the locks that SQLite has on it
  /// in this process.
  borrowing func giveToOwner(_ file: DatabaseFile) throws(UpgradeError) {
    guard let owner, let facts = try file.facts() else { return }
    try UpgradeError.at(Path(file.shown)) { () throws(SystemError) in
      try System.giveAway(file.path, facts, to: owner)
    }
  }

  /// Makes the missing directories of a path.
  ///
  /// Returns them, and the facts of the innermost directory that existed before.
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
        guard try System.makeDirectory(path), let owner = ownerOfNew(in: found) else { return }
        try OpenFile.directoryItself(path).setOwner(owner)
      }
    }
    return (missing, found)
  }

  /// The owner of the directory, if this process runs as root and the owner is another user.
  private static func ownerOfNew(in directory: FileFacts) -> FileFacts.Owner? {
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
