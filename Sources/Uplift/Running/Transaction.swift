internal import UpliftSQLite
internal import UpliftSystem

/// The connection that an upgrade writes with, and the transactions on it.
///
/// After `begin()`, `version` was read under the write lock; after `commit`, it is the committed
/// version. A log that was there before stays as it is, until something was committed.
struct Transaction: ~Copyable {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  /// False if nobody needs the database after a power cut.
  private let syncs: Bool
  private(set) var connection: Connection
  /// The version of the database, as far as it is known, in the form of the target.
  private(set) var version: Version
  /// The seed that is attached for a script that reads it.
  private var seed: UnchangedSeed?

  /// Takes over a connection that has read this version.
  init(
    _ upgrader: Upgrader, _ file: DatabaseFile, on connection: consuming Connection,
    at version: Version, syncs: Bool = true
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    self.file = file
    self.syncs = syncs
    self.connection = connection
    self.version = version
    try prepareConnection()
  }

  /// Takes the write lock and reads the state under it: another process may have changed it.
  @discardableResult
  mutating func begin() throws(UpgradeError) -> DatabaseState {
    // SQLite may fail at once, and not wait, if a deferred transaction begins to write.
    try at { _ throws(SQLiteError) in try runPatiently("BEGIN IMMEDIATE") }
    try checkPlace()
    let state = try at { connection throws(SQLiteError) in try DatabaseState(connection) }
      .written(like: version)
    version = state.version
    return state
  }

  /// Undoes the transaction; if that fails, SQLite undoes it when the database is opened next.
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

  /// Attaches the seed for the script that comes next, and tells it the version that the upgrade
  /// found; a later connection has neither.
  mutating func attach(_ seed: UnchangedSeed, from version: Version) throws(UpgradeError) {
    self.seed = seed
    try seed.attach(to: connection)
    try at { connection throws(SQLiteError) in
      try connection.define(upgradedFrom: version.number)
    }
  }

  /// Fails if the seed was replaced or written since it was attached.
  func checkSeed() throws(UpgradeError) { try seed?.check() }

  /// Commits the transaction, which has already set this version.
  ///
  /// After an error the commit may have succeeded or failed: the version in the database says
  /// which. Returns SQLite's error if nothing of the transaction is kept: a full-text index writes
  /// when the transaction commits, and may fail then; or the disk is full, or a write failed.
  mutating func commit(_ wanted: Version) throws(UpgradeError) -> SQLiteError? {
    try checkPlace()
    try checkSeed()
    do {
      try runPatiently("COMMIT")
    } catch {
      rollback()
      try learnVersion()
      guard version >= wanted else {
        let isAboutFile: [ResultCode] = [.busy, .locking, .cannotOpen, .readOnly, .interrupted]
        guard !isAboutFile.contains(error.code.primary) else { throw translated(error) }
        return error
      }
      if error.code.primary == .inputOutput { try confirm() }
    }
    connection.mayMoveLog()
    version = wanted
    return nil
  }

  /// Commits a pass of a script that repeats, which sets no version; returns SQLite's error if it
  /// may not be kept: the next pass does it again.
  func commitPass() throws(UpgradeError) -> SQLiteError? {
    try checkPlace()
    do {
      try runPatiently("COMMIT")
    } catch {
      rollback()
      return error
    }
    connection.mayMoveLog()
    return nil
  }

  /// Runs a statement again and again while another process holds a lock.
  private func runPatiently(_ sql: String) throws(SQLiteError) {
    var attempt = 0
    while true {
      do {
        return try connection.run(sql)
      } catch {
        guard error.code.primary == .busy, connection.deadline.pause(attempt: attempt) else {
          throw error
        }
        attempt += 1
      }
    }
  }

  /// Fails if another process has replaced or removed the file.
  private func checkPlace() throws(UpgradeError) {
    if connection.hasMoved { throw .moved(file.shown, openAt: version) }
  }

  /// Commits the version once more, because a sync has failed: after `SQLITE_IOERR_DIR_FSYNC` the
  /// journal is gone, but would be back after a power cut.
  private mutating func confirm() throws(UpgradeError) {
    try begin()
    try at { connection throws(SQLiteError) in
      try set(version)
      try connection.run("COMMIT")
    }
  }

  /// Reads the version on a fresh connection; if that fails, too, the error names no version.
  private mutating func learnVersion() throws(UpgradeError) {
    do {
      try connect()
      let number = try connection.integer("PRAGMA user_version")
      version = Version(unchecked: Int32(truncatingIfNeeded: number)).written(like: version)
    } catch {
      throw translated(error, reached: nil)
    }
    try prepareConnection()
  }

  /// True if the seed is attached, or if the program has had the connection.
  var mustReopen: Bool { seed != nil || connection.scriptGuard.isLent }

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
      path: file.path.bytes, access: .readWriteBesideSeed, deadline: connection.deadline)
    if keepsLog { connection.keepLog() }
    seed = nil
  }

  /// Lets the program prepare the connection, then pins the settings, and then installs the guard.
  private func prepareConnection() throws(UpgradeError) {
    // A `BEGIN IMMEDIATE` on such a file would succeed.
    guard !connection.isReadOnly else { throw .readOnly(file.shown) }
    try connection.prepare(by: upgrader.prepare, at: file.shown, reached: version)
    try at { connection throws(SQLiteError) in
      try connection.pinSettings(doubleQuotedStrings: upgrader.options.doubleQuotedStrings)
      if !syncs { try connection.run("PRAGMA synchronous=OFF") }
    }
    connection.installGuard()
  }

  func at<Result>(
    _ work: (borrowing Connection) throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work(connection)
    } catch {
      throw translated(error)
    }
  }

  func translated(_ error: SQLiteError) -> UpgradeError { translated(error, reached: version) }

  private func translated(_ error: SQLiteError, reached: Version?) -> UpgradeError {
    let mayBeStopped = [.busy, .interrupted].contains(error.code.primary)
    return mayBeStopped && connection.deadline.mustStopNow
      ? .cancelled(reached: reached) : UpgradeError(error, at: file.shown, reached: reached)
  }
}
