internal import UpliftSQLite
internal import UpliftSystem

/// Writes a backup into a database, or the seed into an empty one, with SQLite's backup interface.
///
/// SQLite's lock is held all the time, so nothing is committed between the last look and the copy.
/// If the process stops, the database has the old content or the new one.
struct Replacement {
  let database: DatabaseFile
  let deadline: Deadline

  enum End {
    case done
    case notWanted
    /// Another program has the database open in WAL mode, or is in a transaction.
    case inUse
  }

  /// Copies from a connection to the source.
  ///
  /// `isWanted` is asked under the lock, with the state of the old content, which it may save.
  func run(
    by source: borrowing Connection, _ file: UnchangedSeed, _ header: DatabaseHeader,
    isWanted: (borrowing Connection, DatabaseState) throws(UpgradeError) -> Bool
  ) throws(UpgradeError) -> End {
    var entersLog = false
    // This runs after `connection` below is closed.
    defer { if entersLog { enterLog() } }
    // SQLite deletes a journal when it opens the empty file beside it.
    if try database.facts()?.size == 0 { try database.refuseOrphans() }
    // A log that is refused with its database stays as it is.
    let hasLog = try database.hasJournal("-wal")
    // This connection waits for nobody, because it would keep some of its locks meanwhile.
    let connection = try deadline.at(database.shown) { () throws(SQLiteError) in
      try Connection(
        path: database.path.bytes, access: .readWrite, deadline: deadline.withoutPatience())
    }
    guard !connection.isReadOnly else { throw .readOnly(database.shown) }
    if hasLog { connection.keepLog() }
    guard try lock(connection) else { return .inUse }
    let state = try deadline.at(database.shown) { () throws(SQLiteError) in
      try DatabaseState(connection)
    }
    guard try isWanted(connection, state) else { return .notWanted }
    connection.mayMoveLog()
    try write(source, file, header, into: connection, &entersLog)
    return .done
  }

  /// Takes the lock that keeps everybody out until the connection closes
  /// (sqlite.org/pragma.html#pragma_locking_mode); false if somebody is using the database.
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
      throw deadline.translated(error, at: database.shown)
    }
  }

  /// Copies in one transaction; `entersLog` becomes true if WAL mode is to be switched on after it.
  ///
  /// SQLite cannot change the page size of a database in WAL mode, so it leaves that mode meanwhile.
  private func write(
    _ source: borrowing Connection, _ file: UnchangedSeed, _ header: DatabaseHeader,
    into connection: borrowing Connection, _ entersLog: inout Bool
  ) throws(UpgradeError) {
    entersLog = try deadline.at(database.shown) { () throws(SQLiteError) in
      try connection.run("PRAGMA page_size=\(header.pageSize)")
      guard try connection.text("PRAGMA journal_mode") == "wal",
        try connection.integer("PRAGMA page_size") != header.pageSize
      else { return false }
      try connection.run("PRAGMA journal_mode=DELETE")
      return true
    }
    var change: UpgradeError?
    _ = try deadline.at(database.shown) { () throws(SQLiteError) in
      try source.copyAll(into: connection) {
        do throws(UpgradeError) { try file.check() } catch { change = error }
        return change == nil
      }
    }
    if let change { throw change }
    if header.usesLog { entersLog = true }
  }

  /// Switches the write-ahead log on, if no other process uses the database; in rollback mode it has
  /// lost nothing.
  private func enterLog() {
    let connection = try? Connection(
      path: database.path.bytes, access: .readWrite, deadline: deadline)
    try? connection?.run("PRAGMA journal_mode=WAL")
  }
}
