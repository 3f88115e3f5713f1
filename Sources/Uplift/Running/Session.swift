internal import UpliftSQLite
internal import UpliftSystem

/// The database, open, and what it says of itself.
struct Session: ~Copyable {
  let connection: Connection
  let standing: Standing

  /// Opens the database and reads its version, in one read transaction.
  ///
  /// A WAL database in a directory that may not be written cannot be opened as usual: SQLite
  /// wants to make the log. Where there is no log, nor a journal that would undo part of it, all
  /// of the database is in its file, and reading that alone is enough to see that it is current.
  static func open(
    _ place: DatabasePath, _ facts: FileFacts?, watch: Watch
  ) throws(UpgradeError) -> Session {
    do {
      return try read(place, facts, .readWrite, watch)
    } catch {
      switch error {
      case .denied, .readOnly: break
      default: throw error
      }
      for suffix in ["-wal", "-journal"] where try place.hasJournal(suffix) { throw error }
      return try read(place, facts, .immutable, watch)
    }
  }

  private static func read(
    _ place: DatabasePath, _ facts: FileFacts?, _ access: Connection.Access, _ watch: Watch
  ) throws(UpgradeError) -> Session {
    let connection = try at(place, watch) { () throws(SQLiteError) in
      try Connection(path: place.path, access: access, watch: watch)
    }
    let standing = try standing(of: connection, place, facts, watch)
    return Session(connection: connection, standing: standing)
  }

  /// Closes the connection, for another that must have the database to itself.
  consuming func close() {}

  /// What the database says now, for one that may have changed since it was opened.
  borrowing func standingNow(
    _ place: DatabasePath, watch: Watch
  ) throws(UpgradeError) -> Standing {
    try Self.standing(of: connection, place, nil, watch)
  }

  private static func standing(
    of connection: borrowing Connection, _ place: DatabasePath, _ facts: FileFacts?, _ watch: Watch
  ) throws(UpgradeError) -> Standing {
    let found = try at(place, watch) { () throws(SQLiteError) in
      try connection.run("BEGIN")
      return try Found(connection)
    }
    guard let version = Version(found.version) else { throw .invalid(version: found.version) }
    // Before the transaction ends: behind it somebody else may make the file shorter.
    try found.checkSize(of: place, facts, connection)
    try at(place, watch) { () throws(SQLiteError) in try connection.run("COMMIT") }
    return Standing(
      version: version, applicationID: found.applicationID, hasTables: found.hasTables)
  }

  private static func at<Result: ~Copyable>(
    _ place: DatabasePath, _ watch: Watch, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw watch.isCancelled
        ? .cancelled(reached: nil) : UpgradeError(error, at: place.shown, reached: nil)
    }
  }
}

/// What the header and the schema say, read in the open transaction.
private struct Found {
  let version: Int32
  let applicationID: Int32
  let hasTables: Bool
  let size: Int64

  /// Reading `user_version` alone validates nothing; asking for the tables parses the schema.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    version = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    hasTables = try connection.integer("SELECT EXISTS (SELECT 1 FROM sqlite_master)") == 1
    applicationID = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id"))
    size = try connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")
  }

  /// A file cut short inside its last page still answers everything; its size tells.
  ///
  /// Pages that are still in a log are not in the file; then SQLite knows better.
  func checkSize(
    of place: DatabasePath, _ facts: FileFacts?, _ connection: borrowing Connection
  ) throws(UpgradeError) {
    if let facts, facts.size >= size { return }
    guard let facts = try place.facts(), facts.size < size else { return }
    do {
      if try connection.text("PRAGMA journal_mode") == "wal" { return }
    } catch {
      throw UpgradeError(error, at: place.shown, reached: nil)
    }
    throw .damaged(path: place.shown, .truncated(bytes: facts.size, expected: size))
  }
}
