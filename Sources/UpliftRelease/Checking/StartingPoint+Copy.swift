internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The database with which a check of a starting point begins.
extension StartingPoint {
  /// The finding for a fixture that cannot be copied.
  ///
  /// For example, it is no database, has a log beside it, or has a name that is not UTF-8.
  var fixtureFault: PlacedFact? {
    guard case .fixture(let fixture) = self else { return nil }
    let words: String
    do {
      if String(validating: fixture.bytes, as: UTF8.self) != nil {
        _ = try SeedFile.header(of: .file(fixture))
        return nil
      }
      words = "the name is not UTF-8"
    } catch {
      guard error.kind == .seed else {
        return PlacedFact(
          .stopped(words: error.description, remedy: error.remedy, isRefusal: true), place)
      }
      words = error.message.replacing("the seed \(fixture.shown.quoted)", with: "the file")
    }
    return PlacedFact(
      .stopped(
        words: words, remedy: "put a whole database there, or move the file away", isRefusal: true),
      place)
  }

  /// Copies the fixture from which the upgrade starts.
  ///
  /// Otherwise the upgrade itself makes the database, unless the observers could not follow the
  /// tables of the seed, or an empty one must have another text encoding than usual.
  func copy(
    to path: Path, _ upgrader: Upgrader, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let original: Seed
    switch self {
    case .fixture(let fixture): original = .file(fixture)
    case .seed:
      guard let seed = upgrader.seed else { return }
      original = seed
    case .empty:
      // Databases that began with the scripts have the encoding of the seed, or no script could
      // read it.
      let header = try upgrader.seed.map { seed throws(UpgradeError) in
        try SeedFile.header(of: seed)
      }
      return try SeedConnection.makeEmpty(path, in: header?.encoding, isCancelled: isCancelled)
    }
    let movesRootPages = try SeedFile.header(of: original).movesRootPages
    if case .seed = self, !movesRootPages { return }
    try NewFile.copy(original, to: path, isCancelled: isCancelled)
    if movesRootPages { try keepRootPages(path, upgrader.prepare, isCancelled) }
  }

  /// Switches `auto_vacuum` off in a copy of a database.
  ///
  /// With it, SQLite moves a table to another page when one is dropped, and the observers know a
  /// table by its page.
  private func keepRootPages(
    _ copy: Path, _ prepare: Upgrader.Prepare?, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let connection = try SeedConnection.openCopy(copy, prepare: prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA auto_vacuum = 0")
      try connection.run("VACUUM")
    } catch {
      // A collation of the service is missing, for example. The upgrade may not need it.
      guard error.code.primary == .error else { throw UpgradeError(error, at: name) }
    }
  }
}
