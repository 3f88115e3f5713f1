internal import UpliftSQLite
internal import UpliftSystem

/// Fills an empty database with the seed, in place.
///
/// For example, a plain `cp` that was interrupted may have left a file of zero bytes. Such a file
/// is never replaced, because another process may have it open.
struct SeedInPlace {
  let file: DatabaseFile
  let seed: Seed
  /// The seed's header when the upgrade was planned.
  let header: DatabaseHeader
  /// Decides again, with the state that the database has under the lock: true if it is to be
  /// filled.
  let isToFill: (DatabaseState) throws(UpgradeError) -> Bool
  let deadline: Deadline

  /// How filling ended.
  enum End {
    case filled
    /// Another process has changed the database meanwhile, so the boot must decide again.
    case notFilled
    /// The log must be switched off, but other processes have the database open.
    case inUse
  }

  /// Copies the seed with SQLite's backup interface, under SQLite's locks.
  func fill() throws(UpgradeError) -> End {
    let directory = try DataDirectory.open(of: file)
    // This lock only saves other boots the same work. SQLite's lock protects the database.
    _ = try directory.lock(file, deadline)
    try directory.syncParents()
    let unchanged = try UnchangedSeed(seed, header: header)
    let source = try seed.openReadable(deadline: deadline)
    try directory.giveToOwner(file)
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    let log = try at { () throws(SQLiteError) in
      try adjustSettings(of: database.connection, for: header.pageSize)
    }
    if log == .databaseInUse { return .inUse }
    do throws(UpgradeError) {
      guard try copy(source, of: unchanged, into: database) else {
        switchLogOnAgain(log, database.connection)
        return .notFilled
      }
    } catch {
      switchLogOnAgain(log, database.connection)
      throw error
    }
    if log != .none || header.usesLog {
      try at(reached: header.version) { () throws(SQLiteError) in
        try database.connection.run("PRAGMA journal_mode=WAL")
      }
    }
    return .filled
  }

  /// Copies the seed; false if the database has changed and is not to be filled any more.
  private func copy(
    _ source: borrowing Connection, of unchanged: UnchangedSeed,
    into database: borrowing OpenDatabase
  ) throws(UpgradeError) -> Bool {
    guard try isToFill(database.stateNow()) else { return false }
    var change: UpgradeError?
    let isCopied = try at { () throws(SQLiteError) in
      try source.copyAll(into: database.connection, onLocked: { isAsRead in isAsRead }) {
        do throws(UpgradeError) {
          try unchanged.check()
        } catch {
          change = error
        }
        return change == nil
      }
    }
    if let change { throw change }
    return isCopied
  }

  private enum Log { case none, on, switchedOff, databaseInUse }

  /// Switches the log on again if the seed was not copied, so that the database is as it was.
  ///
  /// SQLite changes the mode only while no other process uses the database. If one begins to use it
  /// after the log was switched off, and does not end in time, the database stays in rollback mode.
  /// It also stays in that mode after a crash. It has lost nothing, and the next boot fills it if
  /// it is still empty.
  private func switchLogOnAgain(_ log: Log, _ connection: borrowing Connection) {
    guard log == .switchedOff else { return }
    try? connection.run("PRAGMA journal_mode=WAL")
  }

  /// Adjusts the settings of the empty database to the seed, and tells whether the database has a
  /// write-ahead log.
  ///
  /// SQLite cannot change the page size of a database that has a log. So the log is switched off
  /// here if the seed has another page size, and `fill` switches it on again.
  private func adjustSettings(
    of connection: borrowing Connection, for pageSize: Int
  ) throws(SQLiteError) -> Log {
    try connection.pinSettings(doubleQuotedStrings: false)
    try connection.run("PRAGMA page_size=\(pageSize)")
    guard try connection.text("PRAGMA journal_mode") == "wal" else { return .none }
    if try connection.integer("PRAGMA page_size") != pageSize {
      do {
        try connection.run("PRAGMA journal_mode=DELETE")
      } catch  where error.code.primary == .busy {
        // SQLite does not wait for this.
        return .databaseInUse
      }
      return .switchedOff
    }
    return .on
  }

  private func at<Result>(
    reached: Version? = nil, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw deadline.mustStopNow
        ? .cancelled(reached: reached) : UpgradeError(error, at: file.shown, reached: reached)
    }
  }
}
