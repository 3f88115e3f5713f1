internal import UpliftSQLite
internal import UpliftSystem

/// Fills a database that holds nothing with the seed, in place: a file of zero bytes is what a
/// plain copy leaves when it crashes, and may not be replaced all the same.
struct Filling {
  let place: DatabasePath
  let seed: Seed
  /// What the seed said when the upgrade was planned.
  let header: SeedHeader
  let watch: Watch

  /// Copies through SQLite's backup interface, under its locks; false where somebody else has
  /// put something in by now.
  func fill() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: place)
    // Between our own processes only: what counts is SQLite's lock.
    _ = try directory.lock(place, watch)
    try directory.syncParents()
    let source = try openSeed()
    try directory.adopt(place)
    let session = try Session.openForWriting(place, watch: watch)
    guard !session.connection.isReadOnly else { throw .readOnly(path: place.shown) }
    let usesLog = try at(place) { () throws(SQLiteError) in
      try prepare(session.connection, for: header.pageSize)
    }
    guard try session.standingNow(place, watch: watch).isNew else { return false }
    return try at(place) { () throws(SQLiteError) in
      guard try source.copyAll(into: session.connection) else { return false }
      if usesLog || header.usesLog { try session.connection.run("PRAGMA journal_mode=WAL") }
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
    guard try Resources.header(of: seed) == header else {
      throw .seed(file: seed.name, .changed)
    }
    do {
      switch seed.source {
      case .file(let path):
        return try Connection(path: Path(path).bytes, access: .immutable, watch: watch)
      case .bytes(let bytes):
        return try Connection.memory(bytes, watch: watch)
      }
    } catch {
      let translated = UpgradeError(error, at: seed.name, reached: nil)
      if case .disk = translated { throw translated }
      throw .seed(file: seed.name, .malformed(words: error.message))
    }
  }

  private func at<Result>(
    _ place: DatabasePath, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw watch.isCancelled
        ? .cancelled(reached: nil) : UpgradeError(error, at: place.shown, reached: nil)
    }
  }
}
