internal import UpliftSQLite
internal import UpliftSystem

/// Writes a backup into a database that is there, after it has saved what the database holds.
///
/// SQLite's lock is held all the time, so nothing is committed between the two copies. Both are made
/// by SQLite's backup interface. If the process stops, the database has the old content or the new
/// one.
struct Replacement {
  let database: DatabaseFile
  let directory: BackupDirectory
  let deadline: Deadline
  /// The `application_id` that an empty database is to have; 0 for any.
  let seedID: Int32

  enum End {
    /// `replaced` has the old content; nil if there was none.
    case done(replaced: Path?)
    /// Another program has the database open in WAL mode, or is in a transaction.
    case inUse
  }

  func replace(by backup: UsableBackup) throws(UpgradeError) -> End {
    // SQLite deletes a journal when it opens the empty file beside it.
    if try database.facts()?.size == 0 { try database.refuseOrphans() }
    // A log that is refused with its database stays as it is.
    let hasLog = try database.hasJournal("-wal")
    // This connection waits for nobody, because it would keep some of its locks meanwhile.
    let connection = try at { () throws(SQLiteError) in
      try Connection(
        path: database.path.bytes, access: .readWrite, deadline: deadline.withoutPatience())
    }
    guard !connection.isReadOnly else { throw .readOnly(path: database.shown) }
    if hasLog { connection.keepLog() }
    guard try lock(connection) else { return .inUse }
    let old = try at { () throws(SQLiteError) in try Content(connection) }
    try backup.refuseOther(than: expectedID(old, backup))
    guard let version = Version(old.version) else {
      throw .invalid(version: Int32(truncatingIfNeeded: old.version))
    }
    let replaced = old.isEmpty ? nil : try save(connection, at: version)
    connection.mayMoveLog()
    try at { () throws(SQLiteError) in try write(backup, into: connection, old) }
    return .done(replaced: replaced)
  }

  /// Takes the lock of SQLite that keeps everybody out, until the connection closes; false if
  /// somebody is using the database.
  ///
  /// In this mode SQLite does not give the lock back after a transaction
  /// (sqlite.org/pragma.html#pragma_locking_mode).
  private func lock(_ connection: borrowing Connection) throws(UpgradeError) -> Bool {
    do {
      // Before anything is read: otherwise an idle service in WAL mode is not noticed.
      try connection.run("PRAGMA locking_mode=EXCLUSIVE")
      try connection.pinSettings(doubleQuotedStrings: false)
      try connection.run("BEGIN EXCLUSIVE")
      // A commit would write into an empty file.
      try connection.run("ROLLBACK")
      return true
    } catch {
      if error.code.primary == .busy { return false }
      throw translated(error)
    }
  }

  /// What the database holds before it is replaced.
  private struct Content {
    let version: Int64
    let applicationID: Int64
    let isEmpty: Bool
    let pageSize: Int64
    let usesLog: Bool

    init(_ connection: borrowing Connection) throws(SQLiteError) {
      version = try connection.integer("PRAGMA user_version")
      applicationID = try connection.integer("PRAGMA application_id")
      let objects = try connection.integer("SELECT count(*) FROM sqlite_master")
      isEmpty = version == 0 && objects == 0
      pageSize = try connection.integer("PRAGMA page_size")
      usesLog = try connection.text("PRAGMA journal_mode") == "wal"
    }
  }

  private func expectedID(_ old: Content, _ backup: UsableBackup) -> Int32 {
    if !old.isEmpty || old.applicationID != 0 {
      return Int32(truncatingIfNeeded: old.applicationID)
    }
    return seedID == 0 ? backup.header.applicationID : seedID
  }

  private func save(
    _ connection: borrowing Connection, at version: Version
  ) throws(UpgradeError) -> Path {
    let name = try BackupCopy(database: database, directory: directory, deadline: deadline)
      .make(of: version, isReplaced: true, from: connection)
    return directory.file(name)
  }

  /// Writes the backup in one transaction.
  ///
  /// SQLite cannot change the page size of a database in WAL mode, so the database leaves that mode
  /// meanwhile.
  private func write(
    _ backup: UsableBackup, into connection: borrowing Connection, _ old: Content
  ) throws(SQLiteError) {
    let source = try backup.open()
    let leavesLog = old.usesLog && old.pageSize != Int64(backup.header.pageSize)
    if leavesLog { try connection.run("PRAGMA journal_mode=DELETE") }
    do throws(SQLiteError) {
      _ = try source.copyAll(into: connection)
    } catch {
      if leavesLog { try? connection.run("PRAGMA journal_mode=WAL") }
      throw error
    }
    guard leavesLog else { return }
    do throws(SQLiteError) {
      try connection.run("PRAGMA journal_mode=WAL")
    } catch {
      // If the text encoding has changed, too, SQLite runs nothing more on this connection, and the
      // database stays in rollback mode.
      guard error.code.primary == .error else { throw error }
    }
  }

  private func at<Result: ~Copyable>(
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
      ? .cancelled(reached: nil) : UpgradeError(error, at: database.shown, reached: nil)
  }
}
