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
      guard case .seed(let seed) = error else {
        return PlacedFact(
          .stopped(words: error.description, remedy: error.remedy, isRefusal: true), place)
      }
      words = "the file \(seed.problem.words)"
    }
    return PlacedFact(
      .stopped(
        words: words, remedy: "put a whole database there, or move the file away", isRefusal: true),
      place)
  }

  /// Copies the fixture from which the upgrade starts; without a fixture, the upgrade itself makes
  /// the database.
  func copy(
    to path: Path, _ upgrader: Upgrader, isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) {
    switch self {
    case .fixture(let fixture):
      try NewFile.copy(fixture, to: path, isSynced: false, isCancelled: isCancelled)
      try keepRootPages(.file(fixture), path, upgrader, isCancelled)
    case .seed:
      guard let seed = upgrader.seed, try movesRootPages(seed) else { return }
      try NewFile.copy(seed, to: path, isCancelled: isCancelled)
      try keepRootPages(seed, path, upgrader, isCancelled)
    case .empty: return
    }
  }

  /// Switches `auto_vacuum` off in a copy of a database.
  ///
  /// With it, SQLite moves a table to another page when one is dropped, and the observers know a
  /// table by its page.
  private func keepRootPages(
    _ original: Seed, _ copy: Path, _ upgrader: Upgrader, _ isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) {
    guard try movesRootPages(original) else { return }
    let connection = try SeedConnection.openCopy(
      copy, prepare: upgrader.prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA auto_vacuum = 0")
      try connection.run("VACUUM")
    } catch {
      // A collation of the service is missing, for example. The upgrade may not need it.
      guard error.code.primary == .error else { throw ReleaseError(error, at: name) }
    }
  }

  private func movesRootPages(_ database: Seed) throws(ReleaseError) -> Bool {
    try translatingUpgradeError { () throws(UpgradeError) in
      try SeedFile.header(of: database).movesRootPages
    }
  }
}
