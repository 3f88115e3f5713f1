internal import UpliftSQLite
internal import UpliftSystem

/// The connection that an upgrade writes with, and the transactions on it.
///
/// Every transaction that sets a version begins and ends here. After `begin()`, `version` was read
/// under the write lock; after `commit`, it is the committed version.
///
/// A log that was there before stays as it is, until this upgrade has committed something.
struct Transaction: ~Copyable {
  /// What a connection needs to run steps.
  struct Setting {
    let file: DatabaseFile
    /// Versions are written as the target is, plain or dotted.
    let target: Version
    let doubleQuotedStrings: Bool
    /// False if nobody needs the database after a power cut.
    let syncs: Bool
    let prepare: Upgrader.Prepare?
    let deadline: Deadline
  }

  private(set) var connection: Connection
  /// The version of the database, as far as it is known.
  private(set) var version: Version
  /// The seed that is attached for a script that reads it.
  private var seed: UnchangedSeed?
  private let setting: Setting

  /// Takes over a connection that has read this version.
  init(
    on connection: consuming Connection, at version: Version, _ setting: Setting
  ) throws(UpgradeError) {
    self.connection = connection
    self.version = version
    self.setting = setting
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
        guard error.code.primary == .busy, setting.deadline.pause(attempt: attempt) else {
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
    return try reading.state.written(like: setting.target)
  }

  /// Undoes the transaction, if there is one.
  ///
  /// If that fails, SQLite undoes it when the database is opened next.
  func rollback() {
    guard connection.isInTransaction else { return }
    try? connection.run("ROLLBACK")
  }

  /// Sets the version and reads it back: SQLite stores 0 for a number that does not fit.
  func set(_ version: Version) throws(SQLiteError) {
    try connection.run("PRAGMA user_version = \(version.number)")
    guard try connection.integer("PRAGMA user_version") == Int64(version.number) else {
      throw SQLiteError(code: .error, message: "user_version did not take \(version.number)")
    }
  }

  /// True while the seed is attached.
  var hasSeed: Bool { seed != nil }

  /// Attaches the seed for the script that comes next; a later connection does not have it.
  mutating func attach(_ seed: UnchangedSeed) throws(UpgradeError) {
    self.seed = seed
    try seed.attach(to: connection)
  }

  /// Fails if the seed was replaced or written since it was attached.
  func checkSeed() throws(UpgradeError) { try seed?.check() }

  /// Commits the transaction, which has already set this version.
  ///
  /// If a reader holds the database, the same commit is tried again. After any other error the
  /// commit may have succeeded or failed: the version in the database says which. Returns SQLite's
  /// error if nothing of the transaction is kept: a full-text index writes when the transaction
  /// commits, and may fail then; or the disk is full, or a write failed.
  mutating func commit(_ wanted: Version) throws(UpgradeError) -> SQLiteError? {
    do {
      try checkPlace()
      try checkSeed()
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
        if error.code.primary == .busy, setting.deadline.pause(attempt: attempt) {
          attempt += 1
          continue
        }
        rollback()
        try learnVersion()
        guard version >= wanted else {
          let isAboutFile: [ResultCode] = [.busy, .locking, .cannotOpen, .readOnly, .interrupted]
          guard !isAboutFile.contains(error.code.primary) else { throw translated(error) }
          return error
        }
        if error.code.primary == .inputOutput { try confirm() }
        break
      }
    }
    connection.mayMoveLog()
    version = wanted
    return nil
  }

  /// Fails if another process has replaced or removed the file.
  func checkPlace() throws(UpgradeError) {
    if connection.hasMoved { throw .moved(path: setting.file.shown, reached: version) }
  }

  /// Commits the version once more, because a sync has failed and the first commit may not be on
  /// the disk yet.
  ///
  /// `SQLITE_IOERR_DIR_FSYNC` means that the journal is gone, but would be back after a power cut.
  private mutating func confirm() throws(UpgradeError) {
    try begin()
    do {
      try set(version)
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
    self.version = version.written(like: setting.target)
    try prepareConnection()
  }

  /// Replaces the connection, so that nothing remains that was left on the old one.
  mutating func reopen() throws(UpgradeError) {
    do {
      try connect()
    } catch {
      throw translated(error)
    }
    try prepareConnection()
  }

  private mutating func connect() throws(SQLiteError) {
    let keepsLog = connection.keepsLog
    connection = try Connection(
      path: setting.file.path.bytes, access: .readWriteBesideSeed, deadline: setting.deadline)
    if keepsLog { connection.keepLog() }
    seed = nil
  }

  /// Lets the program prepare the connection, then pins the settings, and then installs the guard.
  ///
  /// A file that may not be written is refused here: a `BEGIN IMMEDIATE` on it would succeed.
  private func prepareConnection() throws(UpgradeError) {
    guard !connection.isReadOnly else { throw .readOnly(path: setting.file.shown) }
    try connection.prepare(by: setting.prepare, at: setting.file.shown, reached: version)
    do {
      try connection.pinSettings(doubleQuotedStrings: setting.doubleQuotedStrings)
      if !setting.syncs { try connection.run("PRAGMA synchronous=OFF") }
    } catch {
      throw translated(error)
    }
    connection.installGuard()
  }

  func translated(_ error: SQLiteError) -> UpgradeError { translated(error, reached: version) }

  /// If the upgrade was asked to stop, the error is `.cancelled`.
  private func translated(_ error: SQLiteError, reached: Version?) -> UpgradeError {
    let isStopped =
      setting.deadline.mustStopNow && [.busy, .interrupted].contains(error.code.primary)
    return isStopped
      ? .cancelled(reached: reached) : UpgradeError(error, at: setting.file.shown, reached: reached)
  }
}
