internal import UpliftSQLite

/// A step that has run.
struct AppliedStep {
  let step: Upgrade.Step
  let skipped: [Upgrade.Skipped]
}

/// The steps that were committed.
struct AppliedSteps {
  private(set) var all: [AppliedStep]
  /// True after a group of scripts could not be committed.
  ///
  /// From then on each script has its own transaction.
  private(set) var commitsEach = false

  /// `before` are the steps that this upgrade has already committed.
  init(after before: [AppliedStep]) {
    all = before
  }

  /// Commits steps and then reports them; false if they must run again one by one.
  ///
  /// This happens if a group cannot be committed. The scripts before the one at fault are then
  /// kept, and the error names that script.
  mutating func commit(
    _ group: [AppliedStep], in transaction: inout WriteTransaction, _ context: StepContext
  ) throws(UpgradeError) -> Bool {
    guard let last = group.last?.step.version else {
      transaction.rollback()
      return true
    }
    if case .refused(let error) = try transaction.commit(last) {
      guard group.count == 1, let script = context.scripts[last] else {
        commitsEach = true
        return false
      }
      throw ScriptFault(script: script, offset: nil, cause: .sqlite(error))
        .error(at: context.file.shown, reached: transaction.version)
    }
    context.keeper?.noteCommit()
    for one in group { context.scripts.discard(one.step.version) }
    all += group
    context.progress.committed(last)
    return true
  }

  /// Commits a step that has a transaction to itself.
  mutating func commit(
    _ script: Script, skipped: [Upgrade.Skipped], in transaction: inout WriteTransaction,
    _ context: StepContext
  ) throws(UpgradeError) {
    context.progress.finished(script.migration.version)
    let step = AppliedStep(step: context.progress.step(script.migration), skipped: skipped)
    _ = try commit([step], in: &transaction, context)
  }
}
