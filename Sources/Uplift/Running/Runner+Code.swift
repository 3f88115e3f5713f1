internal import UpliftSQLite
internal import UpliftSystem

/// Steps in Swift.
extension Runner {
  /// Runs a step in the open transaction, checks it, sets its version and commits; or returns with
  /// a fresh connection, to be called again.
  ///
  /// It cannot be undone and run again as a script can: its code may have done other things.
  mutating func runCode(
    _ script: Script, _ code: @Sendable (borrowing Database) throws -> Void, at index: Int
  ) throws(UpgradeError) {
    // Counters of changes, and what a lent handle may have set, are its own.
    guard connection.scriptGuard.isFresh else {
      try rollback()
      return try reopen()
    }
    announce(script, at: index)
    let foreignKeys = try foreignKeys()
    try undoing { () throws(ScriptFault) in try begin(script, foreignKeys, canBeUndone: false) }
    let run = CodeRun(
      script, path: file.shown, reached: reached, deadline: deadline, foreignKeys: foreignKeys)
    if let error = call(code, run) {
      try rollback()
      throw error
    }
    try undoing { () throws(ScriptFault) in
      try check(script, foreignKeys)
      try bump(to: script.migration.version, for: script)
    }
    progress.finished(script.migration.version)
    let step = progress.step(script.migration)
    try commit([Done(step: step, skipped: [])])
    try reopen()
  }

  private func undoing<Result>(
    _ work: () throws(ScriptFault) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      try rollback()
      throw error.error(at: file.shown, reached: reached)
    }
  }

  /// Calls the step's code under the guard; what it threw, or was told that it could not go on.
  private func call(
    _ code: @Sendable (borrowing Database) throws -> Void, _ run: CodeRun
  ) -> UpgradeError? {
    connection.scriptGuard.begin(.code)
    connection.refuseCommits(true)
    defer {
      connection.refuseCommits(false)
      connection.scriptGuard.end()
    }
    let files = Nesting.files + (((try? file.facts())?.identity).map { [$0] } ?? [])
    do {
      try Nesting.$files.withValue(files) {
        try withUnsafePointer(to: connection) { pointer in try code(Database(pointer, run)) }
      }
    } catch {
      connection.resetStatements()
      return run.outcome(of: error)
    }
    if let end = run.end { return end }
    let call = StepCall(run.script.migration.location)
    if deadline.isCancelled { return run.finish(.cancelled, at: call) }
    guard connection.resetStatements() == 0 else { return run.error(.statementLeft, at: call) }
    return nil
  }
}

/// The databases whose steps are running, around this task: one of them cannot be upgraded inside
/// its own step, for it would wait for itself.
enum Nesting {
  @TaskLocal static var files: [FileFacts.Identity] = []
}
