internal import UpliftSQLite
internal import UpliftSystem

/// One call of an upgrader: inspects the database, decides what it needs, and does it.
struct Boot {
  private let upgrader: Upgrader
  private let place: DatabasePath
  private let watch: Watch
  private let progress: ProgressReport
  private let scripts = Scripts()

  init(
    _ upgrader: Upgrader, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    let progress = ProgressReport(onEvent)
    self.progress = progress
    place = try DatabasePath(upgrader.database)
    watch = Watch(
      patience: upgrader.options.patience,
      isCancelled: isCancelled,
      onWait: { progress.waiting($0) },
      onPulse: { progress.pulse() }
    )
  }

  /// Does what is to do; most often that is nothing.
  ///
  /// A current database then costs one call of our own, an `lstat` of its name: is it there, is
  /// it a link, has it the size of a database, has a crash left it a second name? The rest is
  /// what SQLite cannot do without: it looks for links in each part of the path, opens the file
  /// and asks which it is, reads the header, takes the shared lock (three calls), looks for a
  /// journal and a log that would change what it reads, asks for the size, reads the first page,
  /// unlocks and closes. All it is asked is asked in one transaction: outside of one, each
  /// question would lock and look for a journal again.
  func run() throws(UpgradeError) -> Upgrade {
    if let facts = place.factsAtFirst, Nesting.files.contains(facts.identity) {
      throw .path(place.shown, .nested)
    }
    guard let facts = place.factsAtFirst else {
      let plan = try plan()
      return try upgrade(from: try make(plan), plan, nil)
    }
    // A crash between `link` and `unlink` leaves the database a second name.
    if facts.size == 0 { try settleJournals() }
    if facts.links > 1 { Leftovers.discard(of: place) }
    return try upgrade(from: nil, nil, facts)
  }

  /// Sees to journals beside an empty file, before SQLite opens it and deletes them.
  private func settleJournals() throws(UpgradeError) {
    let journals = StrayJournals(place: place)
    guard upgrader.options.orphanedJournals == .moveAside else { return try journals.refuse() }
    let directory = try DataDirectory.open(of: place)
    try journals.moveAside(in: directory, try directory.lock(place, watch))
  }

  /// Goes on with a database that is there now; `start` is known where this boot has made it.
  private func upgrade(
    from start: Upgrade.Start?, _ plan: Plan?, _ facts: FileFacts?
  ) throws(UpgradeError) -> Upgrade {
    let session = try Session.open(place, facts, watch: watch)
    let found = session.standing
    // The commonest boot: with a target that is a constant, nothing else has been read.
    if let target = upgrader.target, !found.isNew {
      if found.version == target {
        return Upgrade(start: start ?? .existing(target), end: target, applied: [])
      }
      guard found.version < target else {
        throw .newer(database: found.version, target: target)
      }
    }
    let plan = if let plan { plan } else { try self.plan() }
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
    try plan.check(found, path: place.shown)
    if facts != nil { Leftovers.discard(of: place) }
    let writing = try session.forWriting(place, watch: watch)
    try sign(writing, with: plan.seed)
    var runner = try Runner(
      upgrader, place: place, plan: plan, watch: watch, progress: progress,
      begunAt: found.version, scripts: scripts, connection: writing.connection)
    try runner.load(after: found.version)
    try runner.run()
    return Upgrade(
      start: start, end: plan.target, applied: runner.done.map(\.step),
      skipped: runner.done.flatMap(\.skipped))
  }

  func status() throws(UpgradeError) -> Status {
    let plan = try plan()
    if upgrader.options.orphanedJournals == .refuse {
      try StrayJournals(place: place).refuse()
    }
    let found =
      place.factsAtFirst == nil
      ? nil : try Session.open(place, place.factsAtFirst, watch: watch).standing
    if let found, !found.isNew {
      guard found.version <= plan.target else {
        throw .newer(database: found.version, target: plan.target)
      }
      if found.version != plan.target { try plan.check(found, path: place.shown) }
    } else {
      if let found {
        try plan.checkOwner(of: found, path: place.shown, willBeFilled: willFill(plan))
      }
      try plan.checkNew(usesSeed: usesSeed)
    }
    let isNew = found?.isNew ?? true
    let version = isNew && usesSeed ? plan.seed?.version ?? .zero : found?.version ?? .zero
    return Status(
      version: found?.version, target: plan.target, seed: plan.seed?.version,
      applied: plan.catalog.steps(after: .zero, through: version),
      pending: plan.steps(after: version))
  }

  private var usesSeed: Bool { upgrader.options.ifMissing == .seed }

  private func plan() throws(UpgradeError) -> Plan {
    try checkSeedIsNotDatabase()
    return try Plan(
      target: upgrader.target,
      seed: try Resources.header(of: upgrader.seed),
      catalog: try Resources.catalog(of: upgrader.migrations))
  }

  /// Before the seed is opened: to close it would drop SQLite's locks on the database.
  private func checkSeedIsNotDatabase() throws(UpgradeError) {
    guard let database = place.factsAtFirst, case .file(let seed)? = upgrader.seed?.source else {
      return
    }
    let facts = try UpgradeError.at(Path(seed)) { () throws(SystemError) in
      try System.facts(of: Path(seed), followingLinks: true)
    }
    if facts?.identity == database.identity { throw .path(place.shown, .isSeed) }
  }

  /// Makes the database if there is none; nil where another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Upgrade.Start? {
    let start = try startOfNew(plan)
    let seeding = Seeding(
      place: place, seed: usesSeed ? upgrader.seed : nil, header: plan.seed,
      orphans: upgrader.options.orphanedJournals, watch: watch)
    guard try seeding.publish() else { return nil }
    progress.report(start)
    return start
  }

  /// A database that was made empty bears the seed's mark all the same: it is not foreign.
  private func sign(
    _ session: borrowing Session, with seed: SeedHeader?
  ) throws(UpgradeError) {
    guard let seed, session.standing.isNew, seed.applicationID != 0,
      session.standing.applicationID == 0
    else { return }
    do {
      try session.connection.run("PRAGMA application_id = \(seed.applicationID)")
    } catch {
      throw UpgradeError(error, at: place.shown, reached: nil)
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
  private func fill(_ plan: Plan, _ found: Standing) throws(UpgradeError) -> Upgrade.Start? {
    try plan.checkOwner(of: found, path: place.shown, willBeFilled: willFill(plan))
    let start = try startOfNew(plan)
    guard willFill(plan), let seed = upgrader.seed, let header = plan.seed else {
      return .existing(found.version)
    }
    let filling = Filling(place: place, seed: seed, header: header, watch: watch)
    guard try filling.fill() else { return nil }
    progress.report(start)
    return start
  }

  /// Checks that a new database can be brought to the target, before there is one.
  private func startOfNew(_ plan: Plan) throws(UpgradeError) -> Upgrade.Start {
    guard upgrader.options.ifMissing != .fail else {
      throw .missing(.database, path: place.shown)
    }
    try plan.checkNew(usesSeed: usesSeed)
    let seed = usesSeed ? plan.seed : nil
    try scripts.load(plan.steps(after: seed?.version ?? .zero))
    return seed.map { .seeded($0.version) } ?? .created
  }
}
