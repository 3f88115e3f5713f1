internal import UpliftSQLite

/// Runs scripts that share a transaction.
struct GroupRun {
  let context: StepContext
  let steps: PendingSteps

  /// Runs scripts in the open transaction until it has lasted long enough, and commits.
  ///
  /// If a script fails, commits the scripts before it. Then it throws, unless the script only needs
  /// to run again in another transaction or on another connection. If the failure has undone the
  /// scripts before it, too, returns the fault of the script that failed.
  func run(
    _ pending: ArraySlice<Migration>, in transaction: inout WriteTransaction,
    _ applied: inout AppliedSteps
  ) throws(UpgradeError) -> ScriptFault? {
    try context.backUp(in: transaction)
    let start = ContinuousClock.now
    let check = try context.newCheck(in: transaction)
    let isAlone = try context.mayShowCommits(in: transaction)
    var group: [AppliedStep] = []
    for index in pending.indices {
      let step = pending[index]
      guard let script = context.scripts[step.version],
        script.sharesTransaction || script.readsSeed && group.isEmpty
      else { break }
      do {
        steps.announce(script, at: index, to: context.progress)
        let skipped = try context.stepRun(script, check)
          .runWhole(isFirst: group.isEmpty, on: transaction.connection)
        group.append(AppliedStep(step: context.progress.step(step), skipped: skipped))
      } catch {
        return try end(group, after: error, in: &transaction, &applied)
      }
      context.progress.finished(step.version)
      let isLongEnough =
        applied.commitsEach || ContinuousClock.now - start >= context.options.commitInterval
      transaction.connection.noteOtherStatistics()
      let scriptGuard = transaction.connection.scriptGuard
      if isLongEnough || isAlone || script.readsSeed { break }
      if scriptGuard.hasLeftState || scriptGuard.isLastInTransaction { break }
    }
    _ = try applied.commit(group, in: &transaction, context)
    return nil
  }

  /// Undoes the script that failed, and commits those before it.
  ///
  /// Then throws the error, or lets the script run again.
  private func end(
    _ group: [AppliedStep], after fault: ScriptFault, in transaction: inout WriteTransaction,
    _ applied: inout AppliedSteps
  ) throws(UpgradeError) -> ScriptFault? {
    do {
      // If the seed has changed, SQLite may have found it damaged, and the script is not at fault.
      try transaction.seed?.check()
    } catch {
      transaction.rollback()
      throw error
    }
    if case .sqlite(let error) = fault.cause { transaction.noteUndone(after: error) }
    guard transaction.undoOnlyScript(isFirst: group.isEmpty) else {
      if group.isEmpty {
        throw fault.error(at: context.file.shown, reached: transaction.version)
      }
      return fault
    }
    if !group.isEmpty {
      guard try applied.commit(group, in: &transaction, context) else { return nil }
    }
    switch fault.cause {
    // The script runs again as the first of a new transaction.
    case .uncountedOrphans, .needs(.ownTransaction): return nil
    case .needs(.freshConnection):
      try transaction.reopen()
      return nil
    default: throw fault.error(at: context.file.shown, reached: transaction.version)
    }
  }
}
