internal import UpliftSQLite

/// The errors of a step, with the location of the call.
extension CodeRun {
  /// What an error of SQLite means for the step.
  func explain(
    _ error: SQLiteError, at call: StepCall, _ connection: borrowing Connection
  ) -> UpgradeError {
    if error.code.primary == .notAuthorized, let refusal = connection.scriptGuard.refusal {
      return remembered(.reason(.refused(refusal)), at: call)
    }
    if deadline.mustStopNow, error.code.primary == .interrupted {
      return ending(.cancelled, at: call)
    }
    if connection.isInTransaction {
      return connection.canUndoOnlyAll
        ? ending(.sqlite(error), at: call) : remembered(.sqlite(error), at: call)
    }
    // SQLite rolls the transaction back by itself after errors of the machine (a full disk, for
    // example), and after the error of a statement with `OR ROLLBACK` or `RAISE(ROLLBACK)`.
    return ending(
      error.code.primary.isOfMachine
        ? .sqlite(error) : .reason(.transactionEnded(words: error.message)), at: call)
  }

  /// The error of a call that cannot work.
  func error(_ problem: UpgradeError.CallProblem, at call: StepCall) -> UpgradeError {
    remembered(.reason(.call(problem)), at: call)
  }

  /// An error that ends the step, even if the step catches it.
  func ending(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = remembered(cause, at: call)
    endingError = endingError ?? error
    return error
  }

  /// Makes an error with its location, and remembers it.
  private func remembered(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = ScriptFault(script: script, offset: 0, cause: cause, call: call)
      .error(at: path, reached: reached)
    latest = error
    return error
  }

  /// The error of the upgrade for an error that the step has thrown.
  ///
  /// An error of Uplift's own calls is returned unchanged. Any other error is wrapped, with its
  /// text, unless the upgrade was cancelled: the step may have thrown because of that.
  func outcome(of thrown: any Error) -> UpgradeError {
    if let endingError { return endingError }
    if let error = thrown as? UpgradeError, isOurs(error) { return error }
    if deadline.mustStopNow { return ending(.cancelled, at: StepCall(script.migration.location)) }
    return remembered(
      .reason(.thrown(words: String(describing: thrown))), at: StepCall(script.migration.location))
  }

  /// True if the error comes from a call of this step.
  ///
  /// A step may upgrade another database, and this throws errors of the same type.
  private func isOurs(_ error: UpgradeError) -> Bool {
    if error == latest { return true }
    guard case .failed(let failure) = error else { return false }
    return failure.script == script.migration.name && failure.source != nil
      && failure.reached == reached
  }
}
