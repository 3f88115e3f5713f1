internal import UpliftSQLite
internal import UpliftSystem

/// Makes a backup before the first script, and before each one without a transaction; deletes old
/// backups after the upgrade.
final class BackupKeeper {
  private let directory: BackupDirectory
  private let keep: Int
  private let file: DatabaseFile
  private let prepare: Upgrader.Prepare?
  private let deadline: Deadline
  private let onBackup: (Version, String) -> Void
  /// The latest backup that was made before a script was committed: what the database held before
  /// the upgrade.
  private(set) var made: (version: Version, path: Path)?
  /// The backups that were made later, before a script without a transaction.
  private var madeLater: [(version: Version, file: FileFacts.Content)] = []
  private var secondNames: SecondNames
  /// The backups from before this upgrade that made room for a new one, each with the name that it
  /// has while the new one exists.
  private var movedAway: [Version: Path] = [:]
  /// The version of the latest backup that was made.
  private var latest: Version?
  private var applicationID: Int32 = 0
  /// The backup of this upgrade, locked until the upgrade ends.
  private var locked: OpenFile?
  /// The backups from before this upgrade, without those of upgrades that are running.
  ///
  /// Only these may be deleted.
  private let old: Set<FileFacts>
  /// The guard of the connection that held the lock when the backup was made, and the connection's
  /// `dataVersion`, which changes when another connection changes the database.
  ///
  /// The guard is kept, so that no later guard has the same address.
  private var madeUnder: (scriptGuard: ScriptGuard, changes: UInt32)?
  /// The version of the latest script that was committed.
  ///
  /// From then on, only scripts without a transaction need a backup.
  private var committed: Version?
  private var hasCommitted: Bool { committed != nil }

  /// `began` is when the upgrade began, before it waited for the database.
  init(
    _ directory: BackupDirectory, keep: Int, of file: DatabaseFile, since began: FileFacts.Moment,
    prepare: Upgrader.Prepare?, deadline: Deadline, onBackup: @escaping (Version, String) -> Void
  ) {
    self.directory = directory
    self.keep = keep
    self.file = file
    self.prepare = prepare
    self.deadline = deadline
    self.onBackup = onBackup
    secondNames = SecondNames(directory)
    old = directory.unlockedBackups(before: began)
  }

  deinit { locked?.unlock() }

  /// Makes the backup, unless this keeper has made one and nothing has changed since.
  ///
  /// The transaction holds the write lock, so nobody can write between the backup and the script.
  ///
  /// The changes of a script without a transaction (`runsAlone`) stay if it fails. So there is a
  /// backup from right before it, even if other scripts were committed. If the script must wait and
  /// begin again, no second backup is made, because it would have the changes of the first attempt.
  /// The backup also gets a second name. If the script fails, the next backup contains its changes
  /// and takes the first name, and the second name still leads to the state before the script.
  func make(
    in transaction: borrowing WriteTransaction, runsAlone: Bool
  ) throws(UpgradeError) {
    if let last = committed, transaction.version < last {
      // A restore has set the database back, so that the scripts begin again.
      (committed, latest) = (nil, nil)
    }
    guard !hasCommitted || runsAlone else { return }
    secondNames.beginAttempt()
    // There is nothing to go back to.
    let database = try file.facts()
    if database?.size == 0 { return }
    let version = transaction.version
    let now = (
      scriptGuard: transaction.connection.scriptGuard, changes: transaction.connection.dataVersion
    )
    let isUnchanged = madeUnder.map {
      $0.scriptGuard === now.scriptGuard && $0.changes == now.changes
    }
    let backup = directory.file(at: version)
    if latest == version, runsAlone || isUnchanged == true {
      // The name may have been removed while the script waited.
      if runsAlone { try addSecondName(at: version, in: transaction) }
      return
    }
    let (id, hasSchema, hasTables): (Int64, Bool, Bool)
    do {
      id = try transaction.connection.integer("PRAGMA application_id")
      hasSchema = try transaction.connection.integer("SELECT count(*) FROM sqlite_master") > 0
      hasTables = try transaction.connection.hasOwnTables()
    } catch {
      throw transaction.translated(error)
    }
    applicationID = Int32(truncatingIfNeeded: id)
    _ = try directory.refuseToReplace(backup, at: version, ofApplication: applicationID)
    if runsAlone {
      // Otherwise a copy would be made, and then its second name refused.
      let earlier = directory.file(earlierAt: version)
      _ = try directory.refuseToReplace(earlier, at: version, ofApplication: applicationID)
    }
    do throws(UpgradeError) {
      try copy(in: transaction, to: backup) { copy throws(UpgradeError) in
        // Another file may have the path by now, and have been copied.
        try transaction.checkPlace()
        try check(copy, version, hasSchema)
        if hasCommitted { try moveAway(backup, version) }
        if hasTables {
          try directory.keepSoundBackup(at: version, than: copy, prepare: prepare, deadline)
        } else {
          try LostDatabase(directory).keepBackups()
        }
        // That may have taken long. A backup of another application may have come, and the database
        // may be gone. A file that looks damaged may be another application's, too.
        if try directory.refuseToReplace(backup, at: version, ofApplication: applicationID) {
          try directory.addReplacedName(at: version)
        }
        do throws(UpgradeError) {
          try transaction.checkPlace()
        } catch {
          // It may be all that is left.
          if isGone(database?.identity) { try directory.keep(copy, replacedAt: version) }
          throw error
        }
      }
    } catch {
      giveNameBack(at: version)
      if case .cancelled = error { throw .cancelled(reached: version) }
      throw error
    }
    if runsAlone { try addSecondName(at: version, in: transaction) }
    if hasCommitted {
      if let file = try directory.content(at: version) { madeLater.append((version, file)) }
    } else {
      made = (version, backup)
      locked = directory.lock(backup)
    }
    latest = version
    madeUnder = now
    onBackup(version, backup.shown)
  }

  /// True if the database surely is not there any more, or is another file.
  private func isGone(_ database: FileFacts.Identity?) -> Bool {
    do {
      return try file.facts()?.identity != database
    } catch {
      return false
    }
  }

  /// Fails if a copy is not of the locked database, because another program has written into its
  /// file.
  private func check(
    _ copy: Path, _ version: Version, _ hasSchema: Bool
  ) throws(UpgradeError) {
    let start = try SeedFile.start(of: copy)
    guard DatabaseHeader.isDatabase(start, at: version, hasTables: hasSchema) else {
      throw .moved(path: file.shown, reached: version)
    }
  }

  private func copy(
    in transaction: borrowing WriteTransaction, to backup: Path,
    _ check: (Path) throws(UpgradeError) -> Void
  ) throws(UpgradeError) {
    try BackupCopy(database: file.path, directory: directory, deadline: deadline)
      .make(as: backup) { partial throws(UpgradeError) in
        try PageCopy.makeUnderLock(
          of: transaction.connection, file.path, to: partial, deadline: deadline)
      } check: { partial throws(UpgradeError) in
        try check(partial)
      }
  }

  private func addSecondName(
    at version: Version, in transaction: borrowing WriteTransaction
  ) throws(UpgradeError) {
    try secondNames.add(at: version, ofApplication: applicationID) { name throws(UpgradeError) in
      try copy(in: transaction, to: name) { _ throws(UpgradeError) in
        try transaction.checkPlace()
      }
    }
  }

  /// Notes that this attempt to run a script without a transaction has changed nothing.
  func noteUnchanged(at version: Version) { secondNames.noteUnchanged(at: version) }

  /// Keeps a backup from before this upgrade under another name while a copy needs its name.
  ///
  /// It does not matter whether the file is a backup: it gets its name back.
  private func moveAway(_ backup: Path, _ version: Version) throws(UpgradeError) {
    guard try directory.identity(at: version) != nil else { return }
    let other = try directory.file(replacedAt: version)
    do {
      try System.publish(backup, as: other)
    } catch {
      throw UpgradeError(error, at: backup)
    }
    movedAway[version] = other
  }

  /// Notes that this upgrade has committed scripts.
  ///
  /// A backup that was made right before them, in case they failed, is not needed any more. If a
  /// script was passed over, by another boot or by a restore, its backup stays.
  func noteCommit(from version: Version, to committed: Version) {
    self.committed = committed
    secondNames.removeAll()
    madeLater.removeAll { backup in
      guard backup.version == version else { return false }
      remove(version, backup.file)
      return true
    }
  }

  /// Removes a backup that was needed only in case a script failed, and gives the one from before
  /// this upgrade its name again, if there is one.
  ///
  /// Another boot may have made a backup of this version meanwhile; that one stays.
  private func remove(_ version: Version, _ file: FileFacts.Content) {
    if directory.remove(file, at: version) { giveNameBack(at: version) }
  }

  /// Gives the backup from before this upgrade its name again, if it was moved away and no other
  /// file has the name.
  ///
  /// If it keeps its other name, nothing is lost.
  private func giveNameBack(at version: Version) {
    guard let other = movedAway[version] else { return }
    try? System.publish(other, as: directory.file(at: version))
  }

  /// Deletes old backups, after the upgrade has succeeded.
  ///
  /// If this upgrade has waited for its last script, another boot has run that, or a restore has
  /// brought the database to the target. So the backup from before the script stays.
  func prune() {
    secondNames.removeAll()
    guard let made else { return }
    directory.prune(keeping: keep, and: made.version, old: old) {
      directory.isBackup($0, at: $1, ofApplication: applicationID)
    }
  }
}
