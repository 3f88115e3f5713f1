internal import UpliftSQLite
internal import UpliftSystem

/// Runs the steps that are pending, and sets the version after each.
///
/// Scripts that finish quickly share a transaction, because each commit waits for the disk. After a
/// failure the database is the same as if each script had been committed separately: it has the
/// changes of the scripts before, and none of the script that failed.
struct Runner: ~Copyable {
  private let context: StepContext
  private let seed: Seed?
  private var transaction: WriteTransaction
  private var pending: PendingSteps
  private var applied: AppliedSteps
  /// True if the database was empty when it was last read.
  private var wasEmpty: Bool
  /// When other programs last had a chance to write.
  private var lastChance = ContinuousClock.now

  /// `steps` are those above the version that the transaction has read; `done` ran before them.
  init(
    _ steps: [Migration], after done: [AppliedStep], _ context: StepContext, seed: Seed?,
    transaction: consuming WriteTransaction, isEmpty: Bool
  ) {
    self.context = context
    wasEmpty = isEmpty
    self.seed = seed
    applied = AppliedSteps(after: done)
    pending = PendingSteps(
      steps, of: context.plan, from: transaction.version, doneCount: done.count)
    self.transaction = transaction
  }

  /// The steps that were committed.
  var done: [AppliedStep] { applied.all }

  /// How the runner ended; what was committed until then is kept.
  enum End {
    case atTarget
    /// A script needs the database to itself, and other processes have it open.
    case inUse
    /// Another process has emptied the database, so that it is a new one.
    case emptied
  }

  /// Runs steps until the database is at the target.
  mutating func run() throws(UpgradeError) -> End {
    // The fault of a script whose failure undid the scripts before it. Those run again and are
    // committed. Then the fault is reported, or this script runs again, too.
    var blocked: ScriptFault?
    while true {
      if transaction.connection.scriptGuard.hasLeftState { try transaction.reopen() }
      if blocked == nil { letOthersWrite() }
      let before = transaction.version
      let state = try transaction.begin()
      let version = state.version
      if let fault = blocked, version >= fault.version {
        // Another process has applied it.
        blocked = nil
        context.deadline.isFinishing = false
      }
      guard try decideAgain(state) else {
        context.deadline.isFinishing = false
        return .emptied
      }
      let steps = pending.after(version, before: blocked?.version)
      guard let first = steps.first else {
        transaction.rollback()
        guard let fault = blocked else { return .atTarget }
        guard fault.runsAgain else {
          throw fault.error(at: context.file.shown, reached: version)
        }
        blocked = nil
        context.deadline.isFinishing = false
        continue
      }
      if blocked == nil, version > before {
        transaction.rollback()
        giveWay()
        continue
      }
      let script = try load(steps, first)
      guard script.readsSeed == (transaction.seed != nil) else {
        // The next transaction begins with the seed attached, or without it.
        transaction.rollback()
        try transaction.reopen(beside: script.readsSeed ? seedToRead() : nil)
        continue
      }
      if script.code != nil {
        try SwiftStepRun(context: context, steps: pending)
          .run(script, at: steps.startIndex, in: &transaction, &applied)
      } else if script.runsAlone {
        // The script has no transaction. To commit an empty database would fix its page size, so
        // that is done only if the `application_id` was set.
        if missingApplicationID(state) == nil {
          transaction.rollback()
        } else if case .refused(let error) = try transaction.commit(version) {
          throw transaction.translated(error)
        }
        let hasEnded = try AutocommitRun(context: context, steps: pending)
          .run(
            script, at: steps.startIndex, isEmpty: state.isEmpty, in: &transaction, &applied)
        guard hasEnded else { return .inUse }
      } else if let fault = try GroupRun(context: context, steps: pending)
        .run(steps, in: &transaction, &applied)
      {
        blocked = fault
        context.deadline.isFinishing = true
      }
      // This version was just committed or read. Another transaction would only wait for writers.
      if transaction.version == context.plan.target { return .atTarget }
    }
  }

  /// Leaves the database alone for a moment, if scripts have had it for two seconds.
  ///
  /// SQLite's locks have no queue. A program that waits for one looks ten times a second, and would
  /// miss the moment between two scripts. As a rule it gives up after five seconds.
  private mutating func letOthersWrite() {
    guard ContinuousClock.now - lastChance > .seconds(2) else { return }
    System.sleep(milliseconds: 120)
    lastChance = .now
  }

  /// Leaves the database to another boot, which has run scripts while this one waited and goes on, as
  /// a rule.
  ///
  /// Otherwise this one would take the other's place each time when that lets others write, and a
  /// service would never have the lock. The pause, of a quarter of a second, is longer than the
  /// other's.
  private mutating func giveWay() {
    var pauses = 0
    while pauses < 5, context.deadline.pause(attempt: pauses + 8) { pauses += 1 }
    lastChance = .now
  }

  /// Decides again under the write lock: another process may have changed anything before this one
  /// took the lock.
  ///
  /// Gives an empty database its `application_id`. False if the database was emptied, or must be
  /// filled first.
  private mutating func decideAgain(_ state: DatabaseState) throws(UpgradeError) -> Bool {
    let isEmptied = state.isEmpty && !wasEmpty
    wasEmpty = state.isEmpty
    do {
      switch try context.plan.decide(state, path: context.file.shown) {
      case .current: return true
      case .run where isEmptied:
        transaction.rollback()
        return false
      case .run:
        try setApplicationID(ifEmpty: state)
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

  /// Leaves the log as it is when the database is closed.
  func keepLog() { transaction.connection.keepLog() }

  /// Gives an empty database the seed's `application_id`, in the transaction of the first script.
  ///
  /// Without it the next boot would refuse the database as another application's.
  private func setApplicationID(ifEmpty state: DatabaseState) throws(UpgradeError) {
    guard let id = missingApplicationID(state) else { return }
    do {
      try transaction.connection.run("PRAGMA application_id = \(id)")
    } catch {
      throw transaction.translated(error)
    }
  }

  /// The seed's `application_id`, if the database is empty and has none; otherwise nil.
  private func missingApplicationID(_ state: DatabaseState) -> Int32? {
    guard let id = context.plan.seed?.applicationID, id != 0, state.isEmpty,
      state.applicationID == 0
    else { return nil }
    return id
  }

  /// Checks the text of all pending scripts, before the first of them runs.
  private func load(
    _ pending: ArraySlice<Migration>, _ first: Migration
  ) throws(UpgradeError) -> Script {
    do {
      if let script = context.scripts[first.version] { return script }
      try context.scripts.load(pending, seed: context.plan.seed?.version)
      return try context.scripts.script(first)
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func seedToRead() throws(UpgradeError) -> UnchangedSeed? {
    guard let seed, let header = context.plan.seed else { return nil }
    return try UnchangedSeed(seed, header: header)
  }
}
