internal import UpliftSQLite

/// Runs the scripts that are pending, and sets the version after each.
///
/// Scripts that finish quickly share a transaction. Each still stands for itself: a failure
/// leaves exactly what one commit a script would have left.
struct Runner: ~Copyable {
  let file: DatabaseFile
  let plan: Plan
  let options: Upgrader.Options
  let deadline: Deadline
  let progress: ProgressReport
  var connection: Connection
  let scripts: LoadedScripts
  /// The foreign keys that are known to have orphans, which are counted before they are touched.
  var keysWithOrphans: Set<OldForeignKey> = []
  /// Those of them that are counted before a script begins.
  var keysCountedFirst: Set<OldForeignKey> = []
  /// True once a group of scripts could not be committed: each has a transaction of its own now.
  var commitsEach = false
  /// The version of the database, as far as is known.
  var reached: Version
  private(set) var done: [Done] = []
  /// The lowest version that the database has had during the upgrade.
  private var lowest: Version
  /// All that lead on from there.
  private var steps: [Migration]
  /// How many of them, the last ones, were pending as the upgrade began.
  private let pendingCount: Int

  /// A script that is through.
  struct Done {
    let step: Upgrade.Step
    let skipped: [Upgrade.Skipped]
  }

  init(
    _ upgrader: Upgrader, file: DatabaseFile, plan: Plan, deadline: Deadline,
    progress: ProgressReport, begunAt: Version, scripts: LoadedScripts,
    connection: consuming Connection
  ) throws(UpgradeError) {
    self.file = file
    self.plan = plan
    self.options = upgrader.options
    self.deadline = deadline
    self.progress = progress
    self.connection = connection
    reached = begunAt
    self.scripts = scripts
    lowest = begunAt
    steps = plan.steps(after: begunAt)
    pendingCount = steps.count
    try prepareConnection()
  }

  /// Checks the text of all scripts that lead on from a version, before any of them runs.
  func load(after version: Version) throws(UpgradeError) {
    try scripts.load(steps.drop { $0.version <= version })
  }

  /// Goes on until the database is at the target.
  mutating func run() throws(UpgradeError) {
    /// A script that failed and undid those before it in its transaction: they run again, and
    /// then its failure is told.
    var blocked: ScriptFault?
    while true {
      if connection.scriptGuard.leavesState { try reopen() }
      try begin()
      reached = try versionInside()
      if reached < lowest {
        // Somebody has set the version back, or put another database in its place.
        lowest = reached
        steps = plan.steps(after: lowest)
      }
      if let fault = blocked, reached >= fault.version {
        // Another process brought it through.
        blocked = nil
        deadline.isFinishing = false
      }
      let pending = steps.drop { $0.version <= reached }
        .prefix { step in blocked.map { step.version < $0.version } ?? true }
      guard let first = pending.first else {
        try rollback()
        if let blocked { throw blocked.error(at: file.shown, reached: reached) }
        guard reached != plan.target else { return }
        throw reached > plan.target
          ? .newer(database: reached, target: plan.target)
          : .targetNotShipped(plan.target, newest: plan.catalog.newest)
      }
      if scripts[first.version] == nil {
        do {
          try load(after: reached)
        } catch {
          try rollback()
          throw error
        }
      }
      if let script = scripts[first.version], let code = script.code {
        try runCode(script, code, at: pending.startIndex)
      } else if let script = scripts[first.version], script.runsAlone {
        try rollback()
        try runAlone(script, at: pending.startIndex)
      } else if let fault = try runGroup(pending) {
        blocked = fault
        deadline.isFinishing = true
      }
      // Whoever writes now has nothing to do with this upgrade: it does not wait for them.
      if reached == plan.target { return }
    }
  }

  /// `index` is the script's place among the steps; what is told is its place among those that were
  /// pending as the upgrade began.
  func announce(_ script: Script, at index: Int) {
    let firstPending = steps.count - pendingCount
    progress.started(script, index: index - firstPending + 1, count: pendingCount)
  }

  /// What is committed is not needed any more, and can be told.
  mutating func keep(_ group: [Done]) {
    guard let last = group.last else { return }
    for one in group { scripts.discard(one.step.version) }
    done += group
    reached = last.step.version
    progress.committed(reached)
  }
}
