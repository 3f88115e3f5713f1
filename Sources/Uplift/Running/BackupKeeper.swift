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
  /// The connection that held the lock when it was made, and its number of foreign changes.
  private var madeUnder: (connection: ObjectIdentifier, changes: UInt32)?
  /// True after a script was committed: the backup is from before it, and stays.
  var isDone = false

  init(
    _ options: Upgrader.Backup, of file: DatabaseFile, deadline: Deadline,
    onBackup: @escaping (Version, String) -> Void
  ) throws(UpgradeError) {
    self.options = options
    self.file = file
    directory = try BackupDirectory(options.directory, of: file.path)
    self.deadline = deadline
    self.onBackup = onBackup
  }

  /// Makes the backup, unless there is one of this very state.
  ///
  /// The transaction holds the write lock, so nobody can write between the backup and the script.
  func make(in transaction: borrowing WriteTransaction) throws(UpgradeError) {
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
    try refuse(backup, of: Int32(truncatingIfNeeded: owner))
    try BackupCopy(database: file.path, directory: directory, deadline: deadline).make(as: backup)
    made = (version, backup)
    madeUnder = now
    onBackup(version, backup.shown)
  }

  /// Refuses to replace a database of another application.
  ///
  /// A backup that is damaged is replaced.
  private func refuse(_ backup: Path, of applicationID: Int32) throws(UpgradeError) {
    let header: DatabaseHeader
    do {
      header = try SeedFile.header(of: .file(backup.shown))
    } catch {
      return
    }
    guard header.applicationID == applicationID || header.applicationID == 0 else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: applicationID)
    }
  }

  /// Deletes old backups, after the upgrade has succeeded.
  func prune() throws(UpgradeError) {
    guard let made else { return }
    try directory.prune(keeping: options.keep, and: made.version)
  }
}
