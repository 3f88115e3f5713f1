internal import UpliftSQLite
internal import UpliftSystem

/// One boot: looks at the database, decides what it needs, does it, and looks again.
///
/// In a boot with nothing to do, for an absolute path and a database in rollback mode, Uplift makes
/// one system call: `lstat` on the database. It tells whether the file exists, is a link, is large
/// enough, or has a second name from a crash. SQLite makes the other calls. All reads share one
/// transaction, so that SQLite takes the lock and looks for a journal only once.
struct Boot {
  let upgrader: Upgrader
  let file: DatabaseFile
  let deadline: Deadline
  let progress: ProgressReport
  let scripts = LoadedScripts()
  let observer: (any StepObserver)?

  init(
    _ upgrader: Upgrader, observer: (any StepObserver)? = nil,
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.observer = observer
    progress = ProgressReport(onEvent)
    deadline = Deadline(
      patience: upgrader.options.patience, isCancelled: isCancelled, onWait: progress.waiting,
      onPulse: progress.pulse)
  }

  var options: Upgrader.Options { upgrader.options }

  /// Brings the database to the target.
  func run() throws(UpgradeError) -> Upgrade {
    // Nil until this upgrade has made or filled the database, or has begun to upgrade it.
    var start: Upgrade.Start?
    var done: [AppliedStep] = []
    var waits = 0
    // Each boot checks the directory, so that a mistake shows before the release that needs it.
    let backup = try newBackup()
    var found = try open(file.factsAtFirst)
    // The most common boot reads no seed and no script.
    if let target = upgrader.target, let state = found?.state, !state.isEmpty,
      try target.isReached(by: state.version)
    {
      return Upgrade(start: .existing(target), end: target, applied: [], skipped: [], backup: nil)
    }
    let plan = try upgrader.plan(beside: file)

    func begin(_ new: Upgrade.Start) {
      start = new
      progress.report(new)
    }

    looking: while true {
      let state = found?.state.written(like: plan.target)
      var isInUse = false
      switch try plan.decide(state, path: file.shown) {
      case .current: break looking
      case .make(let new):
        if try make(plan) { begin(new) }
      case .fill(let new):
        // SQLite's backup interface must have the database to itself.
        found = nil
        let end = try fill(plan)
        if end == .done { begin(new) }
        isInUse = end == .inUse
      case .run(let steps):
        guard let state, let database = found.take() else { continue }
        if start == nil {
          begin(.existing(state.version))
          Leftovers.discard(of: file)
        }
        // A database that this upgrade has made needs no backup.
        let isOld = if case .existing = start { true } else { false }
        isInUse = try !run(
          steps, plan, on: database, isOld ? backup : nil, from: start?.version, &done)
        if done.last?.step.version == plan.target { break looking }
      }
      if isInUse {
        // Two boots that each keep the database open and need it to themselves would wait for each
        // other, so it is closed now.
        guard deadline.pause(attempt: waits) else {
          let reached = done.last?.step.version ?? state?.version
          throw deadline.mustStopNow
            ? .cancelled(reached: reached) : .busy(file.shown, reached: reached)
        }
        waits += 1
      }
      found = try Look(file: file, deadline: deadline).open()
    }
    backup?.prune()
    return Upgrade(
      start: start ?? .existing(plan.target), end: plan.target, applied: done.map(\.step),
      skipped: done.flatMap(\.skipped), backup: backup?.path)
  }

  /// The backup of this upgrade, which is not made yet; nil if the options want none.
  private func newBackup() throws(UpgradeError) -> UpgradeBackup? {
    guard let wanted = options.backup else { return nil }
    let directory = try BackupDirectory(wanted.directory, of: file.path, upgrader, forWriting: true)
    return UpgradeBackup(
      directory, keep: wanted.keep, of: file, deadline: deadline, onBackup: progress.backedUp)
  }

  /// Opens the database after it has dealt with what a crash may have left; nil if there is none.
  private func open(_ facts: FileFacts?) throws(UpgradeError) -> OpenDatabase? {
    guard let facts else { return nil }
    // SQLite deletes a journal when it opens the empty file beside it.
    if facts.size == 0 { try file.refuseOrphans() }
    // After a crash between `link` and `unlink`, the database has a second name.
    if facts.links > 1 { Leftovers.discard(of: file) }
    return try Look(file: file, facts: facts, deadline: deadline).open()
  }

  /// Reads and checks the texts of the steps after a version.
  func load(after version: Version, _ plan: Plan) throws(UpgradeError) {
    try scripts.load(after: version, plan, upgrader.migrations)
  }

  /// Makes the database; false if another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Bool {
    // The scripts are checked before there is a database.
    try load(after: plan.startOfNew.version, plan)
    let seed = options.ifMissing == .seed ? upgrader.seed : nil
    _ = try seed?.openReadable(deadline: deadline)
    return try SeedCopy(file: file, seed: seed, header: plan.seed, deadline: deadline).publish()
  }

  /// Fills a database that holds nothing.
  private func fill(_ plan: Plan) throws(UpgradeError) -> Replacement.End {
    try load(after: plan.startOfNew.version, plan)
    guard let seed = upgrader.seed, let header = plan.seed else { return .notWanted }
    let directory = try DataDirectory.open(of: file)
    try directory.syncParents()
    try directory.giveToOwner(file)
    let unchanged = try UnchangedSeed(seed, header: header)
    return try Replacement(database: file, deadline: deadline)
      .run(by: seed.openReadable(deadline: deadline), unchanged, header) {
        _, state throws(UpgradeError) in
        let state = state.written(like: plan.target)
        return try plan.decide(state, path: file.shown) == .fill(plan.startOfNew)
      }
  }

  /// Runs steps; false if one of them needs the database to itself, and others have it open.
  private func run(
    _ steps: [Migration], _ plan: Plan, on database: consuming OpenDatabase,
    _ backup: UpgradeBackup?, from start: Version?, _ done: inout [AppliedStep]
  ) throws(UpgradeError) -> Bool {
    let version = database.state.version.written(like: plan.target)
    // Before the database is opened for writing, which touches the log of a killed service.
    try load(after: version, plan)
    try checkEncoding(of: database.connection, steps, plan)
    let writing = try database.forWriting()
    let transaction = try Transaction(
      upgrader, file, on: writing.connection, at: version, syncs: observer == nil)
    var runner = Runner(
      self, plan, transaction, backup, from: start ?? version, after: done)
    let isComplete = try runner.run()
    done = runner.done
    return isComplete
  }

  /// Refuses a script that reads a seed of another text encoding: SQLite could not attach it.
  private func checkEncoding(
    of connection: borrowing Connection, _ steps: [Migration], _ plan: Plan
  ) throws(UpgradeError) {
    guard steps.contains(where: { scripts[$0.version]?.readsSeed == true }),
      let seed = upgrader.seed, let encoding = plan.seed?.encoding
    else { return }
    let own = try deadline.at(file.shown) { () throws(SQLiteError) in
      try connection.text("PRAGMA encoding")
    }
    guard own == encoding else {
      throw .seed(
        seed.name,
        "is in \(encoding) and the database in \(own ?? ""): a script cannot read both",
        fix: "make the seed again in the encoding of the databases in use")
    }
  }
}

extension LoadedScripts {
  /// Reads and checks the steps above a version, and compares them with the lock files.
  func load(
    after version: Version, _ plan: Plan, _ migrations: Migrations
  ) throws(UpgradeError) {
    let steps = plan.steps(after: version)
    try load(steps, seed: plan.seed?.version)
    for step in steps {
      let lowest = plan.catalog.all.first
      if let floor = try self[step.version]?.floor(lowest: lowest) {
        try plan.check(floor, from: version)
      }
    }
    for directory in try migrations.lockedDirectories() {
      try LockFile(in: directory).check(self, after: version, through: plan.target)
    }
  }
}
