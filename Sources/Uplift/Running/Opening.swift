internal import UpliftSQLite
internal import UpliftSystem

/// The ways to open a database and to read its state.
struct Opening {
  let file: DatabaseFile
  /// Nil if they have not been read yet.
  let facts: FileFacts?
  let deadline: Deadline
  /// The program's `prepare`; it runs before `look`.
  var prepare: Upgrader.Prepare?
  /// Reads something else in the transaction that reads the state.
  var look: ((borrowing Connection) throws(SQLiteError) -> Void)?

  /// Tries the ways in turn, those that change nothing first, and takes the first one that works.
  func forReading() throws(UpgradeError) -> OpenDatabase {
    do throws(UpgradeError) {
      if let database = try withoutLog() { return database }
      if try !file.hasJournal("-wal"), let database = try fileAlone() { return database }
      return try withLog()
    } catch {
      // Without the right to write, SQLite reads no database in WAL mode: it wants to create the
      // log.
      guard error.isAboutWriting, let database = try fileAlone() else { throw error }
      return database
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

  /// Reads a database in rollback mode, on a connection that can write as well; nil if the database
  /// is in WAL mode.
  private func withoutLog() throws(UpgradeError) -> OpenDatabase? {
    let connection = try at { () throws(SQLiteError) in
      try Connection(
        path: file.path.bytes, access: .readWrite, diskUse: file.diskUse, deadline: deadline)
    }
    try connection.prepare(by: prepare, at: file.shown)
    let reading: Reading
    do {
      reading = try connection.withoutLog { () throws(SQLiteError) in try Reading(connection, look)
      }
    } catch {
      if error.code.primary == .cannotOpen { return nil }
      throw translated(error)
    }
    let state = try end(reading, connection)
    return OpenDatabase(connection, state, isForWriting: true, hasNoLog: true, self)
  }

  /// Reads a database in WAL mode and its log, and leaves the log as it is.
  ///
  /// If no process has the database open, SQLite creates the file with the shared memory again. If
  /// the disk has no room for this file, the connection uses memory of its own and locks the
  /// database. That disturbs nobody, because no other process has the database open.
  private func withLog() throws(UpgradeError) -> OpenDatabase {
    var attempt = 0
    while true {
      do {
        return try read(.readWrite)
      } catch {
        guard case .disk = error, try file.hasJournal("-wal") else { throw error }
      }
      do {
        return try read(.readWrite, usesOwnMemory: true)
      } catch {
        guard case .busy = error else { throw error }
      }
      guard deadline.pause(attempt: attempt) else {
        throw deadline.mustStopNow
          ? .cancelled(reached: nil) : .busy(path: file.shown, reached: nil)
      }
      // Another length each time, so that processes that began together do not meet again and again.
      attempt = .random(in: 1...6)
    }
  }

  /// Reads the file as if no other process had it open; nil if the file is not the whole database.
  ///
  /// The file is the whole database if there is no log, and no journal that would undo a part of
  /// the file. The result counts only if there is still no log afterwards and the file has not
  /// changed.
  private func fileAlone() throws(UpgradeError) -> OpenDatabase? {
    for suffix in ["-wal", "-journal"] where try file.hasJournal(suffix) { return nil }
    let before = if let facts { facts } else { try file.facts() }
    let database: OpenDatabase
    do throws(UpgradeError) {
      let opening = Opening(
        file: file, facts: before, deadline: deadline, prepare: prepare, look: look)
      database = try opening.read(.immutable)
    } catch {
      guard try file.isUnchanged(since: before) else { return nil }
      throw error
    }
    guard try file.isUnchanged(since: before) else { return nil }
    return database
  }

  /// With `mustBeWritable`, a file that may not be written is refused before SQLite reads it,
  /// because reading would create a log that the owner of the database could not write.
  ///
  /// With `usesOwnMemory`, it is busy at once if another process has the database open. SQLite would
  /// keep its read lock while it waits for the other locks, and two such processes would wait for each
  /// other.
  func read(
    _ access: Connection.Access, usesOwnMemory: Bool = false, mustBeWritable: Bool = false
  ) throws(UpgradeError) -> OpenDatabase {
    // A log that exists now belongs to a service and stays. SQLite may delete a log that this boot
    // creates.
    let hasLog = access == .readWrite ? try file.hasJournal("-wal") : false
    let waits = usesOwnMemory ? deadline.withoutPatience() : deadline
    let connection = try at { () throws(SQLiteError) in
      try Connection(
        path: file.path.bytes, access: access, diskUse: file.diskUse, deadline: waits)
    }
    if mustBeWritable, connection.isReadOnly { throw .readOnly(path: file.shown) }
    if hasLog { connection.keepLog() }
    try connection.prepare(by: prepare, at: file.shown)
    if usesOwnMemory {
      try at { () throws(SQLiteError) in try connection.useOwnMemoryForLog() }
    }
    let state = try state(connection)
    return OpenDatabase(
      connection, state, isForWriting: access == .readWrite && !usesOwnMemory, self)
  }

  func state(_ connection: borrowing Connection) throws(UpgradeError) -> DatabaseState {
    let reading = try at { () throws(SQLiteError) in try Reading(connection, look) }
    return try end(reading, connection)
  }

  /// Ends the read transaction, and returns the state that it read.
  private func end(
    _ reading: Reading, _ connection: borrowing Connection
  ) throws(UpgradeError) -> DatabaseState {
    let state = try reading.state.state
    // The transaction is still open: after it another process may make the file shorter.
    let isLonger = try checkSize(reading.pages, of: reading.pageSize)
    if state.isEmpty {
      try file.checkLog()
      if isLonger { try refuseOtherPages(after: reading.pages * reading.pageSize, connection) }
    }
    try at { () throws(SQLiteError) in try connection.run("COMMIT") }
    return state
  }

  /// Checks the size of the file; true if it is longer than its pages.
  ///
  /// SQLite reports no error for a file that has lost a part of its last page, and may report none
  /// for lost pages.
  private func checkSize(_ pages: Int64, of pageSize: Int64) throws(UpgradeError) -> Bool {
    let expected = pages * pageSize
    if let facts, facts.size >= expected { return facts.size > expected }
    guard let now = try file.facts() else { return false }
    guard now.size < expected else { return now.size > expected }
    if try file.hasJournal("-wal") {
      let logged = try pagesInLog()
      if logged.complete(now.size / pageSize, of: pages, pageSize: pageSize) { return false }
    }
    throw .damaged(path: file.shown, .truncated(bytes: now.size, expected: expected))
  }

  /// Refuses a database that only looks empty.
  ///
  /// If an old first page comes back, the tables are in pages that it does not count, and a seed
  /// would be written over them. With a log, the file may have pages that are not in use any more.
  private func refuseOtherPages(
    after size: Int64, _ connection: borrowing Connection
  ) throws(UpgradeError) {
    let whole = try at { () throws(SQLiteError) in try connection.sizeWithRest(after: size) }
    guard whole > size, try !file.hasJournal("-wal") else { return }
    let words = "its first page is that of an empty database, but the file has other pages"
    throw .damaged(path: file.shown, .malformed(words: words))
  }

  private func pagesInLog() throws(UpgradeError) -> LoggedPages {
    let log = file.path + "-wal"
    let pages = try UpgradeError.at(log) { () throws(SystemError) in
      try LoggedPages(in: log) { deadline.mustStopNow }
    }
    guard let pages else { throw .cancelled(reached: nil) }
    return pages
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
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}

/// The state of a database and its size in pages, read in a transaction that stays open.
private struct Reading {
  let state: StateReading
  let pages: Int64
  let pageSize: Int64

  init(
    _ connection: borrowing Connection,
    _ look: ((borrowing Connection) throws(SQLiteError) -> Void)?
  ) throws(SQLiteError) {
    try connection.run("BEGIN")
    state = try StateReading(connection)
    pages = try connection.integer("PRAGMA page_count")
    pageSize = try connection.integer("PRAGMA page_size")
    try look?(connection)
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
