internal import UpliftSQLite
internal import UpliftSystem

/// Runs a step in Swift in the open transaction, checks it, sets its version and commits.
///
/// A step cannot be undone and run again as a script can: its code may have had effects outside the
/// database.
struct SwiftStepRun {
  let context: StepContext
  let steps: PendingSteps

  /// If the connection is not fresh, only replaces it; the caller then calls this again.
  func run(
    _ script: Script, at index: Int, in transaction: inout WriteTransaction,
    _ applied: inout AppliedSteps
  ) throws(UpgradeError) {
    // Change counters stay with the connection, and so do settings that an earlier step made with
    // `withHandle`.
    guard transaction.connection.scriptGuard.isFresh else {
      transaction.rollback()
      return try transaction.reopen()
    }
    try context.backUp(in: transaction)
    let identity: FileFacts.Identity?
    do {
      identity = try context.file.facts()?.identity
    } catch {
      transaction.rollback()
      throw error
    }
    steps.announce(script, at: index, to: context.progress)
    let observed = context.stepRun(script, nil)
    try context.run(in: transaction) { connection throws(ScriptFault) in
      try observed.letObserve(connection)
    }
    let step = context.stepRun(script, try context.newCheck(in: transaction))
    try context.run(in: transaction) { connection throws(ScriptFault) in
      try step.begin(canBeUndone: false, on: connection)
    }
    let run = CodeRun(
      script, path: context.file.shown, reached: transaction.version, deadline: context.deadline,
      foreignKeys: step.check)
    if let error = run.run(on: transaction.connection, of: identity) {
      transaction.rollback()
      throw error
    }
    try context.run(in: transaction) { connection throws(ScriptFault) in
      try step.judge(on: connection)
      try step.end(on: connection)
    }
    try applied.commit(script, skipped: [], in: &transaction, context)
    try transaction.reopen()
  }
}
