package import UpliftSQLite
internal import UpliftSystem

/// An open database, and the state that it had when it was opened.
struct OpenDatabase: ~Copyable {
  let connection: Connection
  let state: DatabaseState
  /// False if the file was read alone, without locks.
  let isForWriting: Bool
  fileprivate let look: Look

  /// This database, opened again if its file was read alone.
  consuming func forWriting() throws(UpgradeError) -> OpenDatabase {
    // If the directory cannot be written, SQLite could not remove the journal that a service with
    // `journal_mode=PERSIST` leaves, and so could not the next program.
    let path = look.file.path
    if !System.isWritable(path.parent), try (path + "-journal").facts() != nil {
      throw .readOnly(look.file.shown)
    }
    if isForWriting { return self }
    let look = look
    _ = consume self
    return try look.openForWriting()
  }
}

/// One look at a database.
///
/// Its connection can write: with a read-only one, SQLite would leave a `-wal` and a `-shm` that
/// belong to this user, and would lock the service out.
struct Look {
  let file: DatabaseFile
  /// The facts about the file; nil if they have not been read yet.
  var facts: FileFacts?
  let deadline: Deadline
  var prepare: Upgrader.Prepare?
  /// Reads something else in the same transaction; only its last call counts.
  var read: ((borrowing Connection) throws(SQLiteError) -> Void)?

  /// Opens the database and reads its state in one read transaction; nothing is written.
  ///
  /// A log that is there belongs to a service, which may have been killed, so it stays as it is.
  /// Without one, the file is read alone, because SQLite would make a log and delete it again, for
  /// which a full or read-only disk has no room.
  func open() throws(UpgradeError) -> OpenDatabase {
    let connection = try connect(.readWrite)
    if connection.usesLogByHeader == true {
      if try file.hasJournal("-wal") {
        connection.keepLog()
      } else if let database = try alone() {
        return database
      }
    }
    return try opened(connection, isForWriting: true)
  }

  /// Opens the database to write it.
  fileprivate func openForWriting() throws(UpgradeError) -> OpenDatabase {
    for attempt in 0...5 {
      do throws(UpgradeError) {
        let hasLog = try file.hasJournal("-wal")
        let connection = try connect(.readWrite)
        // To read it would make a log that the owner of the database could not write.
        if connection.isReadOnly { throw .readOnly(file.shown) }
        if hasLog { connection.keepLog() }
        return try opened(connection, isForWriting: true)
      } catch {
        guard error.kind == .denied else { throw error }
      }
      // SQLite may say so for a moment, while another process switches the log on or off.
      guard attempt < 5, System.isWritable(file.path.parent), deadline.pause(attempt: attempt)
      else { break }
    }
    throw .readOnly(file.shown)
  }

  /// Reads the file without locks, as if no process changed it; nil if one did.
  private func alone() throws(UpgradeError) -> OpenDatabase? {
    if try file.hasJournal("-journal") { return nil }
    let before = if let facts { facts } else { try file.facts() }
    let database = Result { () throws(UpgradeError) in
      try opened(connect(.immutable), isForWriting: false)
    }
    return try file.isUnchanged(since: before) ? database.get() : nil
  }

  private func connect(_ access: Connection.Access) throws(UpgradeError) -> Connection {
    try deadline.at(file.shown) { () throws(SQLiteError) in
      try Connection(path: file.path.bytes, access: access, deadline: deadline)
    }
  }

  private func opened(
    _ connection: consuming Connection, isForWriting: Bool
  ) throws(UpgradeError) -> OpenDatabase {
    try connection.prepare(by: prepare, at: file.shown)
    let (state, size) = try deadline.at(file.shown) { () throws(SQLiteError) in
      try connection.run("BEGIN")
      let state = try DatabaseState(connection)
      let pages = try connection.integer("PRAGMA page_count")
      let size = try pages * connection.integer("PRAGMA page_size")
      try read?(connection)
      return (state, size)
    }
    // After the transaction another process may make the file shorter.
    try checkSize(size, isEmpty: state.isEmpty)
    try deadline.at(file.shown) { () throws(SQLiteError) in try connection.run("COMMIT") }
    return OpenDatabase(
      connection: connection, state: state, isForWriting: isForWriting, look: self)
  }

  /// Refuses a file of another size than its pages, unless the last ones may be in a log.
  ///
  /// SQLite does not report that a part of the last page is missing. A database with tables may be
  /// larger (SQLITE_FCNTL_CHUNK_SIZE). One that holds nothing may not: an old first page may have
  /// come back, and a seed would be written over the tables in the other pages.
  private func checkSize(_ expected: Int64, isEmpty: Bool) throws(UpgradeError) {
    if let facts, facts.size == expected || facts.size > expected && !isEmpty { return }
    guard let size = try file.facts()?.size, try !file.hasJournal("-wal") else { return }
    if size < expected { throw .damaged(file.shown, "has \(size) bytes, not \(expected)") }
    if isEmpty, size > expected {
      let words = "its first page is that of an empty database, but the file has other pages"
      throw .damaged(file.shown, "is damaged: \(words)")
    }
  }
}

extension DatabaseState {
  /// Reads the state; the version may be a number that is none.
  ///
  /// To list the tables SQLite parses the schema, so this finds a damaged one.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    let version = try connection.integer("PRAGMA user_version")
    // SQLite's own tables stay when the last table is dropped, and hold nothing then.
    let tables = try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name NOT GLOB 'sqlite_*')")
    let applicationID = try connection.integer("PRAGMA application_id")
    self.init(
      version: Version(unchecked: Int32(truncatingIfNeeded: version)),
      applicationID: Int32(truncatingIfNeeded: applicationID), hasTables: tables == 1)
  }
}

extension Connection {
  /// Lets the program add its collations, functions and modules.
  package borrowing func prepare(
    by prepare: Upgrader.Prepare?, at path: String, reached: Version? = nil
  ) throws(UpgradeError) {
    guard let prepare else { return }
    do {
      try self.prepare(prepare)
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: reached) }
      switch error {
      case var error as UpgradeError:
        if error.kind == .preparation { error.reached = reached }
        throw error
      case let error as SQLiteError where error.code != .error:
        throw UpgradeError(error, at: path, reached: reached)
      default:
        let reason = (error as? SQLiteError)?.message ?? String(describing: error)
        throw UpgradeError(
          .preparation, "prepare failed: \(reason)",
          fix: "correct prepare: it adds collations, functions and modules, and writes nothing",
          reached: reached)
      }
    }
  }
}
