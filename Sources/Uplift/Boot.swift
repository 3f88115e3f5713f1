internal import UpliftSQLite

/// One call of an upgrader: looks, decides, and has done what is to do.
struct Boot {
  private let upgrader: Upgrader
  private let place: DatabasePath
  private let watch: Watch
  private let progress: ProgressReport

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

  func run() throws(UpgradeError) -> Upgrade {
    var start: Upgrade.Start?
    if try place.facts() == nil { start = try make(try plan()) }
    let session = try Session.open(place, watch: watch)
    let found = session.standing

    // The commonest boot: with a target that is a constant, nothing else has been read.
    if let target = upgrader.target, found.version == target, start == nil {
      try removeSecondName()
      return Upgrade(start: .existing(target), end: target, applied: [])
    }
    let plan = try plan()
    if found.version == plan.target {
      try removeSecondName()
      return Upgrade(start: start ?? .existing(found.version), end: plan.target, applied: [])
    }
    guard found.version < plan.target else {
      throw .newer(database: found.version, target: plan.target)
    }
    try plan.check(found, path: place.shown)
    var runner = try Runner(
      upgrader, place: place, plan: plan, watch: watch, progress: progress,
      begunAt: found.version, connection: session.connection)
    try runner.load(after: found.version)
    let applied = try runner.run()
    return Upgrade(start: start ?? .existing(found.version), end: plan.target, applied: applied)
  }

  func status() throws(UpgradeError) -> Status {
    let plan = try plan()
    guard try place.facts() != nil else {
      try plan.checkSeeding()
      let version = usesSeed ? plan.seed?.version ?? .zero : .zero
      return Status(
        version: nil, target: plan.target, seed: plan.seed?.version,
        applied: plan.catalog.steps(after: .zero, through: version),
        pending: plan.steps(after: version))
    }
    let found = try Session.open(place, watch: watch).standing
    guard found.version <= plan.target else {
      throw .newer(database: found.version, target: plan.target)
    }
    if found.version != plan.target { try plan.check(found, path: place.shown) }
    return Status(
      version: found.version, target: plan.target, seed: plan.seed?.version,
      applied: plan.catalog.steps(after: .zero, through: found.version),
      pending: plan.steps(after: found.version))
  }

  private var usesSeed: Bool { upgrader.options.ifMissing == .seed }

  private func plan() throws(UpgradeError) -> Plan {
    try Plan(
      target: upgrader.target,
      seed: try Resources.header(of: upgrader.seed),
      catalog: try Resources.catalog(of: upgrader.migrations))
  }

  /// Makes the database where there is none; nil where another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Upgrade.Start? {
    guard upgrader.options.ifMissing != .fail else {
      throw .missing(.database, path: place.shown)
    }
    try plan.checkSeeding()
    let seed = usesSeed ? plan.seed : nil
    // A script that cannot be read is found before there is a database.
    for step in plan.steps(after: seed?.version ?? .zero) { _ = try Resources.script(step) }

    let seeding = Seeding(place: place, seed: usesSeed ? upgrader.seed : nil, watch: watch)
    guard try seeding.publish() else { return nil }
    progress.report(seed.map { .seeded($0.version) } ?? .created)
    return seed.map { .seeded($0.version) } ?? .created
  }

  /// A crash between `link` and `unlink` leaves the database a second name.
  private func removeSecondName() throws(UpgradeError) {
    guard try place.facts()?.links ?? 1 > 1 else { return }
    try Seeding(place: place, seed: nil, watch: watch).removeLeftover()
  }
}
