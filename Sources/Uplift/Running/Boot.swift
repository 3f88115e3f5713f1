internal import UpliftSQLite
internal import UpliftSystem

/// One boot: looks at the database, decides what it needs, and does it.
///
/// For an absolute path and a database in rollback mode, Uplift itself makes one system call in a
/// boot with nothing to do: `lstat` on the database. It tells whether the file exists, is a link,
/// is large enough, or has a second name from a crash. SQLite makes the other calls, to read the
/// journal mode and the version. All reads share one transaction. Otherwise SQLite would take the lock and look for a
/// journal again for each of them.
struct Boot {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let deadline: Deadline
  private let progress: ProgressReport
  private let scripts: LoadedScripts
  private let observer: (any StepObserver)?
  private let backup: FileFacts?
  /// The plan that many databases share; nil if there is only one database.
  private let shared: SharedPlan?

  /// If the seed is a `backup`, it must be the file that was checked, and a new database has its mode
  /// and its owner.
  init(
    _ upgrader: Upgrader, observer: (any StepObserver)? = nil, diskUse: DiskUse? = nil,
    backup: FileFacts? = nil, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) {
    self.backup = backup
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database, diskUse: diskUse)
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

  /// Brings the database to the target.
  func run() throws(UpgradeError) -> Upgrade {
    // Nil until this upgrade has made or filled the database, or has begun to upgrade it.
    var start: Upgrade.Start?
    var done: [AppliedStep] = []
    var lockouts = 0
    var keeper: UpgradeBackup?
    var hadContent = false
    if let shared, shared.schemas.isCurrent(file, at: shared.target, deadline: deadline) {
      return Upgrade(start: .existing(shared.target), end: shared.target)
    }
    // Each boot checks this directory, so that a mistake shows before the first release that needs it.
    let backups = try upgrader.options.backup.map { options throws(UpgradeError) in
      try BackupDirectory(options.directory, of: file.path, upgrader, forWriting: true)
    }
    var found = try open(file.factsAtFirst)
    if let upgrade = try currentWithoutPlan(found?.state) { return upgrade }
    let plan = try plan()
    while true {
      let state = found?.state.written(like: plan.target)
      if let state {
        // Emptied meanwhile, it is a new database, and what this upgrade did is gone.
        if state.isEmpty, hadContent { (start, done, keeper) = (nil, [], nil) }
        hadContent = !state.isEmpty
      }
      var isInUse = false
      switch try plan.decide(state, path: file.shown) {
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
      case .current:
        // If there is a keeper, another boot has run the last script while this one waited.
        keeper?.prune()
        let begin = start ?? .existing(state?.version ?? plan.target)
        return upgrade(from: begin, plan, done, keeper)
      case .run(let steps):
        guard let state, let database = found.take() else { continue }
        if start == nil {
          keeper = newKeeper(in: backups)
          progress.report(.existing(state.version))
          Leftovers.discard(of: file)
        }
        let begin = start ?? .existing(state.version)
        let before = (time: ContinuousClock.now, done: done.count)
        switch try run(steps, plan, on: database, keeper, &done) {
        case .atTarget:
          keeper?.prune()
          return upgrade(from: begin, plan, done, keeper)
        case .inUse:
          start = begin
          isInUse = true
          if done.count > before.done { lockouts = 0 }
          // A script that is run again for nothing is a wait, too.
          if lockouts > 0 { deadline.spend(ContinuousClock.now - before.time) }
        case .emptied: (start, done, keeper) = (nil, [], nil)
        }
      }
      if isInUse {
        lockouts += 1
        found = try openAfterWait(lockouts, reached: done.last?.step.version ?? state?.version)
      } else {
        found = try OpenDatabase.open(file, nil, deadline: deadline)
      }
    }
  }

  private func upgrade(
    from start: Upgrade.Start, _ plan: Plan, _ done: [AppliedStep], _ keeper: UpgradeBackup?
  ) -> Upgrade {
    Upgrade(
      start: start, end: plan.target, applied: done.map(\.step), skipped: done.flatMap(\.skipped),
      backup: keeper?.path)
  }

  /// The backup of a database that existed before the upgrade; nil if the options want none.
  private func newKeeper(in directory: BackupDirectory?) -> UpgradeBackup? {
    guard let options = upgrader.options.backup, let directory else { return nil }
    return UpgradeBackup(directory, keep: options.keep, of: file, deadline: deadline) {
      [progress] version, path in progress.backedUp(version, path)
    }
  }

  /// Keeps the database closed for a moment, and opens it again.
  ///
  /// Two boots that each keep the database open and need it to themselves would wait for each
  /// other. The waits are random, so that one boot finds the database closed, and the first ones are
  /// shorter.
  private func openAfterWait(
    _ attempt: Int, reached: Version?
  ) throws(UpgradeError) -> OpenDatabase? {
    let before = try file.facts()
    let number = OpenFile.keepingNumber(of: file.path)
    defer { extendLifetime(number) }
    for pause in 0..<(Int.random(in: 1...4) << min(attempt, 2)) {
      guard deadline.pause(attempt: pause + 8) else {
        throw deadline.isCancelled
          ? .cancelled(reached: reached) : .busy(path: file.shown, reached: reached)
      }
    }
    let facts = try file.facts()
    guard facts?.identity == before?.identity else {
      throw .moved(path: file.shown, reached: reached ?? .zero)
    }
    return try open(facts)
  }

  /// Deals with the files that a crash may have left, and opens the database; nil if there is none.
  private func open(_ facts: FileFacts?) throws(UpgradeError) -> OpenDatabase? {
    guard let facts else { return nil }
    guard !RunningSteps.databases.contains(facts.identity) else { throw .path(file.shown, .nested) }
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

  private func plan() throws(UpgradeError) -> Plan {
    try upgrader.plan(beside: file)
  }

  /// Reads and checks the text of steps, before the first of them runs.
  private func load(_ steps: [Migration], _ plan: Plan) throws(UpgradeError) {
    try scripts.load(steps, seed: plan.seed?.version)
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

  /// Makes the database; false if another process was faster.
  private func make(_ plan: Plan) throws(UpgradeError) -> Bool {
    // The scripts are checked before there is a database.
    try load(plan.steps(after: plan.startOfNew.version), plan)
    let seed = upgrader.options.ifMissing == .seed ? upgrader.seed : nil
    _ = try seed?.openReadable(deadline: deadline)
    let copy = SeedCopy(
      file: file, seed: seed, header: plan.seed, backup: backup, deadline: deadline)
    return try copy.publish()
  }

  /// Fills a database that holds nothing.
  private func fill(_ plan: Plan) throws(UpgradeError) -> SeedInPlace.End {
    try load(plan.steps(after: plan.startOfNew.version), plan)
    guard let seed = upgrader.seed, let header = plan.seed else { return .notFilled }
    let file = file
    return try SeedInPlace(
      file: file, seed: seed, header: header, backup: backup,
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
    _ keeper: UpgradeBackup?, _ done: inout [AppliedStep]
  ) throws(UpgradeError) -> Runner.End {
    let version = database.state.version.written(like: plan.target)
    let isEmpty = database.state.isEmpty
    // The scripts are checked first, because opening the database for writing touches the log of a
    // killed service.
    try load(steps, plan)
    try checkEncoding(of: database.connection, steps, plan)
    let writing = try database.forWriting()
    let options = upgrader.options
    let transaction = try WriteTransaction(
      on: writing.takeConnection(), to: file, at: version, target: plan.target,
      doubleQuotedStrings: options.doubleQuotedStrings, syncs: observer == nil,
      prepare: upgrader.prepare, deadline: deadline)
    let context = StepContext(
      file: file, plan: plan, options: options, deadline: deadline, progress: progress,
      scripts: scripts, observer: observer, keeper: keeper,
      foreignKeys: ForeignKeyChecks(options.foreignKeys, deadline: deadline))
    var runner = Runner(
      steps, after: done, context, seed: upgrader.seed, transaction: transaction, isEmpty: isEmpty)
    let end: Runner.End
    do {
      end = try runner.run()
    } catch {
      // The log of a damaged database may have what its file has lost.
      if case .damaged = error { runner.keepLog() }
      throw error
    }
    done = runner.done
    return end
  }
}
