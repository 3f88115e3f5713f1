internal import UpliftSQLite
internal import UpliftSystem

/// Runs the pending steps, each with its version.
///
/// Steps share a transaction for a while, because each commit waits for the disk. Nothing undoes a
/// part of it: if a step fails, the whole group is rolled back, and its steps run again, one to a
/// commit, up to the one that fails. So after a failure the database is as if each step had been
/// committed by itself.
struct Runner: ~Copyable {
  private let boot: Boot
  private let plan: Plan
  private let backup: UpgradeBackup?
  private var transaction: Transaction
  private var foreignKeys: ForeignKeys
  /// What this upgrade has committed.
  private(set) var done: [AppliedStep]
  /// True if each unit has its own commit: after a group has failed, and while somebody observes
  /// the steps.
  private var isOneByOne: Bool
  /// The number of steps of the upgrade, with those that are done.
  private var count = 0
  /// When other programs last had a chance to write.
  private var lastPause = ContinuousClock.now

  /// `done` ran before, and the boot had to close the database.
  init(
    _ boot: Boot, _ plan: Plan, _ transaction: consuming Transaction, _ backup: UpgradeBackup?,
    after done: [AppliedStep]
  ) {
    self.boot = boot
    self.done = done
    self.plan = plan
    self.backup = backup
    self.transaction = transaction
    foreignKeys = ForeignKeys(boot.options.foreignKeys)
    isOneByOne = boot.observer != nil
  }

  /// The version that the database has reached.
  var version: Version { transaction.version }

  /// How the runner ended.
  enum End {
    case atTarget
    /// The boot must look at the database again.
    case changed
    /// A script needs the database to itself, and other processes have it open.
    case inUse
  }

  /// Runs the steps that are pending.
  mutating func run() throws(UpgradeError) -> End {
    while let steps = try begin() {
      if let first = steps.first, let script = boot.scripts[first.version], script.runsAlone {
        transaction.rollback()
        guard try runAlone(script, pending: steps.count) else { return .inUse }
      } else {
        try runGroup(steps)
      }
      // Another transaction would only wait for writers.
      if transaction.version == plan.target { return .atTarget }
    }
    return .changed
  }

  /// Takes the write lock, and decides again under it; nil if no step is to run.
  private mutating func begin() throws(UpgradeError) -> [Migration]? {
    letOthersWrite()
    var before = version
    var state = try transaction.begin()
    while state.version > before, state.version < plan.target {
      // Another boot goes on. If this one took its place when it lets others write, no service would
      // ever have the lock.
      before = state.version
      transaction.rollback()
      System.sleep(milliseconds: 250)
      lastPause = .now
      state = try transaction.begin()
    }
    do throws(UpgradeError) {
      guard case .run(let steps) = try plan.decide(state, path: boot.file.shown) else {
        transaction.rollback()
        return nil
      }
      // The first boot has loaded all of them; another process may have set the version back.
      if let first = steps.first, boot.scripts[first.version] == nil {
        try boot.scripts.load(steps, seed: plan.seed?.version)
      }
      try backup?.make(of: transaction.version, underLockOf: transaction.connection)
      try setApplicationID(of: state)
      count = max(count, done.count + steps.count)
      return steps
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Leaves the database alone for a moment, if steps have had it for two seconds.
  ///
  /// SQLite's locks have no queue. A program that waits for one looks ten times a second, and would
  /// miss the moment between two commits. As a rule it gives up after five seconds.
  private mutating func letOthersWrite() {
    guard ContinuousClock.now - lastPause > .seconds(2) else { return }
    System.sleep(milliseconds: 120)
    lastPause = .now
  }

  /// Gives an empty database the seed's `application_id`, in the transaction of the first step.
  ///
  /// Without it the next boot would refuse the database as another application's.
  private func setApplicationID(of state: DatabaseState) throws(UpgradeError) {
    guard let id = plan.seed?.applicationID, id != 0, state.isEmpty, state.applicationID == 0
    else { return }
    do {
      try transaction.connection.run("PRAGMA application_id = \(id)")
    } catch {
      throw transaction.translated(error)
    }
  }
}

/// Steps in a transaction.
extension Runner {
  /// Runs steps in the open transaction, until it has lasted long enough, and commits.
  private mutating func runGroup(_ steps: [Migration]) throws(UpgradeError) {
    let began = ContinuousClock.now
    let unit = unit(of: steps)
    do {
      try foreignKeys.beginTransaction(transaction.connection)
    } catch {
      transaction.rollback()
      throw transaction.translated(error)
    }
    var group: [AppliedStep] = []
    for (index, step) in steps.enumerated() {
      guard let script = boot.scripts[step.version], !script.runsAlone else { break }
      do throws(UpgradeError) {
        guard let done = try run(script, index: count - steps.count + index + 1) else {
          return try runOneByOne()
        }
        group.append(done)
      } catch {
        return try runAgain(after: error, isFirst: index < unit)
      }
      guard index + 1 >= unit else { continue }
      let isLongEnough = ContinuousClock.now - began >= boot.options.commitInterval
      if isOneByOne || isLongEnough || script.readsSeed || transaction.connection.scriptGuard.isLent
      {
        break
      }
    }
    guard let last = group.last else { return transaction.rollback() }
    if let error = try transaction.commit(last.step.version) {
      // A full-text index may have failed as it was written, and the next time its script is named.
      if group.count > unit, !error.code.primary.isOfMachine { return try runOneByOne() }
      throw explain(error, last, isAlone: group.count == 1)
    }
    for one in group { boot.scripts.discard(one.step.version) }
    done += group
    backup?.noteCommit()
    boot.progress.committed(last.step.version)
    // The seed is attached, or the program has had the connection.
    if transaction.version < plan.target,
      transaction.hasSeed || transaction.connection.scriptGuard.isLent
    {
      try transaction.reopen()
    }
  }

  /// The number of steps at the beginning that are committed together or not at all.
  ///
  /// They are one unit with a script that reads the seed, so that a version at or above its number
  /// always means that the content of the seed came.
  private func unit(of steps: [Migration]) -> Int {
    for (index, step) in steps.enumerated() {
      guard let script = boot.scripts[step.version], !script.runsAlone else { break }
      if script.readsSeed { return index + 1 }
    }
    return 1
  }

  /// Undoes the group, and throws, or lets its steps run again one by one.
  ///
  /// `isFirst` is true if the unit at fault is the first one of its transaction: no other ran before
  /// it, so it would fail again.
  private mutating func runAgain(
    after error: UpgradeError, isFirst: Bool
  ) throws(UpgradeError) {
    transaction.rollback()
    // The pages of a script that has filled the disk are still in the log.
    if case .disk = error { transaction.connection.mayMoveLog() }
    // If the seed has changed, SQLite may have found it damaged, and the script is not at fault.
    try transaction.checkSeed()
    guard case .failed = error, !isFirst else { throw error }
    try runOneByOne()
  }

  /// Undoes the group; its steps run again on a fresh connection, one to a commit.
  private mutating func runOneByOne() throws(UpgradeError) {
    transaction.rollback()
    isOneByOne = true
    try transaction.reopen()
  }

  /// Runs one step: its statements, the check of its foreign keys, and its version.
  ///
  /// Nil if it must run again, after orphans from before it were counted.
  private mutating func run(
    _ script: Script, index: Int
  ) throws(UpgradeError) -> AppliedStep? {
    if script.readsSeed, let seed = boot.upgrader.seed, let header = plan.seed {
      try transaction.attach(UnchangedSeed(seed, header: header))
    }
    boot.progress.started(script, index: index, count: count)
    try observe(script) { observer, connection throws(SQLiteError) in
      try observer.willRun(script, on: connection)
    }
    do {
      try foreignKeys.beginStep(transaction.connection)
    } catch {
      throw fault(.sqlite(error), in: script)
    }
    var skipped: [Upgrade.Skipped] = []
    if script.code == nil {
      do {
        skipped = try scriptRun(script).run(on: transaction.connection)
      } catch {
        throw error.error(at: boot.file.shown, reached: version)
      }
    } else {
      try CodeRun(script, path: boot.file.shown, reached: version, deadline: boot.deadline)
        .run(on: transaction.connection)
    }
    try at(script) { connection throws(SQLiteError) in try connection.takeAwayLeftovers() }
    let outcome: ForeignKeys.Outcome
    do {
      outcome = try foreignKeys.endStep(transaction.connection)
    } catch {
      throw fault(.sqlite(error), in: script)
    }
    switch outcome {
    case .clean: break
    case .countFirst: return nil
    case .orphans(let orphans): throw fault(.reason(.foreignKeys(orphans)), in: script)
    }
    return try end(script, skipped)
  }

  /// Sets the version of a step, and lets the observer look at the database.
  private func end(
    _ script: Script, _ skipped: [Upgrade.Skipped]
  ) throws(UpgradeError) -> AppliedStep {
    let migration = script.migration
    do {
      try transaction.set(migration.version)
    } catch {
      throw fault(.sqlite(error), in: script)
    }
    try observe(script) { observer, connection throws(SQLiteError) in
      try observer.didRun(script, on: connection)
    }
    boot.progress.finished(migration.version)
    return AppliedStep(step: boot.progress.step(migration), skipped: skipped)
  }

  private func scriptRun(_ script: Script) -> ScriptRun {
    ScriptRun(
      script: script, deadline: boot.deadline, progress: boot.progress,
      skipsDuplicates: boot.options.skipsDuplicates)
  }

  private func observe(
    _ script: Script,
    _ look: (any StepObserver, borrowing Connection) throws(SQLiteError) -> Void
  ) throws(UpgradeError) {
    guard let observer = boot.observer else { return }
    try at(script) { connection throws(SQLiteError) in try look(observer, connection) }
  }

  /// Does work for a step; an error of SQLite is one of the step.
  private func at(
    _ script: Script, _ work: (borrowing Connection) throws(SQLiteError) -> Void
  ) throws(UpgradeError) {
    do {
      try work(transaction.connection)
    } catch {
      throw fault(.sqlite(error), in: script)
    }
  }

  /// The error of a step that failed as a whole.
  private func fault(_ cause: ScriptFault.Cause, in script: Script) -> UpgradeError {
    if case .sqlite(let error) = cause, boot.deadline.mustStopNow,
      [.interrupted, .busy].contains(error.code.primary)
    {
      return .cancelled(reached: version)
    }
    return ScriptFault(script: script, offset: nil, cause: cause)
      .error(at: boot.file.shown, reached: version)
  }

  private func explain(
    _ error: SQLiteError, _ step: AppliedStep, isAlone: Bool
  ) -> UpgradeError {
    // Of several steps, nobody knows which one the disk had no room for.
    guard isAlone, let script = boot.scripts[step.step.version] else {
      return transaction.translated(error)
    }
    return fault(.sqlite(error), in: script)
  }
}

/// A script without a transaction.
extension Runner {
  /// Runs the script on a connection of its own, and sets its version after it.
  ///
  /// It changes no value that a column holds, so it may run twice: after a crash, or if two boots
  /// run it at once. False if other processes have the database open, and the script needs it to
  /// itself. The connection must not be used then: it may believe that it has left WAL mode.
  private mutating func runAlone(_ script: Script, pending: Int) throws(UpgradeError) -> Bool {
    let before = version
    backup?.close()
    try letObserve(script)
    // A transaction fixes the page size of an empty database for its connection.
    try transaction.reopen()
    transaction.connection.mayMoveLog()
    boot.progress.started(script, index: count - pending + 1, count: count)
    let began = ContinuousClock.now
    do {
      _ = try scriptRun(script).run(on: transaction.connection)
    } catch {
      if case .sqlite(let error) = error.cause, error.code.primary == .busy,
        boot.deadline.timeLeft > .zero
      {
        // What the script has done before counts as a wait: it is done again.
        boot.deadline.spend(ContinuousClock.now - began)
        return false
      }
      throw error.error(at: boot.file.shown, reached: before)
    }
    let state = try transaction.begin()
    do throws(UpgradeError) {
      // Another boot has gone on, or another program has replaced the content.
      guard state.version == before else {
        transaction.rollback()
        return true
      }
      try setApplicationID(of: state)
      let step = try end(script, [])
      if let error = try transaction.commit(step.step.version) {
        throw explain(error, step, isAlone: true)
      }
      boot.scripts.discard(step.step.version)
      done.append(step)
      backup?.noteCommit()
      boot.progress.committed(step.step.version)
      return true
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Lets the observer change rows before the script, in a transaction of its own.
  private mutating func letObserve(_ script: Script) throws(UpgradeError) {
    guard let observer = boot.observer else { return }
    let version = try transaction.begin().version
    do throws(UpgradeError) {
      try at(script) { connection throws(SQLiteError) in
        try observer.willRun(script, on: connection)
      }
      if let error = try transaction.commit(version) { throw transaction.translated(error) }
    } catch {
      transaction.rollback()
      throw error
    }
  }
}

/// A step that has run.
struct AppliedStep {
  let step: Upgrade.Step
  let skipped: [Upgrade.Skipped]
}
