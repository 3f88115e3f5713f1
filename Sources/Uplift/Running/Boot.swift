internal import UpliftSQLite
internal import UpliftSystem

/// One boot: looks at the database, decides what it needs, and does it.
///
/// For an absolute path and a database in rollback mode, Uplift itself makes one system call in a
/// boot with nothing to do: `lstat` on the database. It tells whether the file exists, is a link,
/// is large enough, or has a second name from a crash. The rest is what SQLite needs to read the
/// version: it looks for links in each part of the path, opens the file, reads the header, takes
/// the shared lock (three calls), looks for a journal and for a log, asks for the size, reads the
/// first page, unlocks and closes. The questions share one transaction, because SQLite would take
/// the lock and look for a journal again for each of them.
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

  /// Brings the database to the target.
  func run() throws(UpgradeError) -> Upgrade {
    try prepareFile()
    // Nil until this boot has made or filled the database.
    var start: Upgrade.Start?
    var found = try openAtFirst()
    if let upgrade = try currentWithoutPlan(found?.state) { return upgrade }
    let plan = try upgrader.plan(beside: file)
    while true {
      let state = found?.state.written(like: plan.target)
      switch try plan.decide(state, path: file.shown) {
      case .make(let begin):
        if try make(plan) { start = begin }
      case .fill(let begin):
        // The backup must have the database to itself.
        found = nil
        if try fill(plan) { start = begin }
      case .current:
        let version = state?.version ?? plan.target
        return Upgrade(start: start ?? .existing(version), end: plan.target, applied: [])
      case .run(let steps):
        guard let database = found.take() else { continue }
        return try run(steps, plan, on: database, start)
      }
      if let start { progress.report(start) }
      found = try OpenDatabase.open(file, nil, deadline: deadline)
    }
  }

  /// Settles what a crash may have left beside the database, before SQLite opens it.
  private func prepareFile() throws(UpgradeError) {
    guard let facts = file.factsAtFirst else { return }
    guard !RunningSteps.databases.contains(facts.identity) else { throw .path(file.shown, .nested) }
    // SQLite deletes a journal when it opens the empty file beside it.
    if facts.size == 0 { try settleJournals() }
    // A crash between `link` and `unlink` leaves the database a second name.
    if facts.links > 1 { Leftovers.discard(of: file) }
  }

  private func settleJournals() throws(UpgradeError) {
    let journals = StrayJournals(file: file)
    guard upgrader.options.orphanedJournals == .moveAside else { return try journals.refuse() }
    let directory = try DataDirectory.open(of: file)
    try journals.moveAside(in: directory, try directory.lock(file, deadline))
  }

  private func openAtFirst() throws(UpgradeError) -> OpenDatabase? {
    guard let facts = file.factsAtFirst else { return nil }
    return try OpenDatabase.open(file, facts, deadline: deadline)
  }

  /// Handles the most common boot: if the target is given and reached, no seed and no script is
  /// read.
  private func currentWithoutPlan(_ state: DatabaseState?) throws(UpgradeError) -> Upgrade? {
    guard let target = upgrader.target, let state, !state.isEmpty,
      try target.isReached(by: state.version)
    else { return nil }
    return Upgrade(start: .existing(target), end: target, applied: [])
  }

  /// Makes the database; false if another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Bool {
    // The scripts are checked before there is a database.
    try scripts.load(plan.steps(after: plan.startOfNew.version))
    let usesSeed = upgrader.options.ifMissing == .seed
    let copy = SeedCopy(
      file: file, seed: usesSeed ? upgrader.seed : nil, header: plan.seed,
      orphans: upgrader.options.orphanedJournals, deadline: deadline)
    return try copy.publish()
  }

  /// Fills a database that holds nothing; false if another process was faster.
  private func fill(_ plan: Plan) throws(UpgradeError) -> Bool {
    try scripts.load(plan.steps(after: plan.startOfNew.version))
    guard let seed = upgrader.seed, let header = plan.seed else { return false }
    return try SeedBackup(file: file, seed: seed, header: header, deadline: deadline).fill()
  }

  /// Runs the steps that lead on from the version of the open database.
  private func run(
    _ steps: [Migration], _ plan: Plan, on database: consuming OpenDatabase,
    _ start: Upgrade.Start?
  ) throws(UpgradeError) -> Upgrade {
    let version = database.state.version.written(like: plan.target)
    if start == nil {
      progress.report(.existing(version))
      Leftovers.discard(of: file)
    }
    // The scripts are checked first. To open the database for writing would touch the log of a
    // killed service.
    try scripts.load(steps)
    let writing = try database.forWriting()
    try sign(writing, with: plan.seed)
    let options = upgrader.options
    let transaction = try WriteTransaction(
      on: writing.takeConnection(), to: file, at: version, target: plan.target,
      doubleQuotedStrings: options.doubleQuotedStrings, deadline: deadline)
    var runner = Runner(
      steps, of: plan, options, file: file, scripts: scripts, deadline: deadline,
      progress: progress, transaction: transaction)
    try runner.run()
    return Upgrade(
      start: start ?? .existing(version), end: plan.target, applied: runner.done.map(\.step),
      skipped: runner.done.flatMap(\.skipped))
  }

  /// Gives an empty database the seed's `application_id`.
  ///
  /// Without it the next boot would refuse the database as another application's.
  private func sign(
    _ database: borrowing OpenDatabase, with seed: DatabaseHeader?
  ) throws(UpgradeError) {
    guard let seed, database.state.isEmpty, seed.applicationID != 0,
      database.state.applicationID == 0
    else { return }
    do {
      try database.connection.run("PRAGMA application_id = \(seed.applicationID)")
    } catch {
      throw UpgradeError(error, at: file.shown, reached: nil)
    }
  }
}
