internal import UpliftSQLite
internal import UpliftSystem

/// An open database, and its state when it was opened.
///
/// When SQLite opens a database in WAL mode, it creates the `-wal` and `-shm` files, and the disk
/// needs room for them. When it closes the database, it moves the log into the database. A boot
/// that only reads avoids both if it can. A boot that writes opens the database as usual.
struct OpenDatabase: ~Copyable {
  let connection: Connection
  let state: DatabaseState
  /// False if the connection must not be used to write.
  let isForWriting: Bool
  /// True if the database is known to have no write-ahead log.
  let hasNoLog: Bool
  private let opening: Opening

  init(
    _ connection: consuming Connection, _ state: DatabaseState, isForWriting: Bool,
    hasNoLog: Bool = false, _ opening: Opening
  ) {
    self.hasNoLog = hasNoLog
    self.connection = connection
    self.state = state
    self.isForWriting = isForWriting
    self.opening = opening
  }

  /// Opens the database and reads its state in one read transaction.
  ///
  /// `facts` are those of the file, if they are known.
  static func open(
    _ file: DatabaseFile, _ facts: FileFacts?, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    try Opening(file: file, facts: facts, deadline: deadline).forReading()
  }

  /// Opens the database, and reads something else in the same transaction.
  ///
  /// If the database changes meanwhile, `look` is called again, so only its last call counts.
  static func open(
    _ file: DatabaseFile, _ facts: FileFacts?, prepare: Upgrader.Prepare?, deadline: Deadline,
    look: @escaping (borrowing Connection) throws(SQLiteError) -> Void
  ) throws(UpgradeError) -> OpenDatabase {
    try Opening(
      file: file, facts: facts, deadline: deadline, prepare: prepare, look: look
    ).forReading()
  }

  /// Opens the database as usual, so that it can be written.
  static func openForWriting(
    _ file: DatabaseFile, deadline: Deadline
  ) throws(UpgradeError) -> OpenDatabase {
    let opening = Opening(file: file, facts: nil, deadline: deadline)
    var attempt = 0
    while true {
      do {
        let database = try opening.read(.readWrite, mustBeWritable: true)
        try file.checkLog()
        return database
      } catch {
        guard error.isAboutWriting else { throw error }
      }
      // SQLite may say so for a moment, while another process switches the log on or off.
      guard attempt < 5, System.isWritable(file.path.parent),
        deadline.pause(attempt: attempt)
      else { throw .readOnly(path: file.shown) }
      attempt += 1
    }
  }

  /// This database, opened again if it was opened for reading only.
  consuming func forWriting() throws(UpgradeError) -> OpenDatabase {
    if isForWriting {
      try opening.checkJournal()
      if !hasNoLog { try opening.file.checkLog() }
      return self
    }
    let opening = opening
    // As long as this connection is open, it may lock the next one out.
    close()
    return try Self.openForWriting(opening.file, deadline: opening.deadline)
  }

  /// Closes the connection, because another one must have the database to itself.
  consuming func close() {}

  /// Gives the connection away.
  consuming func takeConnection() -> Connection { connection }

  /// Lets other boots of the same run know that SQLite can read this schema.
  borrowing func remember(in known: ReadableSchemas) {
    if hasNoLog { known.remember(schemaOf: connection) }
  }

  /// True for a new database; Litestream's tables and views are nothing that a backup could hold.
  borrowing func holdsNothing() throws(UpgradeError) -> Bool {
    guard state.version == .zero else { return false }
    do {
      return try !connection.hasOwnTables()
    } catch {
      throw UpgradeError(error, at: opening.file.shown, reached: nil)
    }
  }

  /// The state now: it may have changed since the database was opened.
  borrowing func stateNow() throws(UpgradeError) -> DatabaseState {
    try Opening(file: opening.file, facts: nil, deadline: opening.deadline).state(connection)
  }
}
