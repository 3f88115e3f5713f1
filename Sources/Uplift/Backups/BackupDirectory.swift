internal import UpliftSystem

/// The directory of backups, and those of one database in it.
struct BackupDirectory {
  let path: Path
  let names: BackupNames
  private let database: Path

  /// Checks the directory; if only its last part is missing, the first backup makes it.
  ///
  /// `forWriting` also asks for the right to write; a restore of a missing database needs none.
  /// `upgrader` says where the seed and the scripts are.
  init(
    _ directory: String, of database: Path, _ upgrader: Upgrader, forWriting: Bool
  ) throws(UpgradeError) {
    path = try Self.check(directory, databases: database.parent, upgrader, forWriting: forWriting)
    self.database = database
    let resolved = try? System.resolve(database.parent).appending(database.name)
    names = BackupNames(of: resolved ?? database)
    guard names.longest.count <= 255 else { throw .nameTooLong(database.shown) }
  }

  /// Refuses the directory of the databases, and one of the release: a backup could be taken for a
  /// database, or the rows of users would ship with the next release.
  private static func check(
    _ directory: String, databases: Path, _ upgrader: Upgrader, forWriting: Bool
  ) throws(UpgradeError) -> Path {
    var bytes = try Path(checked: directory).bytes
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let path = Path(bytes)
    let holdsDatabase = UpgradeError.unusable(
      directory, "holds the database, so it cannot hold its backups")
    var existing = path
    if let facts = try path.facts() {
      guard facts.kind == .directory else { throw .notADirectory(directory) }
      func isHere(_ other: Path) throws(UpgradeError) -> Bool {
        try other.facts()?.identity == facts.identity
      }
      if try isHere(databases) { throw holdsDatabase }
      if case .file(let seed)? = upgrader.seed?.source, try isHere(seed.parent) {
        throw .holdsSeed(directory)
      }
      for scripts in upgrader.migrations.directories where try isHere(Path(scripts)) {
        throw .unusable(directory, "holds the scripts, so no database may lie there")
      }
    } else {
      if try path.isLink() { throw .notADirectory(directory) }
      let names = try path.absolute().names.filter { !$0.elementsEqual(".".utf8) }
      // The directory of the database may not be there yet.
      if names == databases.names { throw holdsDatabase }
      existing = names.dropLast().reduce(Path("/")) { $0.appending($1) }
      guard try existing.facts() != nil else {
        throw UpgradeError(
          .missing,
          "the directory of backups \(directory.quoted) cannot be made, because the directory above "
            + "it is not there", fix: "make the directory above it, or correct the path")
      }
    }
    if forWriting, !System.isWritable(existing) {
      throw .denied(directory, "no right to make files in it")
    }
    return path
  }

  /// Makes the directory, if it is not there, with the mode and the owner of the database's
  /// directory, so that nobody else can reach the backups.
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
      try path.parent.syncDirectory()
    } catch {
      if isNew { throw error }
    }
    // SQLite could not open a backup with a longer path.
    let longest = try path.resolved().appending(names.longest)
    try longest.checkLength(shownAs: longest.shown)
  }

  /// The path of a backup.
  func file(_ name: BackupName) -> Path { path.appending(names.bytes(of: name)) }

  /// The backups of this database, the oldest first.
  func backups() throws(UpgradeError) -> [BackupName] {
    try listing().compactMap(names.read).sorted()
  }

  /// All names in the directory; none if it is not there.
  func listing() throws(UpgradeError) -> [[UInt8]] {
    do {
      return try System.names(in: path)
    } catch {
      if error.isNotThere { return [] }
      throw UpgradeError(error, at: path)
    }
  }

  /// Of one version only the first backup and the new one stay, so that failing starts fill no disk.
  func pruneVersion(of new: BackupName) throws(UpgradeError) {
    let same = try backups().filter { !$0.isReplaced && $0.version == new.version && $0 < new }
    for name in same.dropFirst() { System.discard(file(name)) }
  }

  /// Keeps the newest backups, one at least, and always `made`, those that another boot made later,
  /// and what a restore replaced; one that cannot be deleted stays.
  func prune(keeping count: Int, made: BackupName) {
    guard let all = try? backups().filter({ !$0.isReplaced }) else { return }
    for name in all.dropLast(max(count, 1)) where name < made { System.discard(file(name)) }
  }
}
