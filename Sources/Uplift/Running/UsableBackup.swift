internal import UpliftSQLite
internal import UpliftSystem

/// A backup that a restore may put back.
struct UsableBackup {
  let path: Path
  let version: Version
  let header: DatabaseHeader
  /// The file, before anything of it was read.
  let facts: FileFacts?

  /// The backup of the version that is wanted, or the latest one that the program can use.
  init(
    _ wanted: Version?, target: Version?, in directory: BackupDirectory
  ) throws(UpgradeError) {
    version = try Self.choose(wanted, target: target, in: directory)
    path = directory.file(at: version)
    try directory.refuseOtherFile(at: path)
    try Self.refuseEarlier(at: version, in: directory)
    facts = try Self.facts(path)
    header = try Self.header(of: path)
    guard header.version == version else { throw .backup(path, .otherVersion(header.version)) }
  }

  /// True if no program has replaced or written the file meanwhile.
  var isUnchanged: Bool {
    do {
      return try Self.facts(path) == facts
    } catch {
      return false
    }
  }

  /// Opens the file, so that `isWhole` can look at it later.
  func opened() throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.readingItself(path)
    } catch {
      if error.isNotThere { throw .backup(path, .notThere) }
      throw error.isLinkLoop ? .backup(path, .isLink) : UpgradeError(error, at: path)
    }
  }

  /// True if no program has written into the file meanwhile; another one may have its name by now.
  ///
  /// Only `isUnchanged` notices a program that sets the old time again (`cp -p`).
  func isWhole(_ opened: borrowing OpenFile) -> Bool {
    guard let facts else { return false }
    return (try? opened.facts())?.content == facts.content
  }

  private static func choose(
    _ wanted: Version?, target: Version?, in directory: BackupDirectory
  ) throws(UpgradeError) -> Version {
    let chosen: Version?
    if let wanted {
      chosen = try directory.versions().first { $0 == wanted }
    } else if let latest = try directory.latest(notAbove: target) {
      chosen = latest
    } else {
      // If there is one, it is above the target.
      chosen = try directory.versions().first
    }
    guard let chosen else {
      throw .backup(wanted.map { directory.file(at: $0) } ?? directory.path, .notThere)
    }
    if let target, chosen > target {
      throw .backup(directory.file(at: chosen), .aboveTarget(target))
    }
    return target.map { chosen.written(like: $0) } ?? chosen
  }

  /// Refuses a backup if another file has its second name.
  ///
  /// That file is from before a script without a transaction, which did not end. So this backup may
  /// have changes of that script.
  private static func refuseEarlier(
    at version: Version, in directory: BackupDirectory
  ) throws(UpgradeError) {
    let (backup, earlier) = (directory.file(at: version), directory.file(earlierAt: version))
    // Somebody may have moved the earlier one to an archive, and left a link.
    let isLink = try UpgradeError.at(earlier) { () throws(SystemError) in
      try System.isLink(earlier)
    }
    let isThere = try directory.hasSecondName(at: version)
    let (own, other) = (try facts(backup)?.identity, try facts(earlier)?.identity)
    guard isLink || isThere, other != own else { return }
    throw .backup(backup, .hasEarlier(earlier.shown))
  }

  /// The header of a backup, which has no journal or log beside it.
  ///
  /// SQLite would apply that to the content that it puts back, or to the next backup of this name.
  static func header(of backup: Path) throws(UpgradeError) -> DatabaseHeader {
    do {
      return try SeedFile.header(of: SeedFile.open(backup, followingLinks: false), backup)
    } catch {
      if case .missing = error { throw .backup(backup, .notThere) }
      guard case .seed(let seed) = error else { throw error }
      if case .journalBeside(let journal) = seed.problem {
        throw .backup(backup, .journalBeside(journal))
      }
      throw .backup(backup, .damaged(words: seed.problem.words))
    }
  }

  /// Refuses the backup if it is another application's.
  func refuseForeign(_ applicationID: Int32) throws(UpgradeError) {
    guard applicationID == header.applicationID else {
      throw .foreign(
        path: path.shown, applicationID: header.applicationID, expected: applicationID)
    }
  }

  /// Checks that the backup is a whole database.
  func check(prepare: Upgrader.Prepare?, _ deadline: Deadline) throws(UpgradeError) {
    let connection = try open(deadline)
    try connection.prepare(by: prepare, at: path.shown)
    let words: String?
    do {
      words = try Self.damage(in: connection)
    } catch {
      throw Self.fault(error, of: path, deadline)
    }
    if let words { throw .backup(path, .damaged(words: words)) }
  }

  /// True if `quick_check` finds damage in a file, or cannot read it.
  static func isDamaged(
    _ file: Path, prepare: Upgrader.Prepare?, _ deadline: Deadline
  ) throws(UpgradeError) -> Bool {
    do throws(SQLiteError) {
      let connection = try Connection(
        path: file.bytes, access: .immutable, deadline: deadline)
      // Without its collations, a table would not be checked.
      try? connection.prepare(by: prepare, at: file.shown)
      return try damage(in: connection) != nil
    } catch {
      let fault = fault(error, of: file, deadline)
      guard case .backup = fault else { throw fault }
      return true
    }
  }

  /// The meaning of an error of SQLite while it reads a backup.
  ///
  /// The backup is damaged, unless the machine is at fault: it has too few open files, for example.
  private static func fault(
    _ error: SQLiteError, of backup: Path, _ deadline: Deadline
  ) -> UpgradeError {
    if deadline.mustStopNow { return .cancelled(reached: nil) }
    let translated = UpgradeError(error, at: backup.shown, reached: nil)
    switch translated {
    case .tooManyFiles, .disk, .busy: return translated
    default:
      return error.code.primary == .noMemory
        ? translated : .backup(backup, .damaged(words: error.message))
    }
  }

  /// What `quick_check` finds.
  ///
  /// On a connection that only reads, SQLite tries no `CHECK`. A backup may have rows that break
  /// one, because the database had them.
  static func damage(in backup: borrowing Connection) throws(SQLiteError) -> String? {
    do {
      return try backup.damage(foundBy: "quick_check")
    } catch {
      // Perhaps only the service has a collation that a table needs. The pages are copied without
      // it.
      guard error.code.primary == .error else { throw error }
      return try backup.damageInTables()
    }
  }

  func open(_ deadline: Deadline) throws(UpgradeError) -> Connection {
    // The directory may be behind a link.
    let parent = try UpgradeError.at(path) { () throws(SystemError) in
      try System.resolve(path.parent)
    }
    do {
      return try Connection(
        path: parent.appending(path.name).bytes, access: .immutableItself, deadline: deadline)
    } catch {
      // An upgrade that runs now may have removed a backup that it had made on the way.
      if try Self.facts(path) == nil { throw .backup(path, .notThere) }
      throw Self.fault(error, of: path, deadline)
    }
  }

  private static func facts(_ path: Path) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }
}
