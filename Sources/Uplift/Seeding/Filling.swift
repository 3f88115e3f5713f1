internal import UpliftSQLite

/// Fills a database that holds nothing with the seed, in place: a file of zero bytes is what a
/// plain copy leaves when it crashes, and may not be replaced all the same.
struct Filling {
  let place: DatabasePath
  let seed: Seed
  let watch: Watch

  /// Copies through SQLite's backup interface, under its locks; false where somebody else has
  /// put something in by now.
  func fill() throws(UpgradeError) -> Bool {
    let directory = try DataDirectory.open(of: place)
    _ = try directory.lock(watch)
    let session = try Session.open(place, nil, watch: watch)
    guard session.standing.isNew else { return false }
    guard !session.connection.isReadOnly else { throw .readOnly(path: place.shown) }
    let source = try openSeed()
    do {
      try session.connection.pinSettings(doubleQuotedStrings: false)
      try source.copyAll(into: session.connection)
    } catch {
      throw watch.isCancelled
        ? .cancelled(reached: nil) : UpgradeError(error, at: place.shown, reached: nil)
    }
    return true
  }

  private func openSeed() throws(UpgradeError) -> Connection {
    do {
      switch seed.source {
      case .file(let path):
        return try Connection(path: path, access: .immutable, watch: watch)
      case .bytes(let bytes):
        return try Connection.memory(bytes, watch: watch)
      }
    } catch {
      throw .seed(file: seed.name, .malformed(words: error.message))
    }
  }
}
