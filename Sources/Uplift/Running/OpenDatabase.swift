internal import UpliftSQLite
internal import UpliftSystem

/// The database, open, and what it says of itself.
///
/// To read a database in WAL mode as usual makes its log and its shared memory, and needs room on the
/// disk for them; to close it moves the log of a killed service into the database. A look does none of
/// that if there is another way; somebody who writes opens the database as usual.
struct OpenDatabase: ~Copyable {
  let connection: Connection
  let standing: DatabaseState
  /// True if the connection can write, should the file's permissions allow it.
  private let isForWriting: Bool

  /// Opens the database and reads its version, in one read transaction.
  static func open(
    _ file: DatabaseFile, _ facts: FileFacts?, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    do throws(UpgradeError) {
      if let session = try readWithoutLog(file, facts, deadline) { return session }
      if try !file.hasJournal("-wal"), let session = try readFileAlone(file, facts, deadline) {
        return session
      }
      return try readWithLog(file, facts, deadline)
    } catch {
      // Without the right to write, SQLite reads no database in WAL mode: it wants to make the log.
      guard error.isAboutWriting, let session = try readFileAlone(file, facts, deadline) else {
        throw error
      }
      return session
    }
  }

  /// Opens it for somebody who will write.
  static func openForWriting(
    _ file: DatabaseFile, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    do {
      return try read(file, nil, .readWrite, deadline)
    } catch {
      throw error.isAboutWriting ? .readOnly(path: file.shown) : error
    }
  }

  /// The session for somebody who will write.
  consuming func forWriting(
    _ file: DatabaseFile, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    if isForWriting { return self }
    // The database may be locked for others as long as this connection is open.
    close()
    return try Self.openForWriting(file, deadline: deadline)
  }

  /// Closes the connection, for another that must have the database to itself.
  consuming func close() {}

  /// What the database says now, for one that may have changed since it was opened.
  borrowing func standingNow(
    _ file: DatabaseFile, deadline: Deadline
  ) throws(UpgradeError) -> DatabaseState {
    try Self.standing(of: connection, file, nil, deadline)
  }
}

/// The ways of looking.
extension OpenDatabase {
  /// Reads a database in rollback mode, with a connection that can write as well; nil if it is in
  /// WAL mode.
  private static func readWithoutLog(
    _ file: DatabaseFile, _ facts: FileFacts?, _ deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase? {
    let connection = try at(file, deadline) { () throws(SQLiteError) in
      try Connection(path: file.path.bytes, access: .readWrite, deadline: deadline)
    }
    let found: Found
    do {
      found = try connection.withoutLog { () throws(SQLiteError) in try Found(connection) }
    } catch {
      if error.code.primary == .cannotOpen { return nil }
      throw translated(error, file, deadline)
    }
    let standing = try found.standing(of: connection, file, facts, deadline)
    return OpenDatabase(connection: connection, standing: standing, isForWriting: true)
  }

  /// Reads a database in WAL mode and its log, which stays as it is.
  ///
  /// SQLite makes the shared memory anew if nobody has it open. If the disk has no room for it, the
  /// log is read without: then nobody has the database open, so nobody is locked out.
  private static func readWithLog(
    _ file: DatabaseFile, _ facts: FileFacts?, _ deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    do {
      return try read(file, facts, .readWrite, deadline)
    } catch {
      guard case .disk = error, try file.hasJournal("-wal") else { throw error }
      return try read(file, facts, .readWrite, usesOwnMemory: true, deadline)
    }
  }

  /// Reads the file alone, as if nobody had it open; nil if that is not all of the database.
  ///
  /// It is all if there is no log, and no journal that would undo part of it. What was read counts
  /// if that is still so afterwards, and nobody has changed the file meanwhile.
  private static func readFileAlone(
    _ file: DatabaseFile, _ facts: FileFacts?, _ deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase? {
    for suffix in ["-wal", "-journal"] where try file.hasJournal(suffix) { return nil }
    let before = if let facts { facts } else { try file.facts() }
    func isUnchanged() throws(UpgradeError) -> Bool {
      if try file.hasJournal("-wal") { return false }
      return try file.facts() == before
    }
    let session: OpenDatabase
    do throws(UpgradeError) {
      session = try read(file, before, .immutable, deadline)
    } catch {
      guard try isUnchanged() else { return nil }
      throw error
    }
    guard try isUnchanged() else { return nil }
    return session
  }

  private static func read(
    _ file: DatabaseFile, _ facts: FileFacts?, _ access: Connection.Access,
    usesOwnMemory: Bool = false, _ deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    // Until somebody writes, a log stays as it is; an empty one has just been made.
    let hasLog = access == .readWrite ? try file.hasJournal("-wal") : false
    let connection = try at(file, deadline) { () throws(SQLiteError) in
      try Connection(path: file.path.bytes, access: access, deadline: deadline)
    }
    if hasLog { connection.keepLog() }
    if usesOwnMemory {
      try at(file, deadline) { () throws(SQLiteError) in try connection.useOwnMemoryForLog() }
    }
    let standing = try standing(of: connection, file, facts, deadline)
    return OpenDatabase(
      connection: connection, standing: standing,
      isForWriting: access == .readWrite && !usesOwnMemory)
  }

  private static func standing(
    of connection: borrowing Connection, _ file: DatabaseFile, _ facts: FileFacts?,
    _ deadline: Deadline
  ) throws(UpgradeError) -> DatabaseState {
    let found = try at(file, deadline) { () throws(SQLiteError) in try Found(connection) }
    return try found.standing(of: connection, file, facts, deadline)
  }

  fileprivate static func at<Result: ~Copyable>(
    _ file: DatabaseFile, _ deadline: Deadline, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw translated(error, file, deadline)
    }
  }

  private static func translated(
    _ error: SQLiteError, _ file: DatabaseFile, _ deadline: Deadline
  ) -> UpgradeError {
    deadline.isCancelled
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}

extension UpgradeError {
  /// True if the right to write is missing.
  fileprivate var isAboutWriting: Bool {
    switch self {
    case .denied, .readOnly: true
    default: false
    }
  }
}

/// What the header and the schema say, read in a transaction that is still open.
private struct Found {
  let version: Int32
  let applicationID: Int32
  let hasTables: Bool
  let size: Int64

  /// Reading `user_version` alone validates nothing; asking for the tables parses the schema.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    try connection.run("BEGIN")
    version = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    hasTables = try connection.integer("SELECT EXISTS (SELECT 1 FROM sqlite_master)") == 1
    applicationID = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id"))
    size = try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
  }

  /// Ends the transaction, and says what was found in it.
  func standing(
    of connection: borrowing Connection, _ file: DatabaseFile, _ facts: FileFacts?,
    _ deadline: Deadline
  ) throws(UpgradeError) -> DatabaseState {
    guard let version = Version(version) else { throw .invalid(version: version) }
    // Before the transaction ends: after it somebody else may make the file shorter.
    try checkSize(of: file, facts)
    try OpenDatabase.at(file, deadline) { () throws(SQLiteError) in try connection.run("COMMIT") }
    return DatabaseState(version: version, applicationID: applicationID, hasTables: hasTables)
  }

  /// A file cut short inside its last page still answers everything; its size tells.
  ///
  /// Pages that are still in a log are not in the file; then SQLite knows better. An empty log has
  /// none.
  private func checkSize(of file: DatabaseFile, _ facts: FileFacts?) throws(UpgradeError) {
    if let facts, facts.size >= size { return }
    guard let facts = try file.facts(), facts.size < size else { return }
    if try file.hasJournal("-wal") { return }
    throw .damaged(path: file.shown, .truncated(bytes: facts.size, expected: size))
  }
}
