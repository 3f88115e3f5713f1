internal import UpliftSQLite
internal import UpliftSystem

/// Makes a backup before the first script, and prunes the older ones after the last.
final class BackupKeeper {
  private let options: Upgrader.Backup
  private let file: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline
  private let onBackup: (Version, String) -> Void
  /// The backup that was made.
  private(set) var made: (version: Version, path: Path)?
  private var applicationID: Int32 = 0
  /// The connection that held the lock when it was made, and its number of foreign changes.
  private var madeUnder: (connection: ObjectIdentifier, changes: UInt32)?
  /// True after a script was committed: the backup is from before it, and stays.
  var isDone = false

  init(
    _ options: Upgrader.Backup, of file: DatabaseFile, listing: BackupListing?, deadline: Deadline,
    onBackup: @escaping (Version, String) -> Void
  ) throws(UpgradeError) {
    self.options = options
    self.file = file
    directory = try BackupDirectory(options.directory, of: file.path, listing: listing)
    self.deadline = deadline
    self.onBackup = onBackup
  }

  /// Makes the backup, unless there is one of this very state.
  ///
  /// The transaction holds the write lock, so nobody can write between the backup and the script.
  ///
  /// A script without a transaction may have changed the database in a run before this one, and failed.
  /// So the backup from before it is kept beside the new one (`keepsEarlier`).
  func make(
    in transaction: borrowing WriteTransaction, keepsEarlier: Bool
  ) throws(UpgradeError) {
    guard !isDone else { return }
    let version = transaction.version
    let now = (
      ObjectIdentifier(transaction.connection.scriptGuard), transaction.connection.changesByOthers
    )
    if let made, made.version == version, let madeUnder, madeUnder == now { return }
    let backup = directory.file(at: version)
    let owner: Int64
    do {
      owner = try transaction.connection.integer("PRAGMA application_id")
    } catch {
      throw transaction.translated(error)
    }
    applicationID = Int32(truncatingIfNeeded: owner)
    try directory.refuseDatabase(at: backup)
    try refuse(backup)
    if keepsEarlier, made == nil { try keepEarlier(backup, version) }
    try BackupCopy(
      database: file.path, directory: directory, isLocked: true, deadline: deadline
    ).make(as: backup)
    made = (version, backup)
    madeUnder = now
    onBackup(version, backup.shown)
  }

  /// Refuses to replace a database of another application.
  ///
  /// A backup that is damaged is replaced.
  private func refuse(_ backup: Path) throws(UpgradeError) {
    let header: DatabaseHeader
    do {
      header = try SeedFile.header(of: SeedFile.open(backup), backup)
    } catch {
      // SQLite would take the changes in a log beside it for those of the new file.
      if case .seed(let seed) = error, case .journalBeside = seed.problem {
        throw .backup(backup, .damaged(words: seed.problem.words))
      }
      return
    }
    guard header.applicationID == applicationID || header.applicationID == 0 else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: applicationID)
    }
  }

  /// Gives a backup of this version another name, unless there is one with that name already.
  private func keepEarlier(_ backup: Path, _ version: Version) throws(UpgradeError) {
    guard isBackup(backup, at: version) else { return }
    do {
      try System.publish(backup, as: directory.file(earlierAt: version))
    } catch {
      guard error.isTaken else { throw UpgradeError(error, at: backup) }
    }
  }

  /// Deletes old backups, after the upgrade has succeeded.
  func prune() {
    guard let made else { return }
    directory.prune(keeping: options.keep, and: made.version) { isBackup($0, at: $1) }
  }

  /// True if a file is a backup of this version, made of a database with the same `application_id`.
  private func isBackup(_ file: Path, at version: Version) -> Bool {
    do {
      let facts = try UpgradeError.at(file) { () throws(SystemError) in
        try System.facts(of: file, followingLinks: false)
      }
      guard facts?.kind == .file, try !directory.isDatabase(file) else { return false }
      let header = try SeedFile.header(of: SeedFile.open(file), file)
      return header.version == version && header.applicationID == applicationID
    } catch {
      return false
    }
  }
}
