internal import UpliftSQLite
internal import UpliftSystem

/// The directory of the database, which is locked while the database is made.
struct DataDirectory: ~Copyable {
  private let path: Path
  /// The directories that had to be made, the outermost first.
  private let made: [Path]
  private let directory: OpenFile
  /// The owner of the directory, who gets a new database if this process runs as root: the entry
  /// point of a container may start the service as another user.
  private let owner: FileFacts.Owner?

  /// Opens the directory; it and the directories above it are made if they are missing.
  static func open(of file: DatabaseFile) throws(UpgradeError) -> DataDirectory {
    let path = file.path.parent
    var missing: [Path] = []
    var existing = path
    var facts = try existing.facts()
    while facts == nil, existing != Path("/") {
      missing.insert(existing, at: 0)
      existing = existing.parent
      facts = try existing.facts()
    }
    guard let facts, facts.kind == .directory else {
      throw .parentNotADirectory(file.shown, existing.shown)
    }
    let owner = System.isRoot && !facts.owner.isRoot ? facts.owner : nil
    for path in missing {
      try UpgradeError.at(path) { () throws(SystemError) in
        guard try System.makeDirectory(path), let owner else { return }
        try OpenFile.directoryItself(path).setOwner(owner)
      }
    }
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      try OpenFile.directory(path)
    }
    return DataDirectory(path: path, made: missing, directory: directory, owner: owner)
  }

  /// Waits for the lock, two seconds at most, while another boot makes a database in the directory;
  /// true if this process has it, and every process that can reach the files respects it.
  ///
  /// It only saves work: any process that can read a directory can lock it.
  borrowing func lock(_ deadline: Deadline) throws(UpgradeError) -> Bool {
    let start = ContinuousClock.now
    var attempt = 0
    // The other half of a short patience is for SQLite's locks.
    let reserve = deadline.timeLeft / 2
    while true {
      do {
        if try directory.lock() { return System.fileSystem(of: path).isLocal }
      } catch {
        if error.isUnsupported { return false }
        throw UpgradeError(error, at: path)
      }
      let isEarly = ContinuousClock.now - start < .seconds(2) && deadline.timeLeft > reserve
      guard isEarly, deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled() }
        return false
      }
      attempt += 1
    }
  }

  /// The same as `Path.syncDirectory`.
  borrowing func sync() throws(UpgradeError) {
    do {
      try directory.sync()
    } catch {
      if !error.isUnsupported { throw UpgradeError(error, at: path) }
    }
  }

  /// Syncs all directories above this one, so that their names survive a power cut.
  ///
  /// A boot that was killed may have made them without a sync. One that cannot be synced is an error
  /// only if this boot made the one below.
  borrowing func syncParents() throws(UpgradeError) {
    var child = path
    while child != Path("/"), child != Path(".") {
      do {
        try child.parent.syncDirectory()
      } catch {
        guard made.contains(child) else { return }
        throw error
      }
      child = child.parent
    }
  }

  /// Gives a new file to the directory's owner, if this process runs as root.
  borrowing func giveToOwner(_ file: borrowing OpenFile) throws(SystemError) {
    if let owner { try file.setOwner(owner) }
  }

  /// The same for an empty database: to open and close it would drop SQLite's locks on it.
  borrowing func giveToOwner(_ file: DatabaseFile) throws(UpgradeError) {
    guard let owner, let facts = try file.facts() else { return }
    try UpgradeError.at(Path(file.shown)) { () throws(SystemError) in
      try System.giveAway(file.path, facts, to: owner)
    }
  }
}

/// Temporary files that crashed boots have left in the data directory: a part of a copy of the seed,
/// or a second name of the live database.
enum Leftovers {
  /// Removes the leftovers; one that cannot be removed does not stop a boot.
  ///
  /// The copy of a boot that is still running looks the same, so this is called only under a lock
  /// that every process respects, or after the database exists. A boot that loses its copy
  /// nevertheless makes another.
  static func discard(of file: DatabaseFile) {
    let name = TemporaryName(of: file.path.name)
    do {
      let database = try System.facts(of: file.path, followingLinks: false)
      for other in try System.names(in: file.path.parent) where name.matches(other) {
        let path = file.path.parent.appending(other)
        guard let facts = try System.facts(of: path, followingLinks: false), facts.kind == .file,
          facts.links == 1 || facts.identity == database?.identity
        else { continue }
        System.discard(path)
      }
    } catch {
      // They stay.
    }
  }
}

/// The name of the file in which a new database is made: `.app.db.hkmtwzxxrpgnvskj.uplift`.
///
/// A later boot removes every file with such a name. No word and no hexadecimal number looks like
/// its sixteen random letters from `g` to `z`.
package struct TemporaryName {
  private static let count = 16
  private static let letters = UInt8(ascii: "g")...UInt8(ascii: "z")
  private static let end = Array(".uplift".utf8)

  private let start: [UInt8]

  /// The database's name is cut if it is very long, because a file's name has at most 255 bytes.
  package init(of database: some Collection<UInt8>) {
    start = Array(".".utf8) + database.prefix(200) + Array(".".utf8)
  }

  /// A new random name; processes that copied into one file would spoil each other's copy.
  package func next() -> [UInt8] {
    start + (0..<Self.count).map { _ in UInt8.random(in: Self.letters) } + Self.end
  }

  /// True if this type has made the name, in this or another process.
  package func matches(_ name: some Collection<UInt8>) -> Bool {
    name.count == start.count + Self.count + Self.end.count && name.starts(with: start)
      && name.suffix(Self.end.count).elementsEqual(Self.end)
      && name.dropFirst(start.count).prefix(Self.count).allSatisfy(Self.letters.contains)
  }
}
