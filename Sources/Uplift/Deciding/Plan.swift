/// The target, the seed and the steps of an upgrade, checked against each other.
///
/// It does not use SQLite. Only `Catalog` looks at files: it lists the directories of scripts. It
/// also writes the error for a missing target.
struct Plan: Sendable {
  let target: Version
  let seed: DatabaseHeader?
  let catalog: Catalog
  private let ifMissing: Upgrader.IfMissing
  private let isSeedEmpty: Bool

  /// If `target` is nil, the target is the newest step, or the seed's version if that is higher.
  ///
  /// `seedName` is how errors name the seed. `isSeedEmpty` is true for a seed at version 0 without
  /// tables.
  init(
    target: Version?, seed: DatabaseHeader?, seedName: String?, isSeedEmpty: Bool,
    catalog: Catalog, ifMissing: Upgrader.IfMissing
  ) throws(UpgradeError) {
    let wanted = target ?? max(catalog.newest ?? .zero, seed?.version ?? .zero)
    self.target = wanted.written(like: catalog.newest ?? wanted)
    self.seed = seed?.written(like: self.target)
    self.catalog = catalog
    self.ifMissing = ifMissing
    self.isSeedEmpty = isSeedEmpty
    guard self.target > .zero || target != nil else {
      throw catalog.notShipped(.zero, seed: seedName)
    }
  }

  /// Decides what to do with a database; `found` is nil if there is none.
  ///
  /// `path` is how errors name the database.
  func decide(_ found: DatabaseState?, path: String) throws(UpgradeError) -> Decision {
    guard let found else {
      try checkNew(path: path)
      return .make(startOfNew)
    }
    if found.isEmpty {
      try checkOwner(of: found, path: path, isFilled: seedHoldsSomething)
      try checkNew(path: path)
      if seedHoldsSomething { return .fill(startOfNew) }
    }
    if try target.isReached(by: found.version) { return .current }
    try checkVersion(of: found, path: path)
    try checkOwner(of: found, path: path)
    try checkGap(from: found.version)
    try checkTarget()
    return .run(steps(after: found.version))
  }

  /// The steps that lead from a version to the target.
  func steps(after version: Version) -> [Migration] {
    catalog.steps(after: version, through: target)
  }

  /// Where the steps begin in a database that is made or filled.
  var startOfNew: Upgrade.Start { usedSeed.map { .seeded($0.version) } ?? .created }

  /// The seed, unless the options say that a new database begins empty.
  private var usedSeed: DatabaseHeader? { ifMissing == .seed ? seed : nil }

  /// False for an empty seed: a database that is filled with it is still empty.
  private var seedHoldsSomething: Bool { usedSeed != nil && !isSeedEmpty }
}

/// The reasons to refuse an upgrade.
extension Plan {
  /// Checks that a new database, a copy of the seed or an empty one, can reach the target.
  private func checkNew(path: String) throws(UpgradeError) {
    guard ifMissing != .fail else { throw .missing(.database, path: path) }
    if let seed = usedSeed, seed.version > target {
      throw .seedNewer(seed: seed.version, target: target)
    }
    if ifMissing != .seed { try checkGap(from: .zero) }
    try checkTarget()
  }

  /// Refuses a database that has lost its version.
  ///
  /// `.dump` and `.clone` lose the version and the `application_id`. A database whose
  /// `application_id` shows that it is another application's is left to `checkOwner`.
  private func checkVersion(of found: DatabaseState, path: String) throws(UpgradeError) {
    guard let seed, !found.isEmpty, found.version == .zero, seed.version > .zero,
      seed.applicationID == 0 || [0, seed.applicationID].contains(found.applicationID)
    else { return }
    throw .unversioned(path: path, seed: seed.version)
  }

  /// Refuses a database with another `application_id`, but accepts 0 in an empty database.
  ///
  /// If the seed's `application_id` is 0, none is demanded. The exception is a database that is
  /// filled, because its own `application_id` would be lost.
  func checkOwner(
    of found: DatabaseState, path: String, isFilled: Bool = false
  ) throws(UpgradeError) {
    guard let seed, seed.applicationID != 0 || isFilled,
      found.applicationID != seed.applicationID, !found.isEmpty || found.applicationID != 0
    else { return }
    throw .foreign(path: path, applicationID: found.applicationID, expected: seed.applicationID)
  }

  /// Refuses a database that has no version and belongs to another application.
  ///
  /// An `application_id` of 0 is accepted, because it was lost with the version.
  func checkOwner(ofUnversioned found: DatabaseState, path: String) throws(UpgradeError) {
    guard found.applicationID != 0 else { return }
    try checkOwner(of: found, path: path, isFilled: false)
  }

  /// Refuses a database that is older than the seed if the script that leads to the seed did not
  /// ship: later scripts may need the changes of the missing one.
  private func checkGap(from version: Version) throws(UpgradeError) {
    guard let seed, version < seed.version, !catalog.contains(seed.version) else { return }
    throw .gap(database: version, seed: seed.version)
  }

  /// Checks that the scripts lead to the target.
  func checkTarget() throws(UpgradeError) {
    guard target == .zero || target == seed?.version || catalog.contains(target) else {
      throw catalog.notShipped(target)
    }
  }
}

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

/// The facts about an existing database that decide what an upgrade does.
struct DatabaseState: Hashable {
  let version: Version
  let applicationID: Int32
  let hasTables: Bool

  /// True if the database holds nothing: an empty file, or one in which SQLite made no table yet.
  var isEmpty: Bool { !hasTables && version == .zero }

  /// An empty file.
  static let empty = DatabaseState(version: .zero, applicationID: 0, hasTables: false)

  /// The same state, with the version written as the scripts write theirs, plain or dotted.
  func written(like version: Version) -> DatabaseState {
    DatabaseState(
      version: self.version.written(like: version), applicationID: applicationID,
      hasTables: hasTables)
  }
}
