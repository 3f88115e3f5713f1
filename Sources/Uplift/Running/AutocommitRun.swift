internal import UpliftSQLite

/// Runs a `no-transaction` script in autocommit, and sets its version right after.
///
/// Its changes stay if it fails, or if the process stops before the version is set: such a script
/// must be safe to run twice. Uplift cannot undo it and run it again, so it gets a connection that
/// no other script has used, and orphans are counted before a statement touches their tables.
struct AutocommitRun {
  let context: StepContext
  let steps: PendingSteps

  /// Runs the script; false if the boot must close the database, wait, and run it from its start.
  ///
  /// The reason is that another boot is running such a script, or that the script needs the
  /// database to itself and other processes have it open. `isEmpty` is true if the database was empty
  /// when the script was chosen.
  func run(
    _ script: Script, at index: Int, isEmpty: Bool, in transaction: inout WriteTransaction,
    _ applied: inout AppliedSteps
  ) throws(UpgradeError) -> Bool {
    let version = transaction.version
    let lock = try ScriptLock(of: context.file)
    // The other boot may need the database to itself, so this one does not keep it open.
    guard lock.isOurs else { return false }
    // Another boot may have run the script before this one had the lock. Then no backup is made,
    // because it would have the script's changes. The database may also have been emptied.
    let found = try transaction.begin()
    let isPending = found.version == version && found.isEmpty == isEmpty
    if isPending { try context.backUp(in: transaction) }
    transaction.rollback()
    guard isPending else { return true }
    let step = try begin(script, at: index, isEmpty: isEmpty, in: &transaction)
    // The script writes by itself.
    transaction.connection.mayMoveLog()
    let skipped: [Upgrade.Skipped]
    do {
      skipped = try Self.runStatements(of: step, on: transaction.connection)
    } catch {
      transaction.rollback()
      guard case .databaseInUse = error.cause else {
        throw error.error(at: context.file.shown, reached: version)
      }
      try transaction.checkPlace()
      return false
    }
    try finish(step, of: script, at: version, skipped, in: &transaction, &applied)
    return true
  }

  /// Prepares the run of a script; none of its statements has run yet.
  private func begin(
    _ script: Script, at index: Int, isEmpty: Bool, in transaction: inout WriteTransaction
  ) throws(UpgradeError) -> StepRun {
    // The transaction has fixed the `page_size` and `auto_vacuum` of an empty database, for this
    // connection.
    if isEmpty || !transaction.connection.scriptGuard.isFresh { try transaction.reopen() }
    if context.observer != nil { try observe(before: script, in: &transaction) }
    steps.announce(script, at: index, to: context.progress)
    return context.stepRun(script, try context.newCheck(in: transaction))
  }

  /// Sets the version of the script, which has run to its end on a database at `version`.
  private func finish(
    _ step: StepRun, of script: Script, at version: Version, _ skipped: [Upgrade.Skipped],
    in transaction: inout WriteTransaction, _ applied: inout AppliedSteps
  ) throws(UpgradeError) {
    let state = try transaction.begin()
    guard state.version == version else {
      transaction.rollback()
      // A lower version: another program has replaced the content while the script ran. The new
      // content must not get the version of the script.
      guard state.version > version else {
        throw .moved(path: context.file.shown, reached: state.version)
      }
      // On a file system without locks, another process may have run it at the same moment.
      return
    }
    do {
      try context.plan.checkOwner(of: state, path: context.file.shown)
    } catch {
      transaction.rollback()
      throw error
    }
    try context.run(in: transaction) { connection throws(ScriptFault) in
      try step.end(on: connection)
    }
    try applied.commit(script, skipped: skipped, in: &transaction, context)
  }

  /// Lets the observer change rows before the script, in a transaction of its own.
  private func observe(
    before script: Script, in transaction: inout WriteTransaction
  ) throws(UpgradeError) {
    let version = try transaction.begin().version
    let step = context.stepRun(script, nil)
    try context.run(in: transaction) { connection throws(ScriptFault) in
      try step.letObserve(connection)
    }
    if case .refused(let error) = try transaction.commit(version) {
      throw transaction.translated(error)
    }
  }

  private static func runStatements(
    of step: StepRun, on connection: borrowing Connection
  ) throws(ScriptFault) -> [Upgrade.Skipped] {
    try step.begin(canBeUndone: false, on: connection)
    do {
      let skipped = try step.runStatements(.autocommit, on: connection)
      try step.judge(on: connection)
      return skipped
    } catch {
      // Otherwise the next run would take the orphans of this run for old ones.
      if case .databaseInUse = error.cause { try step.judge(on: connection) }
      throw error
    }
  }
}
