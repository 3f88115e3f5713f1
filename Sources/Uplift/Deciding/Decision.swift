/// What an upgrade does, decided from what was found and what ships.
///
/// `Plan.decide` makes the decision, and throws what stands against the upgrade instead. Boot, the
/// loop under the write lock and `status` all ask it, so that they cannot disagree.
enum Decision: Hashable {
  /// The database is at the target: there is nothing to do.
  case current
  /// There is no database: make one, a copy of the seed or an empty file.
  case make(Upgrade.Start)
  /// The database holds nothing: fill it with the content of the seed.
  case fill(Upgrade.Start)
  /// Run these steps, in this order. There is at least one.
  case run([Migration])
}

extension Version {
  /// Compares a database's version with this one, the target; a newer database is refused.
  ///
  /// It is the only comparison with the target. It needs nothing that ships: a current database is
  /// not stopped by a seed or by scripts that are not there.
  func isReached(by version: Version) throws(UpgradeError) -> Bool {
    guard version <= self else {
      throw .newer(database: version.written(like: self), target: self)
    }
    return version == self
  }
}
