internal import UpliftSQLite
internal import UpliftSystem

/// The connection that an upgrade writes with, and the transactions on it.
///
/// Every transaction that sets a version begins and ends here. After `begin()`, `version` was read
/// under the write lock; after `commit`, it is the committed version.
///
/// A log that was there before stays as it is, until this upgrade has written something.
struct WriteTransaction: ~Copyable {
  private(set) var connection: Connection
  /// The version of the database, as far as it is known.
  private(set) var version: Version
  private let file: DatabaseFile
  /// The seed that is attached for a script that reads it.
  private(set) var seed: UnchangedSeed?
  /// Versions are written as the target is, plain or dotted.
  private let target: Version
  private let doubleQuotedStrings: Bool
  /// False if nobody needs the database after a power cut.
  private let syncs: Bool
  private let prepare: Upgrader.Prepare?
  private let deadline: Deadline

  /// Takes over a connection that has read this version.
  init(
    on connection: consuming Connection, to file: DatabaseFile, at version: Version,
    target: Version, doubleQuotedStrings: Bool, syncs: Bool, prepare: Upgrader.Prepare?,
    deadline: Deadline
  ) throws(UpgradeError) {
    self.connection = connection
    self.version = version
    self.file = file
    self.target = target
    self.doubleQuotedStrings = doubleQuotedStrings
    self.syncs = syncs
    self.prepare = prepare
    self.deadline = deadline
    try prepareConnection()
  }

  /// Takes the write lock and reads the state under it.
  ///
  /// What was read before the lock does not count: another process may have changed it.
  @discardableResult
  mutating func begin() throws(UpgradeError) -> DatabaseState {
    try takeLock()
    do throws(UpgradeError) {
      // Another process may have replaced the file while this one waited for the lock.
      try checkPlace()
      let state = try stateInside()
      version = state.version
      return state
    } catch {
      rollback()
      throw error
    }
  }

  /// Uses `BEGIN IMMEDIATE`.
  ///
  /// If a deferred transaction begins to write, SQLite may fail at once and not wait.
  private func takeLock() throws(UpgradeError) {
    var attempt = 0
    while true {
      do {
        return try connection.run("BEGIN IMMEDIATE")
      } catch {
        guard error.code.primary == .busy, deadline.pause(attempt: attempt) else {
          throw translated(error)
        }
        attempt += 1
      }
    }
  }

  private func stateInside() throws(UpgradeError) -> DatabaseState {
    let reading: StateReading
    do {
      reading = try StateReading(connection)
    } catch {
      throw translated(error)
    }
    return try reading.state.written(like: target)
  }

  /// Undoes the transaction, if there is one.
  ///
  /// If that fails, SQLite undoes it when the database is opened next.
  func rollback() {
    guard connection.isInTransaction else { return }
    try? connection.run("ROLLBACK")
  }

  /// Must be called after an error has undone a script.
  ///
  /// If it has filled the disk, its pages are still in the log. So SQLite may move the log when the
  /// connection closes.
  func noteUndone(after error: SQLiteError) {
    if error.code.primary == .full { connection.mayMoveLog() }
  }

  /// Undoes only the latest script; false if the scripts before it in the transaction are undone,
  /// too.
  ///
  /// False means that SQLite has already ended the transaction, or cannot undo this script alone.
  /// The first script (`isFirst`) has none before it. For it, false means that SQLite has
  /// already ended the transaction, or that the rollback failed.
  func undoOnlyScript(isFirst: Bool) -> Bool {
    guard connection.isInTransaction else { return false }
    if isFirst {
      rollback()
      return !connection.isInTransaction
    }
    if connection.canUndoOnlyAll {
      rollback()
      return false
    }
    do {
      try connection.run("ROLLBACK TO uplift")
      try connection.run("RELEASE uplift")
      return true
    } catch {
      rollback()
      return false
    }
  }

  /// How a commit ended.
  enum CommitEnd {
    case committed
    /// SQLite could not write the transaction, and nothing of it is kept.
    ///
    /// A full-text index writes when the transaction commits, and may fail then. Or the disk is
    /// full, a file has reached its largest size, or a write failed.
    case refused(SQLiteError)
  }

  /// Commits the transaction, which has already set this version.
  ///
  /// If a reader holds the database, the same commit is tried again. After any other error the
  /// commit may have succeeded or failed: the version in the database says which.
  mutating func commit(_ wanted: Version) throws(UpgradeError) -> CommitEnd {
    do {
      try checkPlace()
      try seed?.check()
    } catch {
      rollback()
      throw error
    }
    var attempt = 0
    while true {
      do {
        try connection.run("COMMIT")
        break
      } catch {
        if error.code.primary == .busy, deadline.pause(attempt: attempt) {
          attempt += 1
          continue
        }
        rollback()
        try learnVersion()
        guard version >= wanted else {
          let isAboutFile: [ResultCode] = [.busy, .locking, .cannotOpen, .readOnly, .interrupted]
          guard !isAboutFile.contains(error.code.primary) else { throw translated(error) }
          noteUndone(after: error)
          return .refused(error)
        }
        if error.code.primary == .inputOutput { try confirm() }
        break
      }
    }
    connection.mayMoveLog()
    version = wanted
    return .committed
  }

  /// Fails if another process has replaced or removed the file.
  func checkPlace() throws(UpgradeError) {
    if connection.hasMoved { throw .moved(path: file.shown, reached: version) }
  }

  /// Commits the version once more, because a sync has failed and the first commit may not be on
  /// the disk yet.
  ///
  /// `SQLITE_IOERR_DIR_FSYNC` means that the journal is gone, but would be back after a power cut.
  private mutating func confirm() throws(UpgradeError) {
    try begin()
    do {
      try connection.run("PRAGMA user_version = \(version.number)")
      try connection.run("COMMIT")
    } catch {
      rollback()
      throw translated(error)
    }
  }

  /// Reads the version on a fresh connection.
  ///
  /// If that fails too, it is not known whether the commit succeeded, and the error names no
  /// version.
  private mutating func learnVersion() throws(UpgradeError) {
    let number: Int64
    do {
      try connect()
      number = try connection.integer("PRAGMA user_version")
    } catch {
      throw translated(error, reached: nil)
    }
    guard let version = Version(number) else {
      throw .invalid(version: Int32(truncatingIfNeeded: number))
    }
    self.version = version.written(like: target)
    try prepareConnection()
  }

  /// Replaces the connection, so that nothing that a script left on the old one remains.
  ///
  /// If a seed is given, it is attached to the new connection.
  mutating func reopen(beside seed: UnchangedSeed? = nil) throws(UpgradeError) {
    do {
      try connect(beside: seed)
    } catch {
      throw translated(error)
    }
    // The settings make SQLite read the schema of the database. `ATTACH` would do so too, and an
    // error would then look like one of the seed.
    try prepareConnection()
    try seed?.attach(to: connection)
  }

  private mutating func connect(beside seed: UnchangedSeed? = nil) throws(SQLiteError) {
    let keepsLog = connection.keepsLog
    connection = try Connection(
      path: file.path.bytes, access: seed == nil ? .readWrite : .readWriteBesideSeed,
      diskUse: file.diskUse, deadline: deadline)
    if keepsLog { connection.keepLog() }
    self.seed = seed
  }

  /// Lets the program prepare the connection, then pins the settings, and then installs the guard.
  ///
  /// A file that may not be written is refused here: a `BEGIN IMMEDIATE` on it would succeed.
  private func prepareConnection() throws(UpgradeError) {
    guard !connection.isReadOnly else { throw .readOnly(path: file.shown) }
    if let prepare {
      // An upgrade of this database inside `prepare` would call `prepare` again, without end.
      let identity = try file.facts()?.identity
      let running = RunningSteps.databases + [identity].compactMap { $0 }
      try connection.prepare(
        by: { handle in
          try RunningSteps.$databases.withValue(running) { try prepare(handle) }
        }, at: file.shown, reached: version)
    }
    do {
      try connection.pinSettings(doubleQuotedStrings: doubleQuotedStrings)
      if !syncs { try connection.run("PRAGMA synchronous=OFF") }
      try connection.replaceCounters()
    } catch {
      throw translated(error)
    }
    connection.installGuard()
  }

  func translated(_ error: SQLiteError) -> UpgradeError { translated(error, reached: version) }

  /// If the upgrade was asked to stop, the error is `.cancelled`.
  private func translated(_ error: SQLiteError, reached: Version?) -> UpgradeError {
    let isStopped = deadline.isCancelled && [.busy, .interrupted].contains(error.code.primary)
    return isStopped
      ? .cancelled(reached: reached) : UpgradeError(error, at: file.shown, reached: reached)
  }
}
