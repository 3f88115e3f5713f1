internal import UpliftSystem

/// The directory of the backups of one database.
struct BackupDirectory {
  let path: Path
  private let shown: String
  private let names: VersionedName
  private let database: Path
  /// The listing that the databases of one run share; nil for a database by itself.
  private let listing: BackupListing?

  /// Refuses the directory of the database: a backup could replace another database there.
  init(
    _ directory: String, of database: Path, listing: BackupListing? = nil
  ) throws(UpgradeError) {
    self.listing = listing
    guard !directory.isEmpty else { throw .path(directory, .empty) }
    guard !directory.utf8.contains(0) else { throw .path(directory, .zeroByte) }
    path = Path(directory)
    shown = directory
    names = VersionedName(of: database)
    self.database = database
    if let own = try Self.identity(of: path), try own == Self.identity(of: database.parent) {
      throw .path(directory, .holdsDatabase)
    }
  }

  private static func identity(of path: Path) throws(UpgradeError) -> FileFacts.Identity? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)?.identity
    }
  }

  /// Refuses a file that is the database under another name.
  ///
  /// To open and close it would drop SQLite's locks on the database.
  func refuseDatabase(at file: Path) throws(UpgradeError) {
    if try isDatabase(file) { throw .backup(file, .isDatabase) }
  }

  func isDatabase(_ file: Path) throws(UpgradeError) -> Bool {
    guard let own = try Self.identity(of: database) else { return false }
    return try own == Self.identity(of: file)
  }

  /// The path of the backup at a version.
  func file(at version: Version) -> Path { path.appending(names.name(at: version)) }

  /// The path of an earlier backup of the same version, which a script without a transaction may make
  /// worth more than the latest.
  func file(earlierAt version: Version) -> Path {
    path.appending(names.name(at: version, suffix: "-earlier"))
  }

  /// The name of the state that a restore replaces, while it is written.
  var replacedTorso: Path { torso(of: path.appending(names.name(suffix: "-replaced"))) }

  /// The name of a backup while it is written.
  ///
  /// No other file has this ending, so a torso is never taken for a backup.
  func torso(of backup: Path) -> Path { backup + ".part" }

  /// The path of a file for the state that a restore replaces, which has a name of its own.
  func file(replacedAt version: Version) throws(UpgradeError) -> Path {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? "-replaced" : "-replaced-\(attempt)"
      let file = path.appending(names.name(at: version, suffix: suffix))
      let facts = try UpgradeError.at(file) { () throws(SystemError) in
        try System.facts(of: file, followingLinks: false)
      }
      if facts == nil { return file }
      attempt += 1
    }
  }

  /// Makes the directory, if it is not there.
  func make() throws(UpgradeError) {
    do throws(SystemError) {
      guard try System.facts(of: path, followingLinks: true) == nil else { return }
      _ = try System.makeDirectory(path)
    } catch {
      throw error.isNotThere ? .missing(.backups, path: shown) : UpgradeError(error, at: path)
    }
  }

  /// The versions of which there is a backup, in ascending order; none if there is no directory.
  func versions() throws(UpgradeError) -> [Version] {
    if let listing {
      return listing.names(beginningWith: names.start).compactMap(names.version).sorted()
    }
    do {
      return try System.names(in: path).compactMap(names.version).sorted()
    } catch {
      if error.isNotThere { return [] }
      throw UpgradeError(error, at: path)
    }
  }

  /// Deletes the backups of the lowest versions, and keeps the newest and the one just made.
  ///
  /// At least one backup stays. A backup that cannot be deleted stays, too: the upgrade has
  /// succeeded. Files for which `isBackup` is false play no part: people keep others with such names.
  func prune(
    keeping count: Int, and made: Version, isBackup: (Path, Version) -> Bool
  ) {
    do {
      // A listing from before the run does not have the backup that was just made.
      let versions = Set(try versions() + [made]).sorted().filter { version in
        version == made || isBackup(file(at: version), version)
      }
      for version in versions.dropLast(max(count, 1)) where version != made {
        System.discard(file(at: version))
        let earlier = file(earlierAt: version)
        if isBackup(earlier, version) { System.discard(earlier) }
      }
    } catch {
      return
    }
  }

  /// Syncs the directory, so that a new name in it survives a power cut.
  func sync() throws(UpgradeError) {
    do {
      try OpenFile.directory(path).sync()
    } catch {
      if error.isUnsupported { return }
      throw UpgradeError(error, at: path)
    }
  }
}
