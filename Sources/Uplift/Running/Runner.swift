internal import UpliftSQLite
internal import UpliftSystem

/// Runs the steps that are pending, and sets the version after each.
///
/// Scripts that finish quickly share a transaction, because each commit waits for the disk. After a
/// failure the database is the same as if each script had been committed separately: it has the
/// changes of the scripts before, and none of the script that failed.
struct Runner: ~Copyable {
  private let file: DatabaseFile
  private let plan: Plan
  private let seed: Seed?
  private let options: Upgrader.Options
  private let deadline: Deadline
  private let progress: ProgressReport
  private let scripts: LoadedScripts
  private let scriptLock: SharedScriptLock?
  private let observer: (any StepObserver)?
  private let keeper: BackupKeeper?
  private var transaction: WriteTransaction
  private let foreignKeys: ForeignKeyChecks
  /// True after a group of scripts could not be committed: each has a transaction of its own then.
  private var commitsEach = false
  /// The steps that were committed.
  private(set) var done: [Done]
  private var pending: PendingSteps

  /// A step that has run.
  struct Done {
    let step: Upgrade.Step
    let skipped: [Upgrade.Skipped]
  }

  /// `steps` are those above the version that the transaction has read; `done` ran before them.
  init(
    _ steps: [Migration], after done: [Done], of plan: Plan, seed: Seed?,
    _ options: Upgrader.Options, file: DatabaseFile, scripts: LoadedScripts,
    scriptLock: SharedScriptLock?, deadline: Deadline, progress: ProgressReport,
    observer: (any StepObserver)?, keeper: BackupKeeper?,
    transaction: consuming WriteTransaction
  ) {
    self.file = file
    self.plan = plan
    self.seed = seed
    self.options = options
    self.deadline = deadline
    self.progress = progress
    self.scripts = scripts
    self.scriptLock = scriptLock
    self.observer = observer
    self.keeper = keeper
    self.done = done
    pending = PendingSteps(steps, of: plan, from: transaction.version, doneCount: done.count)
    foreignKeys = ForeignKeyChecks(options.foreignKeys, deadline: deadline)
    self.transaction = transaction
  }

  /// How the runner ended; what was committed until then is kept.
  enum End {
    case atTarget
    /// A script needs the database to itself, and other processes have it open.
    case inUse
    /// Another process has emptied the database, so that no script can run.
    case emptied
  }

  /// Runs steps until the database is at the target.
  mutating func run() throws(UpgradeError) -> End {
    // The fault of a script whose failure undid the scripts before it. Those run again and are
    // committed. Then the fault is reported.
    var blocked: ScriptFault?
    while true {
      if transaction.connection.scriptGuard.leavesState { try transaction.reopen() }
      let state = try transaction.begin()
      let version = state.version
      if let fault = blocked, version >= fault.version {
        // Another process has applied it.
        blocked = nil
        deadline.isFinishing = false
      }
      guard try holdsSomething(state) else {
        deadline.isFinishing = false
        return .emptied
      }
      let pending = pending.after(version, before: blocked?.version)
      guard let first = pending.first else {
        transaction.rollback()
        if let blocked { throw blocked.error(at: file.shown, reached: version) }
        return .atTarget
      }
      let script = try load(pending, first)
      guard script.readsSeed == (transaction.seed != nil) else {
        // The next transaction begins with the seed attached, or without it.
        transaction.rollback()
        try transaction.reopen(beside: script.readsSeed ? seedToRead() : nil)
        continue
      }
      if script.code != nil {
        try runCode(script, at: pending.startIndex)
      } else if script.runsAlone {
        // The `application_id` is committed, if it was set, because the script has no transaction.
        if case .refused(let error) = try transaction.commit(version) {
          throw transaction.translated(error)
        }
        guard try runAlone(script, at: pending.startIndex) else { return .inUse }
      } else if let fault = try runGroup(pending) {
        blocked = fault
        deadline.isFinishing = true
      }
      // The version was just committed. Another transaction would only wait for other writers.
      if transaction.version == plan.target { return .atTarget }
    }
  }

  /// Decides again under the write lock: another process may have changed anything before this one
  /// took the lock.
  ///
  /// False if the database must be filled first.
  private func holdsSomething(_ state: DatabaseState) throws(UpgradeError) -> Bool {
    do {
      switch try plan.decide(state, path: file.shown) {
      case .current: return true
      case .run:
        try sign(state)
        return true
      case .make, .fill:
        transaction.rollback()
        return false
      }
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Gives an empty database the seed's `application_id`, in the transaction of the first script.
  ///
  /// Without it the next boot would refuse the database as another application's.
  private func sign(_ state: DatabaseState) throws(UpgradeError) {
    guard let seed = plan.seed, seed.applicationID != 0, state.isEmpty, state.applicationID == 0
    else { return }
    do {
      try transaction.connection.run("PRAGMA application_id = \(seed.applicationID)")
    } catch {
      throw transaction.translated(error)
    }
  }

  /// Checks the text of all pending scripts, before the first of them runs.
  private func load(
    _ pending: ArraySlice<Migration>, _ first: Migration
  ) throws(UpgradeError) -> Script {
    do {
      if let script = scripts[first.version] { return script }
      try scripts.load(pending, seed: plan.seed?.version)
      return try scripts.script(first)
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func seedToRead() throws(UpgradeError) -> UnchangedSeed? {
    guard let seed, let header = plan.seed else { return nil }
    return try UnchangedSeed(seed, header: header)
  }

  /// Copies the database, if the options say so and no script has been committed yet.
  private func backUp(keepsEarlier: Bool = false) throws(UpgradeError) {
    do {
      try keeper?.make(in: transaction, keepsEarlier: keepsEarlier)
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func announce(_ script: Script, at index: Int) {
    progress.started(script, index: pending.place(ofStepAt: index), count: pending.count)
  }

  /// A check that begins with the foreign keys as they are now; nil if the options want none.
  private func newCheck() throws(UpgradeError) -> OrphanCheck? {
    do {
      return try foreignKeys.newCheck(transaction.connection)
    } catch {
      transaction.rollback()
      throw transaction.translated(error)
    }
  }

  private func stepRun(_ script: Script, _ check: OrphanCheck?) -> StepRun {
    StepRun(
      script: script, check: check, foreignKeys: foreignKeys,
      skipsDuplicates: options.skipsDuplicates, observer: observer, deadline: deadline,
      progress: progress)
  }

  /// Commits steps and then reports them; false if they must run again one by one.
  ///
  /// This happens if a group cannot be committed. The scripts before the one at fault are then
  /// kept, and the error names that script.
  private mutating func commit(_ group: [Done]) throws(UpgradeError) -> Bool {
    guard let last = group.last?.step.version else {
      transaction.rollback()
      return true
    }
    if case .refused(let error) = try transaction.commit(last) {
      guard group.count == 1, let script = scripts[last] else {
        commitsEach = true
        return false
      }
      throw ScriptFault(script: script, offset: nil, cause: .sqlite(error))
        .error(at: file.shown, reached: transaction.version)
    }
    keeper?.isDone = true
    for one in group { scripts.discard(one.step.version) }
    done += group
    progress.committed(last)
    return true
  }
}

/// Scripts that share a transaction.
extension Runner {
  /// Runs scripts in the open transaction until it has lasted long enough, and commits.
  ///
  /// If a failure undid the whole group, returns its fault. After any other failure, commits the
  /// scripts before it and throws.
  private mutating func runGroup(
    _ pending: ArraySlice<Migration>
  ) throws(UpgradeError) -> ScriptFault? {
    try backUp()
    let start = ContinuousClock.now
    let check = try newCheck()
    var group: [Done] = []
    for index in pending.indices {
      let step = pending[index]
      guard let script = scripts[step.version],
        script.sharesTransaction || script.readsSeed && group.isEmpty
      else { break }
      do {
        let skipped = try runOne(script, at: index, isFirst: group.isEmpty, check)
        group.append(Done(step: progress.step(step), skipped: skipped))
      } catch {
        return try end(group, after: error)
      }
      progress.finished(step.version)
      let isLongEnough = commitsEach || ContinuousClock.now - start >= options.commitInterval
      let scriptGuard = transaction.connection.scriptGuard
      if isLongEnough || script.readsSeed { break }
      if scriptGuard.leavesState || scriptGuard.isLastInTransaction { break }
    }
    _ = try commit(group)
    return nil
  }

  /// Undoes the script that failed, commits those before it, and prepares or reports the failure.
  private mutating func end(
    _ group: [Done], after fault: ScriptFault
  ) throws(UpgradeError) -> ScriptFault? {
    do {
      // If the seed has changed, SQLite may have found it damaged, and the script is not at fault.
      try transaction.seed?.check()
    } catch {
      transaction.rollback()
      throw error
    }
    guard transaction.undoScript(isFirst: group.isEmpty) else {
      if group.isEmpty { throw fault.error(at: file.shown, reached: transaction.version) }
      return fault
    }
    if !group.isEmpty {
      guard try commit(group) else { return nil }
    }
    switch fault.cause {
    // The script runs again as the first of a new transaction.
    case .uncountedOrphans, .needs(.ownTransaction): return nil
    case .needs(.freshConnection):
      try transaction.reopen()
      return nil
    default: throw fault.error(at: file.shown, reached: transaction.version)
    }
  }

  /// Runs a script, checks it and sets its version: all of it or nothing.
  private func runOne(
    _ script: Script, at index: Int, isFirst: Bool, _ check: OrphanCheck?
  ) throws(ScriptFault) -> [Upgrade.Skipped] {
    announce(script, at: index)
    return try stepRun(script, check).whole(isFirst: isFirst, on: transaction.connection)
  }
}

/// Steps that have a transaction to themselves, or none.
extension Runner {
  /// Runs a `no-transaction` script in autocommit, and sets its version right after.
  ///
  /// Its changes stay if it fails, or if the process stops before the version is set: such a script
  /// must be safe to run twice. It cannot be started over, so it gets a connection that no other
  /// script has used, and orphans are counted before a statement touches their tables.
  ///
  /// False if it must wait with the database closed: another boot runs such a script, or the script
  /// needs the database to itself and other processes have it open. It then runs from its start.
  private mutating func runAlone(_ script: Script, at index: Int) throws(UpgradeError) -> Bool {
    let version = transaction.version
    let lock = ScriptLock(of: file, scriptLock)
    // The other boot may need the database to itself, so this one does not keep it open.
    guard lock.isOurs else { return false }
    if keeper != nil {
      try transaction.begin()
      try backUp(keepsEarlier: true)
      transaction.rollback()
    }
    // Another boot may have run the script before this one had the lock.
    guard try isStill(at: version) else { return true }
    if !transaction.connection.scriptGuard.isFresh { try transaction.reopen() }
    if observer != nil { try observeBefore(stepRun(script, nil)) }
    announce(script, at: index)
    let step = stepRun(script, try newCheck())
    let skipped: [Upgrade.Skipped]
    do {
      skipped = try runInAutocommit(step)
    } catch {
      transaction.rollback()
      guard case .databaseInUse = error.cause else {
        throw error.error(at: file.shown, reached: version)
      }
      try transaction.checkPlace()
      return false
    }
    let state = try transaction.begin()
    // Without the lock another process may have run it at the same moment.
    guard transaction.version == version else {
      transaction.rollback()
      return true
    }
    do {
      try plan.checkOwner(of: state, path: file.shown)
    } catch {
      transaction.rollback()
      throw error
    }
    try rollingBack { connection throws(ScriptFault) in try step.end(on: connection) }
    try commitOne(script, skipped)
    return true
  }

  /// Lets the observer change rows before a script that has no transaction, in one of its own.
  private mutating func observeBefore(_ step: StepRun) throws(UpgradeError) {
    let version = try transaction.begin().version
    try rollingBack { connection throws(ScriptFault) in try step.letObserve(connection) }
    if case .refused(let error) = try transaction.commit(version) {
      throw transaction.translated(error)
    }
  }

  private mutating func isStill(at version: Version) throws(UpgradeError) -> Bool {
    let now = try transaction.begin().version
    transaction.rollback()
    return now == version
  }

  private func runInAutocommit(_ step: StepRun) throws(ScriptFault) -> [Upgrade.Skipped] {
    try step.begin(canBeUndone: false, on: transaction.connection)
    do {
      let skipped = try step.statements(.autocommit, on: transaction.connection)
      try step.judge(on: transaction.connection)
      return skipped
    } catch {
      // Otherwise the next run would take the orphans of this run for old ones.
      if case .databaseInUse = error.cause { try step.judge(on: transaction.connection) }
      throw error
    }
  }

  /// Runs a step in Swift in the open transaction, checks it, sets its version and commits.
  ///
  /// If the connection is not fresh, only replaces it; the caller then calls this again.
  ///
  /// A step cannot be undone and run again as a script can: its code may have done other things.
  private mutating func runCode(_ script: Script, at index: Int) throws(UpgradeError) {
    // Change counters, and settings made through a lent handle, stay with the connection.
    guard transaction.connection.scriptGuard.isFresh else {
      transaction.rollback()
      return try transaction.reopen()
    }
    try backUp()
    let identity: FileFacts.Identity?
    do {
      identity = try file.facts()?.identity
    } catch {
      transaction.rollback()
      throw error
    }
    announce(script, at: index)
    let watch = stepRun(script, nil)
    try rollingBack { connection throws(ScriptFault) in try watch.letObserve(connection) }
    let step = stepRun(script, try newCheck())
    try rollingBack { connection throws(ScriptFault) in
      try step.begin(canBeUndone: false, on: connection)
    }
    let run = CodeRun(
      script, path: file.shown, reached: transaction.version, deadline: deadline,
      foreignKeys: step.check)
    if let error = run.run(on: transaction.connection, of: identity) {
      transaction.rollback()
      throw error
    }
    try rollingBack { connection throws(ScriptFault) in
      try step.judge(on: connection)
      try step.end(on: connection)
    }
    try commitOne(script, [])
    try transaction.reopen()
  }

  private mutating func commitOne(
    _ script: Script, _ skipped: [Upgrade.Skipped]
  ) throws(UpgradeError) {
    progress.finished(script.migration.version)
    _ = try commit([Done(step: progress.step(script.migration), skipped: skipped)])
  }

  /// Runs work for a script, and undoes the transaction if the work fails.
  private func rollingBack(
    _ work: (borrowing Connection) throws(ScriptFault) -> Void
  ) throws(UpgradeError) {
    do {
      try work(transaction.connection)
    } catch {
      transaction.rollback()
      throw error.error(at: file.shown, reached: transaction.version)
    }
  }
}
