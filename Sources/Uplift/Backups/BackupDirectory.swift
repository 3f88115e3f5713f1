internal import UpliftSystem

/// The directory of backups, and those of one database in it.
struct BackupDirectory {
  let path: Path
  let names: BackupNames
  private let database: Path

  /// Checks the directory.
  ///
  /// If only its last part is missing, the first backup makes it. `forWriting` also asks for the
  /// right to write; a restore of a missing database needs none. `upgrader` says where the seed
  /// and the scripts are.
  init(
    _ directory: String, of database: Path, _ upgrader: Upgrader, forWriting: Bool
  ) throws(UpgradeError) {
    path = try Self.check(directory, databases: database.parent, upgrader, forWriting: forWriting)
    self.database = database
    names = BackupNames(of: Self.real(database))
    guard longestName.count <= 255 else { throw .path(database.shown, .nameTooLong) }
  }

  private var longestName: [UInt8] {
    names.bytes(of: BackupName(counter: 999_999_999, version: 2_147_483_647, isReplaced: true))
  }

  /// The path without links; as it is if its directory is not there.
  private static func real(_ database: Path) -> Path {
    do {
      return try System.resolve(database.parent).appending(database.name)
    } catch {
      return database
    }
  }

  /// Refuses the directory of the databases, and one of the release: a backup could be taken for a
  /// database, or for a part of the release.
  @discardableResult
  static func check(
    _ directory: String, databases: Path, _ upgrader: Upgrader, forWriting: Bool = true
  ) throws(UpgradeError) -> Path {
    guard !directory.isEmpty else { throw .path(directory, .empty) }
    guard !directory.utf8.contains(0) else { throw .path(directory, .zeroByte) }
    var bytes = Array(directory.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let path = Path(bytes)
    var existing = path
    if let facts = try facts(path) {
      guard facts.kind == .directory else { throw .path(directory, .notADirectory) }
      if try identity(of: databases) == facts.identity { throw .path(directory, .holdsDatabase) }
      try upgrader.refuseResources(directory)
    } else {
      let isLink = try UpgradeError.at(path) { () throws(SystemError) in try System.isLink(path) }
      if isLink { throw .path(directory, .notADirectory) }
      let place = try UpgradeError.at(path) { () throws(SystemError) in
        path.isAbsolute ? path : try System.resolve(Path(".")).appending(path.bytes)
      }
      let names = place.names.filter { !$0.elementsEqual(".".utf8) }
      // The directory of the database may not be there yet.
      if names == databases.names { throw .path(directory, .holdsDatabase) }
      existing = names.dropLast().reduce(Path("/")) { $0.appending($1) }
      guard try facts(existing) != nil else { throw .missing(.backups, path: directory) }
    }
    if forWriting, !System.isWritable(existing) {
      throw .denied(path: directory, words: "no right to make files in it")
    }
    return path
  }

  /// Makes the directory, if it is not there, with the mode and the owner of the database's
  /// directory, so that who cannot reach the database cannot reach its backups.
  ///
  /// Refuses one whose backups SQLite could not open.
  func make() throws(UpgradeError) {
    let isNew = try UpgradeError.at(path) { () throws(SystemError) in
      guard try System.makeDirectory(path) else { return false }
      if let facts = try System.facts(of: database.parent, followingLinks: true) {
        let made = try OpenFile.directoryItself(path)
        if System.isRoot { try made.setOwner(facts.owner) }
        try made.setMode(facts.mode)
      }
      return true
    }
    do throws(UpgradeError) {
      // A boot that was killed may have made it.
      try Self.sync(path.parent)
    } catch {
      if isNew { throw error }
    }
    let longest = try UpgradeError.at(path) { () throws(SystemError) in
      try System.resolve(path)
    }.appending(longestName)
    guard longest.bytes.count <= UpgradeError.PathProblem.longest else {
      throw .path(longest.shown, .tooLong(bytes: longest.bytes.count))
    }
  }

  /// The path of a backup.
  func file(_ name: BackupName) -> Path { path.appending(names.bytes(of: name)) }

  /// The backups of this database, the oldest first; none if there is no directory.
  func backups() throws(UpgradeError) -> [BackupName] {
    try listing().compactMap(names.read).sorted()
  }

  /// A backup of another path, if there is one.
  func backupOfOtherPath() throws(UpgradeError) -> Path? {
    try listing().first(where: names.isOfOtherPath).map { path.appending($0) }
  }

  /// Removes what killed processes have left.
  ///
  /// Who calls this holds the lock to write the database, so nobody else is writing such a file.
  func discardLeftovers() throws(UpgradeError) {
    for name in try listing() where names.temporary.matches(name) {
      System.discard(path.appending(name))
    }
  }

  private func listing() throws(UpgradeError) -> [[UInt8]] {
    do {
      return try System.names(in: path)
    } catch {
      if error.isNotThere { return [] }
      throw UpgradeError(error, at: path)
    }
  }

  /// Of the version of a new backup, only the first one and the new one stay: a service that fails
  /// at each start fills no disk.
  func pruneVersion(of new: BackupName) throws(UpgradeError) {
    let same = try backups().filter {
      !$0.isReplaced && $0.version == new.version && $0 < new
    }
    for name in same.dropFirst() { System.discard(file(name)) }
  }

  /// Keeps the newest backups, and `made`, after an upgrade has succeeded; at least one stays.
  ///
  /// What a restore replaced always stays, and so does a backup that another boot made later. A
  /// backup that cannot be deleted is no error.
  func prune(keeping count: Int, made: BackupName) {
    do {
      let all = try backups().filter { !$0.isReplaced }
      for name in all.dropLast(max(count, 1)) where name < made { System.discard(file(name)) }
    } catch {
      return
    }
  }

  /// Syncs a directory, so that a new name in it survives a power cut.
  static func sync(_ directory: Path) throws(UpgradeError) {
    do {
      try OpenFile.directory(directory).sync()
    } catch {
      if error.isUnsupported { return }
      throw UpgradeError(error, at: directory)
    }
  }

  static func identity(of path: Path) throws(UpgradeError) -> FileFacts.Identity? {
    try facts(path)?.identity
  }

  private static func facts(_ path: Path) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
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
