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
    let version = try choose(wanted, target: target)
    let backup = directory.file(at: version)
    try directory.refuseDatabase(at: backup)
    try refuseEarlier(of: backup, version)
    let header = try check(backup, holds: version)
    guard isThere, let state = try Inspection(upgrader).state() else {
      try make(from: backup, version)
      directory.freeSecondNames(from: version)
      return Restore(version: version, backup: backup.shown, replaced: nil)
    }
    if state.version == .zero, state.applicationID == 0, header.applicationID != 0 {
      throw .unversioned(path: file.shown, seed: header.version)
    }
    guard state.applicationID == header.applicationID else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: state.applicationID)
    }
    let replaced = try replace(by: backup, header)
    directory.freeSecondNames(from: version)
    return Restore(version: version, backup: backup.shown, replaced: replaced.shown)
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

  /// The version that is wanted, or that of the latest backup that the program can use.
  private func choose(_ wanted: Version?, target: Version?) throws(UpgradeError) -> Version {
    let chosen: Version?
    if let wanted {
      chosen = try directory.versions().first { $0 == wanted }
    } else {
      chosen = try directory.latest(notAbove: target)
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
  private func refuseEarlier(of backup: Path, _ version: Version) throws(UpgradeError) {
    let earlier = directory.file(earlierAt: version)
    guard let other = try facts(earlier)?.identity, try other != facts(backup)?.identity
    else { return }
    throw .backup(backup, .hasEarlier(earlier.shown))
  }

  /// Checks that the backup is a whole database of this version.
  private func check(
    _ backup: Path, holds version: Version
  ) throws(UpgradeError) -> DatabaseHeader {
    let header: DatabaseHeader
    do {
      header = try SeedFile.header(of: SeedFile.open(backup), backup)
    } catch {
      guard case .seed(let seed) = error else { throw error }
      if case .journalBeside(let journal) = seed.problem {
        throw .backup(backup, .journalBeside(journal))
      }
      throw .backup(backup, .damaged(words: seed.problem.words))
    }
    guard header.version == version else {
      throw .backup(backup, .otherVersion(header.version))
    }
    let connection = try open(backup)
    try connection.prepare(by: upgrader.prepare, at: backup.shown)
    let words: String?
    do {
      // On a connection that only reads, SQLite tries no `CHECK`. A backup may have rows that break
      // one, because the database had them.
      words = try connection.damage(foundBy: "quick_check")
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: nil) }
      // A collation is missing, for example; the file is not at fault.
      if error.code.primary == .error {
        throw .preparation(error.message, reached: nil)
      }
      throw .backup(backup, .damaged(words: error.message))
    }
    if let words { throw .backup(backup, .damaged(words: words)) }
    return header
  }

  private func open(_ backup: Path) throws(UpgradeError) -> Connection {
    do {
      return try Connection(path: backup.bytes, access: .immutable, deadline: deadline)
    } catch {
      // An upgrade that runs now may have removed a backup that it had made on the way.
      if try facts(backup) == nil { throw .backup(backup, .notThere) }
      throw .backup(backup, .damaged(words: error.message))
    }
  }

  /// Makes the missing database, or fills an empty one, with the backup as the seed.
  ///
  /// A new file has the mode of the backup, because other users may not be allowed to read the
  /// database.
  private func make(from backup: Path, _ version: Version) throws(UpgradeError) {
    var options = upgrader.options
    options.ifMissing = .seed
    let boot = Upgrader(
      database: upgrader.database, seed: .file(backup), target: version, options: options,
      prepare: upgrader.prepare)
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
  private func replace(
    by backup: Path, _ header: DatabaseHeader
  ) throws(UpgradeError) -> Path {
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    var pageSize: Int64 = 0
    let usesLog = try at { () throws(SQLiteError) in
      try database.connection.pinSettings(doubleQuotedStrings: false)
      pageSize = try database.connection.integer("PRAGMA page_size")
      return try database.connection.text("PRAGMA journal_mode") == "wal"
    }
    guard !usesLog || pageSize == Int64(header.pageSize) else {
      throw .backup(backup, .otherPageSize)
    }
    try checkRoom(for: backup, usesLog: usesLog)
    let source = try open(backup)
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
  /// The copy needs as much room as the database. The write needs room for the journal or the log,
  /// and for the pages by which the backup is larger.
  private func checkRoom(for backup: Path, usesLog: Bool) throws(UpgradeError) {
    let size = try file.facts()?.size ?? 0
    let newSize = try facts(backup)?.size ?? 0
    let write = usesLog ? newSize : size + max(0, newSize - size)
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
