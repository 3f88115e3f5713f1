internal import UpliftSQLite
internal import UpliftSystem

/// Puts the content of a backup into the database.
///
/// The backup is written into the database under SQLite's own locks, so a program that has the
/// database open sees either the old content or the new one, never a mixture. The old content is
/// copied first, under the same lock, so nobody can write between the copy and the replacement.
struct Restoration {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline
  private let isCancelled: () -> Bool

  init(
    _ upgrader: Upgrader, from directory: String, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.directory = try BackupDirectory(directory, of: file.path, upgrader)
    self.isCancelled = isCancelled
    deadline = Deadline(patience: upgrader.options.patience, isCancelled: isCancelled)
  }

  func run(to wanted: Version?) throws(UpgradeError) -> Restore {
    if let now = try file.facts()?.identity {
      if RunningSteps.databases.contains(now) { throw .path(file.shown, .nested) }
      // A seed that cannot be reached is another file.
      if let seed = try? upgrader.seedIdentity(), seed == now { throw .path(file.shown, .isSeed) }
    }
    let target = try target(for: wanted)
    let isThere = try Inspection(upgrader).state().map { !$0.isEmpty } ?? false
    // The lock is taken before a backup is chosen, because an upgrade that runs now may make another
    // one. It is taken before the database is opened, because a script may need it to itself.
    let lock = isThere ? try lockScripts() : nil
    defer { withExtendedLifetime(lock) {} }
    let backup = try UsableBackup(wanted, target: target, in: directory)
    try backup.check(prepare: upgrader.prepare, deadline)
    var replaced: Path?
    if isThere, let state = try Inspection(upgrader).state() {
      if state.version == .zero, state.applicationID == 0, backup.header.applicationID != 0 {
        throw .unversioned(path: file.shown, seed: backup.header.version)
      }
      try backup.refuseForeign(state)
      replaced = try replace(by: backup)
    } else {
      try make(from: backup)
    }
    directory.freeSecondNames(from: backup.version)
    return Restore(
      version: backup.version, backup: backup.path.shown, replaced: replaced?.shown)
  }

  /// The backup that a restore without a version would take; its pages are not checked.
  func newestBackup(notAbove target: Version) throws(UpgradeError) -> Path {
    let backup = try UsableBackup(nil, target: target, in: directory)
    if let state = try Inspection(upgrader).state() { try backup.refuseForeign(state) }
    return backup.path
  }

  /// The target; nil if nothing ships, or if `wanted` is not nil and the scripts or the seed cannot
  /// be read.
  ///
  /// If they cannot be read, only a version that somebody names is put back: the newest backup may
  /// be too new for the program.
  private func target(for wanted: Version?) throws(UpgradeError) -> Version? {
    if wanted != nil { return upgrader.knownTarget() }
    if let target = upgrader.target { return target }
    guard upgrader.seed != nil || !upgrader.migrations.sources.isEmpty else { return nil }
    return try upgrader.plan().target
  }

  /// Makes the missing database, or fills an empty one, with the backup as the seed.
  ///
  /// A new file has the mode of the backup, because other users may not be allowed to read the
  /// database.
  private func make(from backup: UsableBackup) throws(UpgradeError) {
    var options = upgrader.options
    options.ifMissing = .seed
    // Otherwise the backups would count as those of a lost database.
    options.backup = nil
    let boot = Upgrader(
      database: upgrader.database, seed: .file(backup.path), target: backup.version,
      options: options, prepare: upgrader.prepare)
    _ = try Boot(boot, keepsOwner: true, isCancelled: isCancelled, onEvent: { _ in }).run()
  }

  /// Waits for the lock that a script without a transaction holds.
  ///
  /// Such a script must not run half on the old content and half on the new one. It does not
  /// hold a lock of SQLite's all the time, so SQLite's locks are not enough.
  private func lockScripts() throws(UpgradeError) -> ScriptLock {
    var attempt = 0
    while true {
      let lock = ScriptLock(of: file, nil)
      if lock.isOurs { return lock }
      guard deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled(reached: nil) }
        throw .busy(path: file.shown, reached: nil)
      }
      attempt += 1
    }
  }

  /// Copies the old content to a file of its own, and then writes the backup into the database.
  ///
  /// Returns the path of that file. If the restore fails, the file is removed only if the database
  /// surely has the same content. Otherwise it may be the only copy.
  private func replace(by backup: UsableBackup) throws(UpgradeError) -> Path {
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    var (pageSize, size): (Int64, Int64) = (0, 0)
    let usesLog = try at { () throws(SQLiteError) in
      try database.connection.pinSettings(doubleQuotedStrings: false)
      pageSize = try database.connection.integer("PRAGMA page_size")
      size = try database.connection.integer("PRAGMA page_count") * pageSize
      return try database.connection.text("PRAGMA journal_mode") == "wal"
    }
    guard !usesLog || pageSize == Int64(backup.header.pageSize) else {
      throw .backup(backup.path, .otherPageSize)
    }
    try checkRoom(for: backup.path, size, usesLog: usesLog)
    let source = try backup.open(deadline)
    var saved: Path?
    var failure: UpgradeError?
    do {
      _ = try source.copyAll(
        into: database.connection,
        onLocked: { _ in
          do throws(UpgradeError) {
            saved = try save(database.connection, usesLog: usesLog)
          } catch {
            failure = error
          }
          return failure == nil
        }, isUnchanged: { true })
    } catch {
      if let saved, holds(saved, usesLog: usesLog) { System.discard(saved) }
      throw translated(error)
    }
    if let failure { throw failure }
    database.connection.mayMoveLog()
    // It is not nil: nothing is copied before the lock is held.
    return saved ?? directory.path
  }

  /// Copies what the database holds, while `connection` holds the lock to write.
  private func save(
    _ connection: borrowing Connection, usesLog: Bool
  ) throws(UpgradeError) -> Path {
    let fileSize = try file.facts()?.size ?? 0
    return try BackupCopy(database: file.path, directory: directory, deadline: deadline)
      .makeReplaced { partial throws(UpgradeError) in
        if usesLog {
          try PageCopy.makeUnderLock(of: file.path, to: partial, deadline: deadline)
        } else {
          // No other connection can read the database now.
          try PageCopy.makeOfFile(fileSize, of: connection, file.shown, to: partial)
        }
      } version: { partial throws(UpgradeError) in
        try SeedFile.header(of: SeedFile.open(partial), partial).version
      }
  }

  /// Refuses to begin if the disks are too full: the service may need the room.
  ///
  /// The copy needs as much room as the database, whose size this is. The write needs room for the
  /// journal or the log, and for the pages by which the backup is larger. Before the copy, the pages
  /// of the old log are written into the file.
  private func checkRoom(
    for backup: Path, _ size: Int64, usesLog: Bool
  ) throws(UpgradeError) {
    let newSize = try facts(backup)?.size ?? 0
    let fileSize = try file.facts()?.size ?? 0
    let write = (usesLog ? newSize : size + max(0, newSize - size)) + max(0, size - fileSize)
    // The directory of backups is there, because the backup is in it.
    var needs = [(directory.path, size), (file.path.parent, write)]
    if try facts(needs[0].0)?.identity.device == facts(needs[1].0)?.identity.device {
      needs = [(file.path.parent, size + write)]
    }
    for (path, needed) in needs {
      guard let free = System.freeBytes(at: path), free < needed else { continue }
      throw .disk(
        path: path.shown, words: "a restore needs \(needed) bytes, and \(free) are free",
        failure: nil)
    }
  }

  private func facts(_ path: Path) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }

  /// True if the database has the content of the copy, byte for byte; false if that is not sure.
  private func holds(_ copy: Path, usesLog: Bool) -> Bool {
    do {
      let connection = try Connection(path: file.path.bytes, access: .readWrite, deadline: deadline)
      if usesLog, try !connection.writeLogIntoDatabase() { return false }
      return PageCopy.isCopy(copy, of: connection)
    } catch {
      return false
    }
  }

  private func at<Result>(
    _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw translated(error)
    }
  }

  private func translated(_ error: SQLiteError) -> UpgradeError {
    deadline.mustStopNow
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}
