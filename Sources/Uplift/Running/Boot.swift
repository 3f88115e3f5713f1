internal import UpliftSQLite
internal import UpliftSystem

/// One boot: looks at the database, decides what it needs, does it, and looks again.
///
/// For an absolute path and a database in rollback mode, Uplift itself makes one system call in a
/// boot with nothing to do: `lstat` on the database. It tells whether the file exists, is a link,
/// is large enough, or has a second name from a crash. SQLite makes the other calls, to read the
/// journal mode and the version. All reads share one transaction. Otherwise SQLite would take the
/// lock and look for a journal again for each of them.
struct Boot {
  let upgrader: Upgrader
  let file: DatabaseFile
  let deadline: Deadline
  let progress: ProgressReport
  let scripts: LoadedScripts
  let observer: (any StepObserver)?

  init(
    _ upgrader: Upgrader, observer: (any StepObserver)? = nil,
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.observer = observer
    scripts = LoadedScripts()
    let progress = ProgressReport(onEvent)
    self.progress = progress
    deadline = Deadline(
      patience: upgrader.options.patience,
      isCancelled: isCancelled,
      onWait: { progress.waiting($0) },
      onPulse: { progress.pulse() }
    )
  }

  var options: Upgrader.Options { upgrader.options }

  /// Brings the database to the target.
  func run() throws(UpgradeError) -> Upgrade {
    // Nil until this upgrade has made or filled the database, or has begun to upgrade it.
    var start: Upgrade.Start?
    var done: [AppliedStep] = []
    var waits = 0
    var backup: UpgradeBackup?
    // Each boot checks this directory, so that a mistake shows before the release that needs it.
    let backups = try options.backup.map { options throws(UpgradeError) in
      try BackupDirectory(options.directory, of: file.path, upgrader, forWriting: true)
    }
    var found = try open(file.factsAtFirst)
    if let upgrade = try currentWithoutPlan(found?.state) { return upgrade }
    let plan = try upgrader.plan(beside: file)
    while true {
      let state = found?.state.written(like: plan.target)
      var isInUse = false
      switch try plan.decide(state, path: file.shown) {
      case .current: return finish(from: start, plan, done, backup)
      case .make(let begin):
        if try make(plan) {
          start = begin
          progress.report(begin)
        }
      case .fill(let begin):
        // SQLite's backup interface must have the database to itself.
        found = nil
        let end = try fill(plan)
        if end == .filled {
          start = begin
          progress.report(begin)
        }
        isInUse = end == .inUse
      case .run(let steps):
        guard let state, let database = found.take() else { continue }
        if start == nil {
          start = .existing(state.version)
          progress.report(.existing(state.version))
          // A database that this upgrade has made needs no backup.
          backup = newBackup(in: backups)
          Leftovers.discard(of: file)
        }
        let end = try run(steps, plan, on: database, backup, &done)
        if end == .atTarget { return finish(from: start, plan, done, backup) }
        isInUse = end == .inUse
      }
      if isInUse {
        // Two boots that each keep the database open and need it to themselves would wait for each
        // other, so it is closed now.
        guard deadline.pause(attempt: waits) else {
          throw deadline.mustStopNow
            ? .cancelled(reached: state?.version) : .busy(path: file.shown, reached: state?.version)
        }
        waits += 1
      }
      found = try OpenDatabase.open(file, nil, deadline: deadline)
    }
  }

  private func finish(
    from start: Upgrade.Start?, _ plan: Plan, _ done: [AppliedStep], _ backup: UpgradeBackup?
  ) -> Upgrade {
    backup?.prune()
    return Upgrade(
      start: start ?? .existing(plan.target), end: plan.target, applied: done.map(\.step),
      skipped: done.flatMap(\.skipped), backup: backup?.path)
  }

  /// The backup of this upgrade; nil if the options want none.
  private func newBackup(in directory: BackupDirectory?) -> UpgradeBackup? {
    guard let keep = options.backup?.keep, let directory else { return nil }
    return UpgradeBackup(directory, keep: keep, of: file, deadline: deadline) {
      [progress] version, path in progress.backedUp(version, path)
    }
  }

  /// Deals with the files that a crash may have left, and opens the database; nil if there is none.
  private func open(_ facts: FileFacts?) throws(UpgradeError) -> OpenDatabase? {
    guard let facts else { return nil }
    // SQLite deletes a journal when it opens the empty file beside it.
    if facts.size == 0 { try file.refuseOrphans() }
    // After a crash between `link` and `unlink`, the database has a second name.
    if facts.links > 1 { Leftovers.discard(of: file) }
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

  /// Reads and checks the text of steps, before the first of them runs.
  private func load(_ steps: [Migration], _ plan: Plan) throws(UpgradeError) {
    try scripts.load(steps, seed: plan.seed?.version)
  }

  /// Makes the database; false if another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Bool {
    // The scripts are checked before there is a database.
    try load(plan.steps(after: plan.startOfNew.version), plan)
    let seed = options.ifMissing == .seed ? upgrader.seed : nil
    _ = try seed?.openReadable(deadline: deadline)
    return try SeedCopy(file: file, seed: seed, header: plan.seed, deadline: deadline).publish()
  }

  /// Fills a database that holds nothing.
  private func fill(_ plan: Plan) throws(UpgradeError) -> SeedInPlace.End {
    try load(plan.steps(after: plan.startOfNew.version), plan)
    guard let seed = upgrader.seed, let header = plan.seed else { return .notFilled }
    let file = file
    return try SeedInPlace(
      file: file, seed: seed, header: header,
      isToFill: { state throws(UpgradeError) in
        let state = state.written(like: plan.target)
        if case .fill = try plan.decide(state, path: file.shown) { return true }
        return false
      }, deadline: deadline
    ).fill()
  }

  /// Runs the steps above the version of the open database.
  private func run(
    _ steps: [Migration], _ plan: Plan, on database: consuming OpenDatabase,
    _ backup: UpgradeBackup?, _ done: inout [AppliedStep]
  ) throws(UpgradeError) -> Runner.End {
    let version = database.state.version.written(like: plan.target)
    // The scripts are checked first, because opening the database for writing touches the log of a
    // killed service.
    try load(steps, plan)
    try checkEncoding(of: database.connection, steps, plan)
    let writing = try database.forWriting()
    let transaction = try Transaction(
      on: writing.takeConnection(), at: version,
      Transaction.Setting(
        file: file, target: plan.target, doubleQuotedStrings: options.doubleQuotedStrings,
        syncs: observer == nil, prepare: upgrader.prepare, deadline: deadline))
    var runner = Runner(self, plan, transaction, backup, after: done)
    let end = try runner.run()
    done = runner.done
    return end
  }

  /// Refuses a script that reads a seed of another text encoding: SQLite could not attach it.
  private func checkEncoding(
    of connection: borrowing Connection, _ steps: [Migration], _ plan: Plan
  ) throws(UpgradeError) {
    guard steps.contains(where: { scripts[$0.version]?.readsSeed == true }),
      let seed = upgrader.seed, let encoding = plan.seed?.encoding
    else { return }
    let own: String?
    do {
      own = try connection.text("PRAGMA encoding")
    } catch {
      throw UpgradeError(error, at: file.shown, reached: nil)
    }
    guard own == encoding else {
      throw .seed(file: seed.name, .otherEncoding(seed: encoding, database: own ?? ""))
    }
  }
}
