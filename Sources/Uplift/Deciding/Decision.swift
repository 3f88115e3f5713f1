/// What an upgrade does, decided from the state of the database, the seed and the steps.
///
/// `Plan.decide` makes the decision, or throws the reason to refuse the upgrade. `Boot`, `Runner`
/// (under the write lock) and `Inspection` (for `status`) all ask it, so they cannot disagree.
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
  /// Every upgrade refuses a newer database here. This needs neither the seed nor the scripts,
  /// so a current database is accepted even if they are missing.
  func isReached(by version: Version) throws(UpgradeError) -> Bool {
    guard version <= self else {
      throw .newer(database: version.written(like: self), target: self)
    }
    return version == self
  }
}
