internal import UpliftSQLite
internal import UpliftSystem

/// Runs the pending steps, each with its version.
///
/// Steps share a transaction for a while, because each commit waits for the disk. If a step fails,
/// the whole group is rolled back, and its steps run again, one to a commit, up to the one that
/// fails. So after a failure the database is as if each step had been committed by itself. An error
/// that is thrown ends the connection, and SQLite undoes what is not committed.
struct Runner: ~Copyable {
  private let boot: Boot
  private let plan: Plan
  private let backup: UpgradeBackup?
  private var transaction: Transaction
  private let foreignKeys: ForeignKeys
  /// The version at which this upgrade found the database.
  private var found: Version
  /// What this upgrade has committed, also before the boot had to close the database.
  private(set) var done: [AppliedStep]
  /// True if each unit has its own commit: after a group has failed, and with an observer.
  private var isOneByOne: Bool
  /// The number of all steps of the upgrade.
  private var count = 0
  /// The passes of the script that repeats now, or did so last.
  private var passes: Passes?
  /// When other programs last had a chance to write.
  private var lastPause = ContinuousClock.now

  init(
    _ boot: Boot, _ plan: Plan, _ transaction: consuming Transaction, _ backup: UpgradeBackup?,
    from found: Version, after done: [AppliedStep]
  ) {
    self.boot = boot
    self.found = found
    self.done = done
    self.plan = plan
    self.backup = backup
    self.transaction = transaction
    foreignKeys = ForeignKeys(boot.options.foreignKeys)
    isOneByOne = boot.observer != nil
  }

  /// Runs the steps that are pending; false if a script needs the database to itself, and other
  /// processes have it open.
  mutating func run() throws(UpgradeError) -> Bool {
    // At the target, another transaction would only wait for writers.
    while transaction.version != plan.target, let steps = try begin() {
      let script = steps.first.flatMap { boot.scripts[$0.version] }
      if let script, script.runsAlone {
        transaction.rollback()
        guard try runAlone(script, pending: steps.count) else { return false }
      } else if let script, script.repeats {
        try runPass(script, pending: steps.count)
      } else {
        try runGroup(steps)
      }
    }
    if boot.options.optimizes, !done.isEmpty { transaction.connection.optimize() }
    return true
  }

  /// Takes the write lock, and decides again under it; nil if no step is to run.
  private mutating func begin() throws(UpgradeError) -> [Migration]? {
    letOthersWrite()
    var before = transaction.version
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
    guard case .run(let steps) = try plan.decide(state, path: boot.file.shown) else {
      transaction.rollback()
      return nil
    }
    // Another boot may have brought the content of another release meanwhile.
    if done.isEmpty { found = state.version }
    // All of them are loaded, unless another process has set the version back.
    if let first = steps.first, boot.scripts[first.version] == nil {
      try boot.load(after: state.version, plan)
    }
    try backup?.make(of: state.version, underLockOf: transaction.connection)
    try setApplicationID(of: state)
    count = max(count, done.count + steps.count)
    return steps
  }

  /// Leaves the database alone for a moment, if steps have had it for two seconds.
  ///
  /// SQLite's locks have no queue. A program that waits for one looks ten times a second, and gives
  /// up after five seconds, as a rule: it would miss the moment between two commits.
  private mutating func letOthersWrite() {
    guard ContinuousClock.now - lastPause > .seconds(2) else { return }
    System.sleep(milliseconds: 120)
    lastPause = .now
  }

  /// Gives an empty database the seed's `application_id`, without which the next boot refuses it.
  private func setApplicationID(of state: DatabaseState) throws(UpgradeError) {
    guard let id = plan.seed?.applicationID, id != 0, state.isEmpty, state.applicationID == 0
    else { return }
    try transaction.at { connection throws(SQLiteError) in
      try connection.run("PRAGMA application_id = \(id)")
    }
  }
}

/// Steps in a transaction.
extension Runner {
  /// Runs steps in the open transaction, until it has lasted long enough, and commits.
  private mutating func runGroup(_ steps: [Migration]) throws(UpgradeError) {
    let began = ContinuousClock.now
    let unit = unit(of: steps)
    try transaction.at { connection throws(SQLiteError) in
      try foreignKeys.beginTransaction(connection)
    }
    var group: [AppliedStep] = []
    for (index, step) in steps.enumerated() {
      guard let script = boot.scripts[step.version], script.isGrouped else { break }
      let done: AppliedStep?
      do throws(UpgradeError) {
        done = try run(script, index: count - steps.count + index + 1)
      } catch {
        return try runAgain(after: error, isFirst: index < unit)
      }
      guard let done else { return try runOneByOne() }
      group.append(done)
      let isLongEnough = ContinuousClock.now - began >= boot.options.commitInterval
      if index + 1 >= unit, isOneByOne || isLongEnough || transaction.mustReopen { break }
    }
    guard let last = group.last else { return transaction.rollback() }
    if let error = try transaction.commit(last.step.version) {
      // A full-text index may have failed as it was written, and the next time its script is named.
      if group.count > unit, !error.code.primary.isOfMachine { return try runOneByOne() }
      // Of several steps, nobody knows which one the disk had no room for.
      guard group.count == 1, let script = boot.scripts[last.step.version] else {
        throw transaction.translated(error)
      }
      throw errors(script).sqlite(error)
    }
    noteCommit(of: group)
    if transaction.version < plan.target, transaction.mustReopen { try transaction.reopen() }
  }

  private mutating func noteCommit(of steps: [AppliedStep]) {
    for step in steps { boot.scripts.discard(step.step.version) }
    done += steps
    backup?.noteCommit()
    boot.progress.emit(.committed(transaction.version))
  }

  /// The number of steps at the beginning that are committed together or not at all.
  ///
  /// They are one unit with a script that reads the seed, so that a version at or above its number
  /// always means that the content of the seed came.
  private func unit(of steps: [Migration]) -> Int {
    for (index, step) in steps.enumerated() {
      guard let script = boot.scripts[step.version], script.isGrouped else { break }
      if script.readsSeed { return index + 1 }
    }
    return 1
  }

  /// Undoes the group, and throws, or lets its steps run again one by one.
  ///
  /// A step of the first unit would fail again: no other unit ran before it.
  private mutating func runAgain(after error: UpgradeError, isFirst: Bool) throws(UpgradeError) {
    transaction.rollback()
    // The pages of a script that has filled the disk are still in the log.
    if error.kind == .disk { transaction.connection.mayMoveLog() }
    // If the seed has changed, SQLite may have found it damaged, and the script is not at fault.
    try transaction.checkSeed()
    guard error.kind == .failed, !isFirst else { throw error }
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
  private mutating func run(_ script: Script, index: Int) throws(UpgradeError) -> AppliedStep? {
    if script.readsSeed, let seed = boot.upgrader.seed, let header = plan.seed {
      try transaction.attach(UnchangedSeed(seed, header: header), from: found)
    }
    boot.progress.started(script, index: index, count: count)
    try at(script) { connection throws(SQLiteError) in
      try boot.observer?.willRun(script, on: connection)
      try foreignKeys.beginStep(connection)
    }
    if script.code == nil {
      try ScriptRun(boot: boot, errors: errors(script)).run(on: transaction.connection)
    } else {
      try CodeRun(errors(script)).run(on: transaction.connection)
    }
    let outcome = try at(script) { connection throws(SQLiteError) in
      try connection.takeAwayLeftovers()
      return try foreignKeys.endStep(connection)
    }
    switch outcome {
    case .clean: return try end(script)
    case .countFirst: return nil
    case .orphans(let orphans): throw errors(script).orphans(orphans)
    }
  }

  /// Sets the version of a step, and lets the observer look at the database.
  private func end(_ script: Script) throws(UpgradeError) -> AppliedStep {
    try at(script) { connection throws(SQLiteError) in
      try transaction.set(script.migration.version)
      try boot.observer?.didRun(script, on: connection)
    }
    return boot.progress.finished(script.migration)
  }

  private func at<Result>(
    _ script: Script, _ work: (borrowing Connection) throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work(transaction.connection)
    } catch {
      throw errors(script).sqlite(error)
    }
  }

  private func errors(_ script: Script) -> StepErrors {
    StepErrors(
      script: script, path: boot.file.shown, reached: transaction.version, deadline: boot.deadline)
  }
}

/// A script that repeats.
extension Runner {
  /// Runs the script once in the open transaction, and commits; its version comes with the pass that
  /// changes no row.
  private mutating func runPass(_ script: Script, pending: Int) throws(UpgradeError) {
    if passes?.version != script.migration.version {
      boot.progress.started(script, index: count - pending + 1, count: count)
      passes = try at(script) { connection throws(SQLiteError) in
        try boot.observer?.willRun(script, on: connection)
        return try Passes(of: script, connection)
      }
    }
    // SQLite checks the rows that change: to check the tables would take longer than a pass.
    try at(script) { connection throws(SQLiteError) in
      try connection.enforceForeignKeys(boot.options.foreignKeys != .none)
    }
    let before = transaction.connection.totalChanges
    try ScriptRun(boot: boot, errors: errors(script), passes: passes)
      .run(on: transaction.connection)
    let rows = transaction.connection.totalChanges - before
    boot.progress.passed(rows: rows)
    if rows > 0 {
      if let error = try transaction.commitPass() { throw errors(script).sqlite(error) }
      backup?.noteCommit()
    }
    try at(script) { connection throws(SQLiteError) in try connection.enforceForeignKeys(false) }
    guard rows == 0 else { return }
    let step = try end(script)
    if let error = try transaction.commit(step.step.version) { throw errors(script).sqlite(error) }
    noteCommit(of: [step])
  }
}

/// The passes of a script that repeats, in this boot.
final class Passes {
  let version: Version
  /// A statement that has changed more rows would never end.
  private let most: Int64
  /// For each statement, by its offset: the rows that it has changed.
  private var changed: [Int: Int64] = [:]

  init(of script: Script, _ connection: borrowing Connection) throws(SQLiteError) {
    version = script.migration.version
    var rows: Int64 = 0
    let tables = try connection.prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0")
    while try tables.step() {
      guard let name = tables.name(0), script.mayMention(name) else { continue }
      rows += try connection.integer("SELECT count(*) FROM main.\(name)" as SQL)
    }
    most = max(2 * rows, 10_000)
  }

  /// Counts the rows that a statement has changed; false if they are too many.
  func note(_ rows: Int64, by offset: Int) -> Bool {
    changed[offset, default: 0] += rows
    return changed[offset, default: 0] <= most
  }
}

/// A script without a transaction.
extension Runner {
  /// Runs the script on a connection of its own, and sets its version after it.
  ///
  /// It changes no value that a column holds, so it may run twice: after a crash, or in two boots.
  /// False if other processes have the database open, and the script needs it to itself. The
  /// connection must not be used then: it may believe that it has left WAL mode.
  private mutating func runAlone(_ script: Script, pending: Int) throws(UpgradeError) -> Bool {
    let before = transaction.version
    backup?.close()
    try letObserve(script)
    // A transaction fixes the page size of an empty database for its connection.
    try transaction.reopen()
    transaction.connection.mayMoveLog()
    boot.progress.started(script, index: count - pending + 1, count: count)
    let began = ContinuousClock.now
    do {
      try ScriptRun(boot: boot, errors: errors(script)).run(on: transaction.connection)
    } catch {
      guard error.kind == .busy, boot.deadline.timeLeft > .zero else { throw error }
      // What the script has done before counts as a wait: it is done again.
      boot.deadline.spend(ContinuousClock.now - began)
      return false
    }
    let state = try transaction.begin()
    // Another boot has gone on, or another program has replaced the content.
    guard state.version == before else {
      transaction.rollback()
      return true
    }
    try setApplicationID(of: state)
    let step = try end(script)
    if let error = try transaction.commit(step.step.version) { throw errors(script).sqlite(error) }
    noteCommit(of: [step])
    return true
  }

  /// Lets the observer change rows before the script, in a transaction of its own.
  private mutating func letObserve(_ script: Script) throws(UpgradeError) {
    guard let observer = boot.observer else { return }
    let version = try transaction.begin().version
    try at(script) { connection throws(SQLiteError) in
      try observer.willRun(script, on: connection)
    }
    if let error = try transaction.commit(version) { throw transaction.translated(error) }
  }
}
