internal import UpliftSQLite
internal import UpliftSystem

/// An open database, and the state that it had when it was opened.
struct OpenDatabase: ~Copyable {
  let connection: Connection
  let state: DatabaseState
  /// False if the file was read alone, without locks.
  let isForWriting: Bool
  private let look: Look

  fileprivate init(
    _ connection: consuming Connection, _ state: DatabaseState, isForWriting: Bool, _ look: Look
  ) {
    self.connection = connection
    self.state = state
    self.isForWriting = isForWriting
    self.look = look
  }

  /// Opens the database and reads its state in one read transaction; nothing is written.
  ///
  /// `facts` are those of the file, if they are known. `read` reads something else in the same
  /// transaction. If the database changes meanwhile, it is called again, so only its last call
  /// counts.
  static func open(
    _ file: DatabaseFile, _ facts: FileFacts?, prepare: Upgrader.Prepare? = nil, deadline: Deadline,
    read: ((borrowing Connection) throws(SQLiteError) -> Void)? = nil
  ) throws(UpgradeError) -> OpenDatabase {
    try Look(file: file, facts: facts, deadline: deadline, prepare: prepare, read: read).open()
  }

  /// Opens the database so that it can be written.
  static func openForWriting(
    _ file: DatabaseFile, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    try Look(file: file, facts: nil, deadline: deadline).openForWriting()
  }

  /// This database, opened again if its file was read alone.
  consuming func forWriting() throws(UpgradeError) -> OpenDatabase {
    try look.checkJournal()
    if isForWriting { return self }
    let look = look
    close()
    return try look.openForWriting()
  }

  /// Closes the connection, because another one must have the database to itself.
  consuming func close() {}

  /// Gives the connection away.
  consuming func takeConnection() -> Connection { connection }

  /// True for a new database; Litestream's tables and views are nothing that a backup could hold.
  borrowing func holdsNothing() throws(UpgradeError) -> Bool {
    guard state.version == .zero else { return false }
    do {
      return try !connection.hasOwnTables()
    } catch {
      throw look.translated(error)
    }
  }

  /// The state now: it may have changed since the database was opened.
  borrowing func stateNow() throws(UpgradeError) -> DatabaseState {
    try Look(file: look.file, facts: nil, deadline: look.deadline).state(connection)
  }
}

/// One look at a database.
///
/// The connection can always write, also for a look that only reads. With a read-only one, SQLite
/// would leave a `-wal` and a `-shm` that belong to this user, and would lock the service out.
private struct Look {
  let file: DatabaseFile
  /// Nil if they have not been read yet.
  let facts: FileFacts?
  let deadline: Deadline
  var prepare: Upgrader.Prepare?
  var read: ((borrowing Connection) throws(SQLiteError) -> Void)?

  /// Opens the database to read it.
  ///
  /// A log that is there belongs to a service, which may have been killed, so it stays as it is.
  /// Without one, SQLite would make a log and delete it again, for which a full or read-only disk
  /// has no room. The file alone is then the database.
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
  ///
  /// A file that may not be written is refused before SQLite reads it, because that would make a
  /// log which the owner of the database could not write.
  func openForWriting() throws(UpgradeError) -> OpenDatabase {
    var attempt = 0
    while true {
      do throws(UpgradeError) {
        let hasLog = try file.hasJournal("-wal")
        let connection = try connect(.readWrite)
        if connection.isReadOnly { throw .readOnly(path: file.shown) }
        if hasLog { connection.keepLog() }
        return try opened(connection, isForWriting: true)
      } catch {
        guard error.isAboutWriting else { throw error }
      }
      // SQLite may say so for a moment, while another process switches the log on or off.
      guard attempt < 5, System.isWritable(file.path.parent), deadline.pause(attempt: attempt)
      else { throw .readOnly(path: file.shown) }
      attempt += 1
    }
  }

  /// Refuses to use a journal that can be written but not removed, because its directory cannot be
  /// written.
  ///
  /// A service with `journal_mode=PERSIST` leaves such a journal. SQLite fails when it has to remove
  /// it. The next program that opens the database fails, too.
  func checkJournal() throws(UpgradeError) {
    if System.isWritable(file.path.parent) { return }
    let journal = file.path + "-journal"
    let exists = try UpgradeError.at(journal) { () throws(SystemError) in
      try System.facts(of: journal, followingLinks: true) != nil
    }
    if exists { throw .readOnly(path: file.shown) }
  }

  /// Reads the file without locks, as if no process changed it; nil if one did.
  private func alone() throws(UpgradeError) -> OpenDatabase? {
    if try file.hasJournal("-journal") { return nil }
    let before = if let facts { facts } else { try file.facts() }
    let database: OpenDatabase
    do throws(UpgradeError) {
      database = try opened(connect(.immutable), isForWriting: false)
    } catch {
      guard try file.isUnchanged(since: before) else { return nil }
      throw error
    }
    guard try file.isUnchanged(since: before) else { return nil }
    return database
  }

  private func connect(_ access: Connection.Access) throws(UpgradeError) -> Connection {
    do {
      return try Connection(
        path: file.path.bytes, access: access, deadline: deadline)
    } catch {
      throw translated(error)
    }
  }

  private func opened(
    _ connection: consuming Connection, isForWriting: Bool
  ) throws(UpgradeError) -> OpenDatabase {
    try connection.prepare(by: prepare, at: file.shown)
    let state = try state(connection)
    return OpenDatabase(connection, state, isForWriting: isForWriting, self)
  }

  /// Reads the state in a transaction, and checks the size of the file before the transaction ends:
  /// after it, another process may make the file shorter.
  func state(_ connection: borrowing Connection) throws(UpgradeError) -> DatabaseState {
    let reading: StateReading
    let size: Int64
    do {
      try connection.run("BEGIN")
      reading = try StateReading(connection)
      size =
        try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
      try read?(connection)
    } catch {
      throw translated(error)
    }
    let state = try reading.state
    try checkSize(size, isEmpty: state.isEmpty)
    do {
      try connection.run("COMMIT")
    } catch {
      throw translated(error)
    }
    return state
  }

  /// Refuses a file of another size than its pages, unless the last ones may be in a log.
  ///
  /// SQLite does not report that a part of the last page is missing. A database with tables may be
  /// larger (SQLITE_FCNTL_CHUNK_SIZE). One that holds nothing may not: if an old first page came
  /// back, the tables would be in pages that it does not count, and a seed would be written over
  /// them.
  private func checkSize(_ expected: Int64, isEmpty: Bool) throws(UpgradeError) {
    if let facts, facts.size == expected || facts.size > expected && !isEmpty { return }
    guard let size = try file.facts()?.size, try !file.hasJournal("-wal") else { return }
    if size < expected {
      throw .damaged(path: file.shown, .truncated(bytes: size, expected: expected))
    }
    if isEmpty, size > expected {
      let words = "its first page is that of an empty database, but the file has other pages"
      throw .damaged(path: file.shown, .malformed(words: words))
    }
  }

  func translated(_ error: SQLiteError) -> UpgradeError {
    deadline.mustStopNow
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}

extension UpgradeError {
  /// True if the right to write is missing.
  var isAboutWriting: Bool {
    switch self {
    case .denied, .readOnly: true
    default: false
    }
  }
}

struct StateReading {
  private let version: Int32
  private let applicationID: Int32
  private let hasTables: Bool

  /// Also asks for the tables, to find a damaged schema.
  ///
  /// SQLite reads `user_version` without checking the file. To list the tables it must parse the
  /// schema.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    version = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    let tables = "SELECT EXISTS (SELECT 1 FROM sqlite_master"
    var hasTables = try connection.integer(tables + ")") == 1
    if hasTables, version == 0 {
      // SQLite's own tables stay when the last table is dropped, and hold nothing then.
      hasTables = try connection.integer(tables + " WHERE name NOT GLOB 'sqlite_*')") == 1
    }
    self.hasTables = hasTables
    applicationID = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id"))
  }

  /// The state, unless the number is no version.
  var state: DatabaseState {
    get throws(UpgradeError) {
      guard let number = Version(version) else { throw .invalid(version: version) }
      return DatabaseState(version: number, applicationID: applicationID, hasTables: hasTables)
    }
  }
}

extension Connection {
  /// True if there is a table that is neither SQLite's own nor Litestream's: those stay when the last
  /// table is dropped.
  borrowing func hasOwnTables() throws(SQLiteError) -> Bool {
    try integer(
      """
      SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table'
        AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*')
      """) == 1
  }
}
