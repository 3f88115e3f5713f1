/// The target, the seed and the steps of an upgrade, checked against each other.
struct Plan: Sendable {
  let target: Version
  let seed: DatabaseHeader?
  let catalog: Catalog
  private let ifMissing: Upgrader.IfMissing
  private let isSeedEmpty: Bool
  /// The name of a seed at version 0: somebody may have forgotten to set its version.
  private let unnumberedSeed: String?

  /// If `target` is nil, the target is the newest step, or the seed's version if that is higher.
  ///
  /// `isSeedEmpty` is true for a seed at version 0 without tables.
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
    unnumberedSeed = seed?.version == .zero ? seedName : nil
    guard self.target > .zero || target != nil else {
      throw catalog.notShipped(.zero, seed: unnumberedSeed)
    }
  }

  /// Decides what to do with a database, if there is one.
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
    guard ifMissing != .fail else { throw .missingDatabase(path) }
    if let seed = usedSeed, seed.version > target {
      throw UpgradeError(
        .seed, "the seed is at \(seed.version), the target is \(target)",
        fix: "raise the target, or ship a seed that is not above it")
    }
    if ifMissing != .seed { try checkGap(from: .zero) }
    try checkTarget()
  }

  /// Refuses a database that has lost its version: `.dump` and `.clone` do not copy it, nor the
  /// `application_id`.
  private func checkVersion(of found: DatabaseState, path: String) throws(UpgradeError) {
    guard let seed, !found.isEmpty, found.version == .zero, seed.version > .zero,
      seed.applicationID == 0 || [0, seed.applicationID].contains(found.applicationID)
    else { return }
    throw UpgradeError(
      .unversioned, "\(path.quoted) has tables but no version, the seed is at \(seed.version)",
      fix: "uplift adopt finds out the version, which .dump and .clone do not copy")
  }

  /// Refuses a database with another `application_id`, but accepts 0 in an empty database.
  ///
  /// A seed with 0 demands none, unless the database is filled: its own would be lost.
  private func checkOwner(
    of found: DatabaseState, path: String, isFilled: Bool = false
  ) throws(UpgradeError) {
    guard let seed, seed.applicationID != 0 || isFilled,
      found.applicationID != seed.applicationID, !found.isEmpty || found.applicationID != 0
    else { return }
    throw .foreign(path, found.applicationID, expected: seed.applicationID)
  }

  /// The same for a database without a version: an `application_id` of 0 was lost with it.
  func checkOwner(ofUnversioned found: DatabaseState, path: String) throws(UpgradeError) {
    if found.applicationID != 0 { try checkOwner(of: found, path: path) }
  }

  /// Refuses a database that is older than the seed if the script that leads to the seed, whose
  /// changes later scripts may need, did not ship.
  private func checkGap(from version: Version) throws(UpgradeError) {
    guard let seed, version < seed.version, !catalog.contains(seed.version) else { return }
    let words = "and no script leads to \(seed.version), the version of the seed"
    throw UpgradeError(
      .scripts, "the database is at \(version), \(words)",
      fix: "ship the scripts that lead to the seed's version", reached: version)
  }

  /// Refuses a database, or a seed, that is below the lowest version from which scripts ship.
  func check(_ floor: Version, from version: Version) throws(UpgradeError) {
    if let seed, seed.version < floor {
      throw UpgradeError(
        .seed, "the seed is at \(seed.version), and the scripts begin after \(floor)",
        fix: "ship a seed at \(floor) or above")
    }
    guard version < floor else { return }
    throw UpgradeError(
      .tooOld, "the database is at \(version), and the scripts begin after \(floor)",
      fix: version == .zero && seed == nil
        ? "ship a seed at \(floor) or above: a new database cannot begin empty"
        : "start a release that has the scripts up to \(floor) first, then this one",
      reached: version)
  }

  func checkTarget() throws(UpgradeError) {
    guard target == .zero || target == seed?.version || catalog.contains(target) else {
      throw catalog.notShipped(target, seed: unnumberedSeed)
    }
  }
}

/// What an upgrade does; `Boot`, `Runner` and `status` all ask `Plan`, so they cannot disagree.
enum Decision: Hashable {
  case current
  /// There is no database: make one, a copy of the seed or an empty file.
  case make(Upgrade.Start)
  /// The database holds nothing: fill it with the content of the seed.
  case fill(Upgrade.Start)
  /// Run these steps, at least one, in this order.
  case run([Migration])
}

extension Version {
  /// True if a database at this version is at the target, which this is; a newer one is refused, and
  /// a number that is no version.
  func isReached(by version: Version) throws(UpgradeError) -> Bool {
    guard version >= .zero else { throw .invalidVersion(version) }
    guard version <= self else { throw .newer(version.written(like: self), than: self) }
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

  /// The same state, with its version in the form of another one.
  func written(like version: Version) -> DatabaseState {
    let own = self.version.written(like: version)
    return DatabaseState(version: own, applicationID: applicationID, hasTables: hasTables)
  }
}
