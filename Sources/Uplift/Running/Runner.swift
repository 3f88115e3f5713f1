internal import UpliftSQLite

/// Runs the scripts that are pending, and sets the version after each.
///
/// Scripts that finish quickly share a transaction. Each still stands for itself: a failure
/// leaves exactly what one commit a script would have left.
struct Runner: ~Copyable {
  let place: DatabasePath
  let plan: Plan
  let options: Upgrader.Options
  let watch: Watch
  let progress: ProgressReport
  var connection: Connection
  var scripts: [Version: Script] = [:]
  var applied: [Upgrade.Step] = []
  /// The tables whose orphans have to be counted before a script, by its version.
  var suspects: [Version: Set<String>] = [:]
  private let begunAt: Version

  /// The version that is known to be committed.
  var kept: Version { applied.last?.version ?? begunAt }

  init(
    _ upgrader: Upgrader, place: DatabasePath, plan: Plan, watch: Watch,
    progress: ProgressReport, begunAt: Version, connection: consuming Connection
  ) throws(UpgradeError) {
    self.place = place
    self.plan = plan
    self.options = upgrader.options
    self.watch = watch
    self.progress = progress
    self.begunAt = begunAt
    self.connection = connection
    try prepareConnection()
  }

  /// Checks the text of all scripts that lead on from a version, before any of them runs.
  mutating func load(after version: Version) throws(UpgradeError) {
    for step in plan.steps(after: version) where scripts[step.version] == nil {
      scripts[step.version] = try Resources.script(step)
    }
  }

  /// Goes on until the database is at the target.
  mutating func run() throws(UpgradeError) -> [Upgrade.Step] {
    /// A script that failed and undid those before it in its transaction: they run again, and
    /// then its failure is told.
    var blocked: Fault?
    while true {
      try begin()
      let reached = try versionInside()
      if let fault = blocked, reached >= fault.script.migration.version {
        blocked = nil
        watch.isFinishing = false
      }
      let limit = blocked?.script.migration.version
      let steps = plan.steps(after: reached).prefix { step in limit.map { step.version < $0 } ?? true }
      guard let first = steps.first else {
        try rollback()
        if let blocked { throw blocked.error(at: place.shown, reached: reached) }
        guard reached == plan.target else {
          throw reached > plan.target
            ? .newer(database: reached, target: plan.target)
            : .targetNotShipped(plan.target, newest: plan.catalog.newest)
        }
        return applied
      }
      do {
        try load(after: reached)
      } catch {
        try rollback()
        throw error
      }
      if let script = scripts[first.version], script.runsAlone {
        try rollback()
        try runAlone(script, after: reached)
      } else if let fault = try runGroup(steps, after: reached) {
        blocked = fault
        watch.isFinishing = true
      }
    }
  }

  /// Runs scripts in the open transaction until it has lasted long enough, and commits.
  ///
  /// Returns the fault of a script that undid others; throws once all that succeeded is kept.
  private mutating func runGroup(
    _ steps: ArraySlice<Migration>, after reached: Version
  ) throws(UpgradeError) -> Fault? {
    let start = ContinuousClock.now
    var references = try referencesNow()
    var done: [Upgrade.Step] = []
    var version: Version { done.last?.version ?? reached }
    for step in steps {
      guard let script = scripts[step.version], !script.runsAlone else { break }
      do {
        try runOne(script, isFirst: done.isEmpty, &references)
      } catch {
        guard try undo(isFirst: done.isEmpty) else {
          if done.isEmpty { throw error.error(at: place.shown, reached: reached) }
          return error
        }
        if !done.isEmpty { try commit(done) }
        guard case .unknownOrphans(let tables) = error.cause else {
          throw error.error(at: place.shown, reached: version)
        }
        suspects[step.version] = tables
        return nil
      }
      done.append(Upgrade.Step(version: step.version, name: step.name))
      progress.finished(step.version)
      let isLongEnough = ContinuousClock.now - start >= options.commitInterval
      if isLongEnough || connection.scriptGuard.leavesState { break }
    }
    let leavesState = connection.scriptGuard.leavesState
    try commit(done)
    if leavesState { try reopen() }
    return nil
  }

  /// One script, its check and its number: all or nothing.
  private mutating func runOne(
    _ script: Script, isFirst: Bool, _ references: inout References?
  ) throws(Fault) {
    announce(script)
    // The first script's transaction is all its own: to undo it, a ROLLBACK will do.
    if !isFirst { try run("SAVEPOINT uplift", for: script) }
    connection.forgetLastInsert()
    let baseline = try baseline(of: script, references)
    let statements = ScriptRun(
      script: script, rules: .transaction, watch: watch, progress: progress.bytes)
    try statements.run(on: connection) { () throws(SQLiteError) in }
    try check(script, &references, baseline)
    try bump(to: script.migration.version, for: script)
    if !isFirst { try run("RELEASE uplift", for: script) }
  }

  /// The place of a script among those that were pending as the upgrade began.
  func announce(_ script: Script) {
    let pending = plan.steps(after: begunAt)
    let index = pending.firstIndex { $0.version == script.migration.version } ?? 0
    progress.started(script, index: index + 1, count: pending.count)
  }

  /// The bump, which is read back: SQLite stores 0 for what does not fit.
  func bump(to version: Version, for script: Script) throws(Fault) {
    try run("PRAGMA user_version = \(version)", for: script)
    try at(script) { () throws(SQLiteError) in
      guard try connection.integer("PRAGMA user_version") == Int64(version.number) else {
        throw SQLiteError(code: .error, message: "user_version did not take \(version)")
      }
    }
  }

  func run(_ sql: String, for script: Script) throws(Fault) {
    try at(script) { () throws(SQLiteError) in try connection.run(sql) }
  }

  /// A failure of the upgrade's own statements counts as the script's.
  func at<Result>(
    _ script: Script, _ work: () throws(SQLiteError) -> Result
  ) throws(Fault) -> Result {
    do {
      return try work()
    } catch {
      throw Fault(
        script: script, offset: 0,
        cause: watch.isCancelled && error.code.primary == .interrupted ? .cancelled : .sqlite(error)
      )
    }
  }

  /// Takes back what the latest script did; false when the whole transaction is gone.
  private func undo(isFirst: Bool) throws(UpgradeError) -> Bool {
    guard connection.isInTransaction else { return false }
    do {
      if isFirst {
        try connection.run("ROLLBACK")
      } else {
        try connection.run("ROLLBACK TO uplift")
        try connection.run("RELEASE uplift")
      }
      return true
    } catch {
      try rollback()
      return false
    }
  }
}
