internal import UpliftSystem

/// The directory of the backups of one database.
struct BackupDirectory {
  let path: Path
  private let shown: String
  let names: VersionedName
  private let database: Path

  /// `upgrader` says where the seed and the scripts are.
  init(
    _ directory: String, of database: Path, _ upgrader: Upgrader
  ) throws(UpgradeError) {
    path = try Self.check(directory, databases: database.parent, upgrader)
    shown = directory
    names = VersionedName(of: database)
    self.database = database
    guard longestName.count <= 255 else { throw .path(database.shown, .nameTooLong) }
  }

  private var longestName: [UInt8] {
    names.name(suffix: "-2147483647-replaced_999") + Array(Self.ending.utf8)
  }

  /// Refuses a directory whose backups SQLite could not open; the directory must be there.
  func checkLength() throws(UpgradeError) {
    let longest = try UpgradeError.at(path) { () throws(SystemError) in
      try System.resolve(path)
    }.appending(longestName)
    guard longest.bytes.count <= UpgradeError.PathProblem.longest else {
      throw .path(longest.shown, .tooLong(bytes: longest.bytes.count))
    }
  }

  /// Checks the directory for the backups of the databases in another directory.
  ///
  /// It must not be the directory of the databases, because a backup could replace one of them. It
  /// must not be that of the seed or the scripts, because a backup could be taken for a part of the
  /// release.
  @discardableResult
  static func check(
    _ directory: String, databases: Path, _ upgrader: Upgrader
  ) throws(UpgradeError) -> Path {
    guard !directory.isEmpty else { throw .path(directory, .empty) }
    guard !directory.utf8.contains(0) else { throw .path(directory, .zeroByte) }
    let path = Path(directory)
    let facts = try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
    guard let facts else {
      let isLink = try UpgradeError.at(path) { () throws(SystemError) in try System.isLink(path) }
      if isLink { throw .path(directory, .notADirectory) }
      // The directory of the database may not be there yet.
      let place = try UpgradeError.at(path) { () throws(SystemError) in
        path.isAbsolute ? path : try System.resolve(Path(".")).appending(path.bytes)
      }
      let names = place.names.filter { !$0.elementsEqual(".".utf8) }
      if names == databases.names { throw .path(directory, .holdsDatabase) }
      return path
    }
    guard facts.kind == .directory else { throw .path(directory, .notADirectory) }
    if try identity(of: databases) == facts.identity { throw .path(directory, .holdsDatabase) }
    try upgrader.refuseResources(directory)
    return path
  }

  static func identity(of path: Path) throws(UpgradeError) -> FileFacts.Identity? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)?.identity
    }
  }

  /// Refuses a file that is the database under another name, and a link.
  ///
  /// To open and close the database would drop SQLite's locks on it. Uplift makes no link, so
  /// another user has made it, perhaps to show what only this process may read.
  func refuseOtherFile(at file: Path) throws(UpgradeError) {
    if try isDatabase(file) { throw .backup(file, .isDatabase) }
    let isLink = try UpgradeError.at(file) { () throws(SystemError) in try System.isLink(file) }
    if isLink { throw .backup(file, .isLink) }
  }

  func isDatabase(_ file: Path) throws(UpgradeError) -> Bool {
    guard let own = try Self.identity(of: database) else { return false }
    return try own == Self.identity(of: file)
  }

  /// The path of the backup at a version.
  func file(at version: Version) -> Path { path.appending(names.name(at: version)) }

  /// The second name of a backup that was made right before a script without a transaction.
  ///
  /// If the script fails after a change, this name stays, and the next backup takes only the first
  /// name.
  func file(earlierAt version: Version) -> Path {
    path.appending(names.name(at: version, suffix: VersionedName.earlierSuffix))
  }

  /// The name of the copy of the old content while a restore writes the copy.
  var partialReplaced: Path { partial(of: path.appending(names.name(suffix: "-replaced"))) }

  /// The name of a backup while it is written.
  ///
  /// No other file has this ending, so a partial file is never taken for a backup.
  func partial(of backup: Path) -> Path { backup + Self.ending }

  /// A name with this ending is Uplift's own; the documentation says so.
  private static let ending = ".uplift-part"

  /// Makes the directory, if it is not there, with the mode and the owner of the database's
  /// directory.
  ///
  /// So only users who can reach the database can reach its backups. The name of the directory is
  /// synced, so that it survives a power cut; an upgrade that was killed may have made it.
  func make() throws(UpgradeError) {
    do throws(SystemError) {
      guard try System.facts(of: path, followingLinks: true) == nil,
        try System.makeDirectory(path),
        let facts = try System.facts(of: database.parent, followingLinks: true)
      else {
        try? OpenFile.directory(path.parent).sync()
        return
      }
      let made = try OpenFile.directoryItself(path)
      if System.isRoot { try made.setOwner(facts.owner) }
      try made.setMode(facts.mode)
      do {
        try OpenFile.directory(path.parent).sync()
      } catch  where error.isUnsupported {}
    } catch {
      throw error.isNotThere ? .missing(.backups, path: shown) : UpgradeError(error, at: path)
    }
  }

  /// The versions of which there is a backup, in ascending order; none if there is no directory.
  func versions() throws(UpgradeError) -> [Version] { try list(names.version) }

  func list(_ version: ([UInt8]) -> Version?) throws(UpgradeError) -> [Version] {
    do {
      return try System.names(in: path).compactMap(version).sorted()
    } catch {
      if error.isNotThere { return [] }
      throw UpgradeError(error, at: path)
    }
  }

  /// The version of the newest backup that is not above the target; nil if there is none.
  ///
  /// As a rule the newest backup has the highest version. After a restore, a backup of a lower
  /// version may be newer. Only the times of the files show that, and a copy of the directory or a
  /// wrong clock changes them. So this throws if a backup of a lower version has a later time.
  func latest(notAbove target: Version?) throws(UpgradeError) -> Version? {
    let versions = try versions().filter { version in target.map { version <= $0 } ?? true }
    guard let latest = versions.last else { return nil }
    // It may be gone, or a link to an archive that is not mounted. Whoever opens it says so.
    guard let made = try timeOfBackup(at: latest) else { return latest }
    for version in versions.dropLast() {
      if let other = try timeOfBackup(at: version), other > made {
        throw .backup(file(at: latest), .olderThan(file(at: version).shown))
      }
    }
    return latest
  }

  private func timeOfBackup(at version: Version) throws(UpgradeError) -> FileFacts.Moment? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: file(at: version), followingLinks: true)?.modified
    }
  }

  func identity(at version: Version) throws(UpgradeError) -> FileFacts.Identity? {
    try Self.identity(of: file(at: version))
  }

  func content(at version: Version) throws(UpgradeError) -> FileFacts.Content? {
    try Self.content(of: file(at: version))
  }

  /// A link is a file of its own here: nobody else's link is a name of a backup.
  static func content(of path: Path) throws(UpgradeError) -> FileFacts.Content? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: false)?.content
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

extension Upgrader {
  /// Refuses a directory for copies of the database if it is that of the seed or the scripts: the
  /// rows of users would ship with the next release.
  package func refuseResources(_ directory: String) throws(UpgradeError) {
    guard let own = try BackupDirectory.identity(of: Path(directory)) else { return }
    if case .file(let seed)? = seed?.source,
      try BackupDirectory.identity(of: seed.parent) == own
    {
      throw .path(directory, .holdsSeed)
    }
    for source in migrations.sources {
      if case .directory(let scripts) = source,
        try BackupDirectory.identity(of: Path(scripts)) == own
      {
        throw .path(directory, .holdsScripts)
      }
    }
  }
}
