internal import UpliftSQLite
internal import UpliftSystem

/// Reads the state of the database, and finds out whether an upgrade would be refused.
///
/// It checks the database, the seed and the numbers of the scripts. It neither reads the scripts'
/// text nor tests whether the file can be written. It changes nothing.
struct Inspection {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let deadline: Deadline

  init(
    _ upgrader: Upgrader, isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) {
    let patience = upgrader.options.patience
    try self.init(upgrader, Deadline(patience: patience, isCancelled: isCancelled))
  }

  /// An inspection that is a part of other work.
  init(_ upgrader: Upgrader, _ deadline: Deadline) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.deadline = deadline
  }

  /// Throws if the database, the scripts or the seed cannot be read.
  func status() throws(UpgradeError) -> Status {
    let plan = try upgrader.plan(beside: file)
    var found: DatabaseState?
    var refusal: UpgradeError?
    do {
      found = try state()?.written(like: plan.target)
      try refuse(found, plan)
    } catch {
      guard error.isRefusal else { throw error }
      refusal = error
    }
    // A new database begins at the seed's version.
    var reached = plan.startOfNew.version
    if let found, !found.isEmpty { reached = found.version }
    return Status(
      version: found?.version, target: plan.target, seed: plan.seed?.version,
      applied: plan.catalog.steps(after: .zero, through: reached),
      pending: plan.steps(after: reached), refusal: refusal)
  }

  /// The state of the database; nil if there is none.
  func state() throws(UpgradeError) -> DatabaseState? {
    guard let facts = file.factsAtFirst else { return nil }
    // SQLite would delete a journal when it opens the empty file beside it.
    if facts.size == 0 { return .empty }
    return try OpenDatabase.open(file, facts, deadline: deadline).state
  }

  /// Throws if an upgrade would refuse the database, the seed or the numbers of the scripts.
  private func refuse(_ found: DatabaseState?, _ plan: Plan) throws(UpgradeError) {
    // A boot looks for journals before it opens an empty file, and before it makes a database.
    if found == nil { _ = try plan.decide(found, path: file.shown) }
    try file.refuseOrphans()
    if found != nil { _ = try plan.decide(found, path: file.shown) }
  }
}

extension UpgradeError {
  /// True for an error that prevents an upgrade, but not `status`.
  fileprivate var isRefusal: Bool {
    switch self {
    case .newer, .unversioned, .foreign, .orphaned, .gap, .targetNotShipped, .seedNewer: true
    case .missing(let missing): missing.resource == .database
    default: false
    }
  }
}
