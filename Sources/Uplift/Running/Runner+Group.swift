internal import UpliftSQLite

/// Scripts that share a transaction.
extension Runner {
  /// Runs scripts in the open transaction until it has lasted long enough, and commits.
  ///
  /// Returns the fault of a script that undid others; throws once all that succeeded is kept.
  mutating func runGroup(_ pending: ArraySlice<Migration>) throws(UpgradeError) -> ScriptFault? {
    let start = ContinuousClock.now
    let foreignKeys = try foreignKeys()
    var group: [Done] = []
    for index in pending.indices {
      let step = pending[index]
      guard let script = scripts[step.version], script.sharesTransaction else { break }
      let skipped: [Upgrade.Skipped]
      do {
        skipped = try runOne(script, at: index, isFirst: group.isEmpty, foreignKeys)
      } catch {
        guard try undo(isFirst: group.isEmpty) else {
          if group.isEmpty { throw error.error(at: file.shown, reached: reached) }
          return error
        }
        if !group.isEmpty {
          guard try commit(group) else { return nil }
        }
        switch error.cause {
        case .uncountedOrphans(let keys): count(keys)
        // The first in a transaction has it to itself, until it is through.
        case .needs(.ownTransaction): break
        case .needs(.freshConnection): try reopen()
        default: throw error.error(at: file.shown, reached: reached)
        }
        return nil
      }
      let made = progress.step(step)
      group.append(Done(step: made, skipped: skipped))
      progress.finished(step.version)
      let isLongEnough =
        commitsEach || ContinuousClock.now - start >= options.commitInterval
      let scriptGuard = connection.scriptGuard
      if isLongEnough || scriptGuard.leavesState || scriptGuard.endsTransaction { break }
    }
    try commit(group)
    return nil
  }

  /// One script, its check and its number: all or nothing.
  private func runOne(
    _ script: Script, at index: Int, isFirst: Bool, _ foreignKeys: OrphanCheck?
  ) throws(ScriptFault) -> [Upgrade.Skipped] {
    announce(script, at: index)
    // The first script's transaction is all its own: to undo it, a ROLLBACK will do.
    if !isFirst { try run("SAVEPOINT uplift", for: script) }
    connection.forgetLastInsert()
    try begin(script, foreignKeys, canBeUndone: true)
    let rules: ScriptGuard.Rules = isFirst ? .transaction : .savepoint
    let skipped = try statements(of: script, rules, foreignKeys).run(on: connection)
    try check(script, foreignKeys)
    try bump(to: script.migration.version, for: script)
    if !isFirst { try run("RELEASE uplift", for: script) }
    return skipped
  }

  func statements(
    of script: Script, _ rules: ScriptGuard.Rules, _ foreignKeys: OrphanCheck?
  ) -> ScriptRun {
    ScriptRun(
      script: script, rules: rules, deadline: deadline, progress: progress,
      foreignKeys: foreignKeys,
      skipsDuplicates: options.skipsDuplicates)
  }

  /// The bump, which is read back: SQLite stores 0 for what does not fit.
  func bump(to version: Version, for script: Script) throws(ScriptFault) {
    try run("PRAGMA user_version = \(version.number)", for: script)
    try at(script) { () throws(SQLiteError) in
      guard try connection.integer("PRAGMA user_version") == Int64(version.number) else {
        throw SQLiteError(code: .error, message: "user_version did not take \(version.number)")
      }
    }
  }

  private func run(_ sql: String, for script: Script) throws(ScriptFault) {
    try at(script) { () throws(SQLiteError) in try connection.run(sql) }
  }

  /// A failure of the upgrade's own statements counts as the script's.
  func at<Result>(
    _ script: Script, _ work: () throws(SQLiteError) -> Result
  ) throws(ScriptFault) -> Result {
    do {
      return try work()
    } catch {
      let isCancelled = deadline.isCancelled && error.code.primary == .interrupted
      throw ScriptFault(script: script, offset: 0, cause: isCancelled ? .cancelled : .sqlite(error))
    }
  }

  /// Takes back what the latest script did; false when the whole transaction is gone.
  private func undo(isFirst: Bool) throws(UpgradeError) -> Bool {
    guard connection.isInTransaction else { return false }
    do {
      if isFirst {
        try connection.run("ROLLBACK")
      } else {
        try connection.run("ROLLBACK TO uplift")
        try connection.run("RELEASE uplift")
      }
      return true
    } catch {
      try rollback()
      return false
    }
  }
}
