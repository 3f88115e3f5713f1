internal import UpliftSQLite

/// What went wrong in a step, with the place of the call.
extension CodeRun {
  /// SQLite's word, as what it means for the step.
  func explain(
    _ error: SQLiteError, at call: StepCall, _ connection: borrowing Connection
  ) -> UpgradeError {
    if error.code.primary == .notAuthorized, let refusal = connection.scriptGuard.refusal {
      return told(.reason(.refused(UpgradeError.Refused(refusal))), at: call)
    }
    if deadline.isCancelled, error.code.primary == .interrupted {
      return finish(.cancelled, at: call)
    }
    if connection.isInTransaction { return told(.sqlite(error), at: call) }
    // SQLite undoes the transaction by itself when the disk fails, and when it is told to.
    let isMachine = [.full, .inputOutput, .noMemory, .busy, .corrupt, .interrupted]
      .contains(error.code.primary)
    return finish(
      isMachine ? .sqlite(error) : .reason(.transactionEnded(words: error.message)), at: call)
  }

  /// A call that cannot work.
  func error(_ problem: UpgradeError.CallProblem, at call: StepCall) -> UpgradeError {
    told(.reason(.call(problem)), at: call)
  }

  /// An error that the step cannot go on from, whether it catches it or not.
  func finish(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = told(cause, at: call)
    end = end ?? error
    return error
  }

  private func told(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = ScriptFault(script: script, offset: 0, cause: cause, call: call)
      .error(at: path, reached: reached)
    latest = error
    return error
  }

  /// The error that a step has thrown, as the upgrade's: its own comes through with its text.
  func outcome(of thrown: any Error) -> UpgradeError {
    if let end { return end }
    if let error = thrown as? UpgradeError, isOurs(error) { return error }
    return told(
      .reason(.thrown(words: String(describing: thrown))), at: StepCall(script.migration.location))
  }

  /// An upgrade of another database, inside a step, throws the same type.
  private func isOurs(_ error: UpgradeError) -> Bool {
    if error == latest { return true }
    guard case .failed(let failure) = error else { return false }
    return failure.script == script.migration.name && failure.source != nil
      && failure.reached == reached
  }
}
