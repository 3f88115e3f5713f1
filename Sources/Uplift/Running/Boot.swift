internal import UpliftSQLite
internal import UpliftSystem

/// One call of an upgrader: inspects the database, decides what it needs, and does it.
struct Boot {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let deadline: Deadline
  private let progress: ProgressReport
  private let scripts = LoadedScripts()

  init(
    _ upgrader: Upgrader, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    let progress = ProgressReport(onEvent)
    self.progress = progress
    file = try DatabaseFile(upgrader.database)
    deadline = Deadline(
      patience: upgrader.options.patience,
      isCancelled: isCancelled,
      onWait: { progress.waiting($0) },
      onPulse: { progress.pulse() }
    )
  }

  /// Brings the database up; most often there is nothing to do.
  ///
  /// A current database then costs one call of our own, an `lstat` of its name: is it there, is
  /// it a link, has it the size of a database, has a crash left it a second name? The rest is
  /// what SQLite cannot do without: it looks for links in each part of the path, opens the file
  /// and asks which it is, reads the header, takes the shared lock (three calls), looks for a
  /// journal and a log that would change what it reads, asks for the size, reads the first page,
  /// unlocks and closes. The questions share one transaction, because outside of one SQLite would
  /// take the lock and look for a journal again for each of them.
  func run() throws(UpgradeError) -> Upgrade {
    if let facts = file.factsAtFirst, Nesting.files.contains(facts.identity) {
      throw .path(file.shown, .nested)
    }
    guard let facts = file.factsAtFirst else {
      let plan = try plan()
      return try upgrade(from: try make(plan), plan, nil)
    }
    // A crash between `link` and `unlink` leaves the database a second name.
    if facts.size == 0 { try settleJournals() }
    if facts.links > 1 { Leftovers.discard(of: file) }
    return try upgrade(from: nil, nil, facts)
  }

  /// Sees to journals beside an empty file, before SQLite opens it and deletes them.
  private func settleJournals() throws(UpgradeError) {
    let journals = StrayJournals(file: file)
    guard upgrader.options.orphanedJournals == .moveAside else { return try journals.refuse() }
    let directory = try DataDirectory.open(of: file)
    try journals.moveAside(in: directory, try directory.lock(file, deadline))
  }

  /// Goes on with a database that is there now; `start` is known where this boot has made it.
  private func upgrade(
    from start: Upgrade.Start?, _ plan: Plan?, _ facts: FileFacts?
  ) throws(UpgradeError) -> Upgrade {
    let session = try OpenDatabase.open(file, facts, deadline: deadline)
    let standing = session.standing
    // The commonest boot: with a target that is a constant, nothing else has been read.
    if let target = upgrader.target, !standing.isNew {
      if standing.version == target {
        return Upgrade(start: start ?? .existing(target), end: target, applied: [])
      }
      guard standing.version < target else {
        throw .newer(database: standing.version.written(like: target), target: target)
      }
    }
    let plan = if let plan { plan } else { try self.plan() }
    let found = standing.written(like: plan.target)
    if found.isNew, start == nil {
      session.close()
      return try upgrade(from: try fill(plan, found), plan, nil)
    }
    guard found.version <= plan.target else {
      throw .newer(database: found.version, target: plan.target)
    }
    let start = start ?? .existing(found.version)
    if found.version == plan.target {
      return Upgrade(start: start, end: plan.target, applied: [])
    }
    try plan.check(found, path: file.shown)
    if case .existing = start { progress.report(start) }
    if facts != nil { Leftovers.discard(of: file) }
    // Before the log of a killed service is touched: a text may be refused.
    try scripts.load(plan.steps(after: found.version))
    let writing = try session.forWriting(file, deadline: deadline)
    try sign(writing, with: plan.seed)
    var runner = try Runner(
      upgrader, file: file, plan: plan, deadline: deadline, progress: progress,
      begunAt: found.version, scripts: scripts, connection: writing.connection)
    try runner.run()
    return Upgrade(
      start: start, end: plan.target, applied: runner.done.map(\.step),
      skipped: runner.done.flatMap(\.skipped))
  }

  /// Looks at the database, and at what stands against its upgrade; changes nothing.
  ///
  /// It throws if it cannot look, or if the scripts or the seed cannot be read.
  func status() throws(UpgradeError) -> Status {
    let plan = try plan()
    var found: DatabaseState?
    var refusal: UpgradeError?
    do {
      found = try look()?.written(like: plan.target)
      try check(found, plan)
    } catch {
      guard error.isRefusal else { throw error }
      refusal = error
    }
    let isNew = found?.isNew ?? true
    let version = isNew && usesSeed ? plan.seed?.version ?? .zero : found?.version ?? .zero
    return Status(
      version: found?.version, target: plan.target, seed: plan.seed?.version,
      applied: plan.catalog.steps(after: .zero, through: version),
      pending: plan.steps(after: version), refusal: refusal)
  }

  /// What the database says of itself; nil if there is none.
  ///
  /// An empty file beside the journal of a larger one is not opened: SQLite would delete the journal.
  fileprivate func look() throws(UpgradeError) -> DatabaseState? {
    guard let facts = file.factsAtFirst else { return nil }
    if facts.size == 0, try strayJournal() != nil { return .empty }
    return try OpenDatabase.open(file, facts, deadline: deadline).standing
  }

  /// Throws what an upgrade would throw before it changes anything.
  private func check(_ found: DatabaseState?, _ plan: Plan) throws(UpgradeError) {
    if upgrader.options.orphanedJournals == .refuse, let stray = try strayJournal() { throw stray }
    if let found, !found.isNew {
      guard found.version <= plan.target else {
        throw .newer(database: found.version, target: plan.target)
      }
      if found.version != plan.target { try plan.check(found, path: file.shown) }
    } else {
      if let found {
        try plan.checkOwner(of: found, path: file.shown, willBeFilled: willFill(plan))
      }
      try checkNew(plan)
    }
  }

  /// The refusal of a journal that has lost its database; nil if there is none.
  private func strayJournal() throws(UpgradeError) -> UpgradeError? {
    do {
      try StrayJournals(file: file).refuse()
      return nil
    } catch {
      guard case .orphaned = error else { throw error }
      return error
    }
  }

  private var usesSeed: Bool { upgrader.options.ifMissing == .seed }

  private func plan() throws(UpgradeError) -> Plan {
    try checkSeedIsNotDatabase()
    return try upgrader.plan()
  }

  /// Before the seed is opened: to close it would drop SQLite's locks on the database.
  private func checkSeedIsNotDatabase() throws(UpgradeError) {
    guard let database = file.factsAtFirst, case .file(let seed)? = upgrader.seed?.source else {
      return
    }
    let facts = try UpgradeError.at(Path(seed)) { () throws(SystemError) in
      try System.facts(of: Path(seed), followingLinks: true)
    }
    if facts?.identity == database.identity { throw .path(file.shown, .isSeed) }
  }

  /// Makes the database if there is none; nil where another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Upgrade.Start? {
    let start = try startOfNew(plan)
    let seeding = SeedCopy(
      file: file, seed: usesSeed ? upgrader.seed : nil, header: plan.seed,
      orphans: upgrader.options.orphanedJournals, deadline: deadline)
    guard try seeding.publish() else { return nil }
    progress.report(start)
    return start
  }

  /// A database that was made empty bears the seed's mark all the same: it is not foreign.
  private func sign(
    _ session: borrowing OpenDatabase, with seed: DatabaseHeader?
  ) throws(UpgradeError) {
    guard let seed, session.standing.isNew, seed.applicationID != 0,
      session.standing.applicationID == 0
    else { return }
    do {
      try session.connection.run("PRAGMA application_id = \(seed.applicationID)")
    } catch {
      throw UpgradeError(error, at: file.shown, reached: nil)
    }
  }

  /// True if a database that holds nothing gets what is in the seed: a seed at version 0 without
  /// tables holds nothing either.
  private func willFill(_ plan: Plan) -> Bool {
    guard usesSeed, let seed = plan.seed else { return false }
    return seed.hasTables || seed.version > .zero
  }

  /// A database that holds nothing is filled with the seed, if there is one; nil if another
  /// process was faster.
  private func fill(_ plan: Plan, _ found: DatabaseState) throws(UpgradeError) -> Upgrade.Start? {
    try plan.checkOwner(of: found, path: file.shown, willBeFilled: willFill(plan))
    let start = try startOfNew(plan)
    guard willFill(plan), let seed = upgrader.seed, let header = plan.seed else {
      return .existing(found.version)
    }
    let filling = SeedBackup(file: file, seed: seed, header: header, deadline: deadline)
    guard try filling.fill() else { return nil }
    progress.report(start)
    return start
  }

  /// Checks that a new database can be brought to the target, before there is one.
  private func startOfNew(_ plan: Plan) throws(UpgradeError) -> Upgrade.Start {
    try checkNew(plan)
    let seed = usesSeed ? plan.seed : nil
    try scripts.load(plan.steps(after: seed?.version ?? .zero))
    return seed.map { .seeded($0.version) } ?? .created
  }

  private func checkNew(_ plan: Plan) throws(UpgradeError) {
    guard upgrader.options.ifMissing != .fail else {
      throw .missing(.database, path: file.shown)
    }
    try plan.checkNew(usesSeed: usesSeed)
  }
}

extension DatabaseState {
  fileprivate static let empty = DatabaseState(version: .zero, applicationID: 0, hasTables: false)
}

extension UpgradeError {
  /// True if it stands against an upgrade, but not against looking at what is there.
  fileprivate var isRefusal: Bool {
    switch self {
    case .newer, .unversioned, .foreign, .orphaned, .gap, .targetNotShipped, .seedNewer,
      .missing(.database, _):
      true
    default: false
    }
  }
}

extension Upgrader {
  /// The version that an upgrade leads to; nil if the scripts or the seed do not say it.
  package func knownTarget() -> Version? {
    do {
      return try target ?? plan().target
    } catch {
      return nil
    }
  }

  /// What can be seen of the database alone, if the scripts or the seed cannot be read; nil for
  /// what nobody knows.
  package func glance() -> (exists: Bool?, version: Version?) {
    do {
      let boot = try Boot(self, isCancelled: { Task.isCancelled }, onEvent: { _ in })
      let found = try boot.look()
      return (found != nil, found?.version)
    } catch {
      return (nil, nil)
    }
  }

  fileprivate func plan() throws(UpgradeError) -> Plan {
    try Plan(
      target: target,
      seed: try Resources.header(of: seed),
      catalog: try Resources.catalog(of: migrations))
  }
}
