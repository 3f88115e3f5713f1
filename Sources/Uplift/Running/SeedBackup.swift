internal import UpliftSQLite
internal import UpliftSystem

/// Fills a database that holds nothing with the seed, in place: a file of zero bytes is what a
/// plain copy leaves when it crashes, and may not be replaced all the same.
struct SeedBackup {
  let file: DatabaseFile
  let seed: Seed
  /// What the seed said when the upgrade was planned.
  let header: DatabaseHeader
  let deadline: Deadline

  /// Copies through SQLite's backup interface, under its locks; false where somebody else has
  /// put something in by now.
  func fill() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: file)
    // Between our own processes only: what counts is SQLite's lock.
    _ = try directory.lock(file, deadline)
    try directory.syncParents()
    let source = try openSeed()
    try directory.adopt(file)
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    guard !database.connection.isReadOnly else { throw .readOnly(path: file.shown) }
    let usesLog = try at(file) { () throws(SQLiteError) in
      try prepare(database.connection, for: header.pageSize)
    }
    guard try database.stateNow().isEmpty else { return false }
    return try at(file) { () throws(SQLiteError) in
      guard try source.copyAll(into: database.connection) else { return false }
      if usesLog || header.usesLog { try database.connection.run("PRAGMA journal_mode=WAL") }
      return true
    }
  }

  /// Sets what the copy would change on its way; true where the database had a log, for it has
  /// to do without one while its pages get another size.
  private func prepare(
    _ connection: borrowing Connection, for pageSize: Int
  ) throws(SQLiteError) -> Bool {
    try connection.pinSettings(doubleQuotedStrings: false)
    try connection.run("PRAGMA page_size=\(pageSize)")
    guard try connection.text("PRAGMA journal_mode") == "wal" else { return false }
    if try connection.integer("PRAGMA page_size") != pageSize {
      try connection.run("PRAGMA journal_mode=DELETE")
    }
    return true
  }

  private func openSeed() throws(UpgradeError) -> Connection {
    guard try SeedFile.header(of: seed) == header else {
      throw .seed(file: seed.name, .changed)
    }
    do {
      switch seed.source {
      case .file(let path):
        return try Connection(path: Path(path).bytes, access: .immutable, deadline: deadline)
      case .bytes(let bytes):
        return try Connection.memory(bytes, deadline: deadline)
      }
    } catch {
      let translated = UpgradeError(error, at: seed.name, reached: nil)
      if case .disk = translated { throw translated }
      throw .seed(file: seed.name, .malformed(words: error.message))
    }
  }

  private func at<Result>(
    _ file: DatabaseFile, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw deadline.isCancelled
        ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
    }
  }
}
