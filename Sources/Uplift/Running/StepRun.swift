internal import UpliftSQLite

/// One step: its statements, the check of its foreign keys, and its version.
///
/// It neither begins nor ends a transaction.
struct StepRun {
  let script: Script
  /// Nil if no foreign keys are to be checked.
  let check: OrphanCheck?
  let foreignKeys: ForeignKeyChecks
  let skipsDuplicates: Bool
  let observer: (any StepObserver)?
  let deadline: Deadline
  let progress: ProgressReport

  /// Runs a script in the open transaction, checks it and sets its version.
  ///
  /// If this throws, the caller undoes the script. The first script needs no savepoint: a ROLLBACK
  /// undoes it.
  func runWhole(
    isFirst: Bool, on connection: borrowing Connection
  ) throws(ScriptFault) -> [Upgrade.Skipped] {
    if !isFirst {
      try run("SAVEPOINT uplift", on: connection)
      connection.forgetEarlyPages()
    }
    try letObserve(connection)
    connection.forgetLastInsert()
    try begin(canBeUndone: true, on: connection)
    let skipped = try runStatements(isFirst ? .transaction : .savepoint, on: connection)
    try judge(on: connection)
    try end(on: connection)
    if !isFirst { try run("RELEASE uplift", on: connection) }
    return skipped
  }

  private func run(_ sql: String, on connection: borrowing Connection) throws(ScriptFault) {
    try ScriptFault.at(script, deadline) { () throws(SQLiteError) in try connection.run(sql) }
  }

  /// Lets the observer look at the database before the step.
  func letObserve(_ connection: borrowing Connection) throws(ScriptFault) {
    guard let observer else { return }
    try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
      try observer.willRun(script, on: connection)
    }
  }

  /// Begins the check.
  ///
  /// If the script cannot be undone, the old orphans of each foreign key are counted right before a
  /// statement first touches its tables.
  func begin(canBeUndone: Bool, on connection: borrowing Connection) throws(ScriptFault) {
    try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
      // The check keeps the closure, and the closure must not keep the check.
      try foreignKeys.begin(
        check, mayReplace: { [script] in script.mayMention("replace") }, canBeUndone: canBeUndone,
        connection)
    }
  }

  /// Runs the statements, and returns those that were skipped.
  func runStatements(
    _ rules: ScriptGuard.Rules, on connection: borrowing Connection
  ) throws(ScriptFault) -> [Upgrade.Skipped] {
    try ScriptRun(
      script: script, rules: rules, deadline: deadline, progress: progress, foreignKeys: check,
      skipsDuplicates: skipsDuplicates
    ).run(on: connection)
  }

  /// Fails on orphans that were not there before the step.
  ///
  /// It also fails on a change that `OrphanCheck.writeUnlessRefused` refuses.
  func judge(on connection: borrowing Connection) throws(ScriptFault) {
    guard let check else { return }
    if connection.isInTransaction {
      let refusal = try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
        try check.writeUnlessRefused(connection)
      }
      if let refusal {
        throw ScriptFault(script: script, offset: nil, cause: .reason(.refused(refusal)))
      }
    }
    let findings = try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
      try check.findings(connection)
    }
    switch findings {
    case .none: return
    case .uncounted(let keys):
      foreignKeys.countFromNowOn(keys)
      throw ScriptFault(script: script, offset: 0, cause: .uncountedOrphans)
    case .violations(let violations):
      // If several statements may have made the orphans, the script failed as a whole.
      var offset: Int?
      if case .one(let start) = violations.origin { offset = script.bytes.firstToken(from: start) }
      throw ScriptFault(
        script: script, offset: offset,
        cause: .reason(
          .foreignKeys(
            UpgradeError.ForeignKeyViolations(
              rows: violations.rows, count: violations.count,
              followRemoval: violations.followRemoval, followDrop: violations.followDrop))))
    }
  }

  /// Sets the version, and lets the observer look at the database.
  func end(on connection: borrowing Connection) throws(ScriptFault) {
    try setVersion(on: connection)
    guard let observer else { return }
    try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
      try observer.didRun(script, on: connection)
    }
  }

  /// Sets the version and reads it back: SQLite stores 0 for a number that does not fit.
  private func setVersion(on connection: borrowing Connection) throws(ScriptFault) {
    let number = script.migration.version.number
    try ScriptFault.at(script, deadline) { () throws(SQLiteError) in
      try connection.run("PRAGMA user_version = \(number)")
      guard try connection.integer("PRAGMA user_version") == Int64(number) else {
        throw SQLiteError(code: .error, message: "user_version did not take \(number)")
      }
    }
  }
}
