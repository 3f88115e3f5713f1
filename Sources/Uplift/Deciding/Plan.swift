/// What an upgrade with work to do leads through: the seed, the steps and the target, checked
/// against each other.
struct Plan {
  let target: Version
  let seed: DatabaseHeader?
  let catalog: Catalog

  /// `target` nil means the newest script, or the seed where that is newer.
  init(target: Version?, seed: DatabaseHeader?, catalog: Catalog) throws(UpgradeError) {
    let wanted = target ?? max(catalog.newest ?? .zero, seed?.version ?? .zero)
    self.target = wanted.written(like: catalog.newest ?? wanted)
    self.seed = seed?.written(like: self.target)
    self.catalog = catalog
    guard self.target > .zero || target != nil else {
      throw catalog.notShipped(.zero)
    }
  }

  /// The steps that lead from a version to the target.
  func steps(after version: Version) -> [Migration] {
    catalog.steps(after: version, through: target)
  }

  /// Checks that a new database, a copy of the seed or an empty one, can reach the target.
  func checkNew(usesSeed: Bool) throws(UpgradeError) {
    if let seed, usesSeed, seed.version > target {
      throw .seedNewer(seed: seed.version, target: target)
    }
    if !usesSeed { try checkGap(from: .zero) }
    try checkTarget()
  }

  /// Checks that the database is ours, and that the steps lead on from it.
  ///
  /// What lost its version has lost its application's mark too (`.dump` writes neither): two
  /// zeros are a version that is missing, rather than a stranger.
  func check(_ found: DatabaseState, path: String) throws(UpgradeError) {
    if let seed, !found.isNew, found.version == .zero, seed.version > .zero,
      [0, seed.applicationID].contains(found.applicationID)
    {
      throw .unversioned(path: path, seed: seed.version)
    }
    try checkOwner(of: found, path: path)
    try checkGap(from: found.version)
    try checkTarget()
  }

  /// Checks that no other application has put its mark on the database; an empty one need not
  /// have any.
  ///
  /// A seed without a mark asks for none, except of a database that it is copied into: the mark
  /// there would be gone.
  func checkOwner(
    of found: DatabaseState, path: String, willBeFilled: Bool = false
  ) throws(UpgradeError) {
    guard let seed, seed.applicationID != 0 || willBeFilled,
      found.applicationID != seed.applicationID, !found.isNew || found.applicationID != 0
    else { return }
    throw .foreign(path: path, applicationID: found.applicationID, expected: seed.applicationID)
  }

  private func checkGap(from version: Version) throws(UpgradeError) {
    guard let seed, version < seed.version, !catalog.contains(seed.version) else { return }
    throw .gap(database: version, seed: seed.version)
  }

  private func checkTarget() throws(UpgradeError) {
    guard target == .zero || target == seed?.version || catalog.contains(target) else {
      throw catalog.notShipped(target)
    }
  }
}

/// What an existing database says of itself.
struct DatabaseState: Hashable {
  let version: Version
  let applicationID: Int32
  let hasTables: Bool

  /// The same, with the version written as another is.
  func written(like version: Version) -> DatabaseState {
    DatabaseState(
      version: self.version.written(like: version), applicationID: applicationID,
      hasTables: hasTables)
  }

  /// Holds nothing: an empty file, or what SQLite makes of one.
  var isNew: Bool { !hasTables && version == .zero }
}
