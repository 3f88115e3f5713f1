internal import UpliftSQLite

/// Runs the statements of one script, in their order, as they are written.
///
/// The text is never split: SQLite reads one statement and says where the next begins. Rows
/// are stepped through and dropped.
struct ScriptRun {
  let script: Script
  let rules: ScriptGuard.Rules
  let deadline: Deadline
  let progress: ProgressReport
  /// Nil if no foreign keys are to be checked.
  let foreignKeys: OrphanCheck?
  let skipsDuplicates: Bool

  /// Runs to the end, and returns the statements that were skipped.
  func run(on connection: borrowing Connection) throws(ScriptFault) -> [Upgrade.Skipped] {
    let scriptGuard = connection.scriptGuard
    scriptGuard.begin(rules, number: script.migration.version.number)
    defer { scriptGuard.end() }
    let bytes = script.bytes
    let isTransaction = rules != .autocommit
    var skipped: [Upgrade.Skipped] = []
    try bytes.withText { start throws(ScriptFault) in
      var position = start + bytes.textStart
      var count = 0
      while position.pointee != 0 {
        let offset = position - start
        progress.bytesRun = offset
        if count & 63 == 0 {
          progress.pulse()
          if deadline.mustStopNow { throw fault(.cancelled, offset) }
        }
        count += 1
        scriptGuard.beginStatement(at: offset)
        var isPrepared = false
        var unbound: String?
        do throws(SQLiteError) {
          guard let statement = try connection.prepareNext(at: &position) else { continue }
          isPrepared = true
          unbound = statement.firstParameter
          if unbound == nil {
            if !isTransaction { try checkPlace(of: scriptGuard, connection) }
            try foreignKeys?.willStep(connection)
            try step(statement, connection)
            try foreignKeys?.didStep(connection)
          }
        } catch {
          if !isPrepared, try learnJournalMode(connection, offset) { continue }
          guard !isPrepared, let duplicate = duplicate(error, offset) else {
            throw explain(error, connection, offset)
          }
          foreignKeys?.prepareFailed(connection)
          skipped.append(duplicate.skipped)
          progress.skipped(duplicate.skipped)
          position = start + duplicate.end
          continue
        }
        if let unbound { throw fault(.reason(.refused(.parameter(unbound))), offset) }
        // A statement may have ended the transaction without an error.
        if isTransaction, !connection.isInTransaction {
          throw fault(.reason(.transactionEnded(words: nil)), offset)
        }
      }
    }
    progress.bytesRun = bytes.count
    progress.pulse()
    try checkEnd(connection)
    return skipped
  }

  /// Refuses a script whose statements all ran, and which is not whole all the same.
  private func checkEnd(_ connection: borrowing Connection) throws(ScriptFault) {
    let scriptGuard = connection.scriptGuard
    if let need = scriptGuard.need { throw fault(.needs(need), 0) }
    if let unpaired = scriptGuard.unpaired {
      let reason: UpgradeError.Reason =
        unpaired.name == "BEGIN" ? .uncommitted : .refused(.transaction(unpaired.name))
      throw fault(.reason(reason), unpaired.offset)
    }
    if rules == .autocommit, connection.isInTransaction {
      throw fault(.reason(.uncommitted), 0)
    }
  }

  /// Checks what a transaction of Uplift's would make sure of: the file was not replaced, and a
  /// statement that undoes others leaves no broken log.
  private func checkPlace(
    of scriptGuard: ScriptGuard, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    if connection.hasMoved { throw .moved }
    if !connection.isInTransaction { connection.forgetEarlyPages() }
    if scriptGuard.returnsToSavepoint, connection.canUndoOnlyAll { throw .savepointInLog }
  }

  /// Runs a statement once.
  ///
  /// To leave WAL mode, SQLite wants the database to itself, and does not wait for that. After a
  /// refusal, the statement must not be tried again on this connection: the connection may believe
  /// that it has left WAL mode, and would overwrite what others commit. So the boot closes the
  /// database and begins again.
  private func step(
    _ statement: borrowing Statement, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let scriptGuard = connection.scriptGuard
    // In a transaction of Uplift's, everything is undone.
    let before = rules == .autocommit ? connection.writes : nil
    scriptGuard.isStepping = true
    defer {
      scriptGuard.isStepping = false
      if let before, !connection.writes.isNothing(since: before) {
        scriptGuard.mayHaveWritten = true
      }
    }
    try statement.run()
  }

  /// Tells the guard the journal mode of the database, if the guard refused a change because it did
  /// not know the present mode.
  ///
  /// True if the statement can be prepared again.
  private func learnJournalMode(
    _ connection: borrowing Connection, _ offset: Int
  ) throws(ScriptFault) -> Bool {
    do {
      return try connection.learnJournalMode()
    } catch {
      throw explain(error, connection, offset)
    }
  }

  /// The statement to skip and its end.
  ///
  /// Uplift finds the end itself, because SQLite stops at the name that already exists.
  private func duplicate(
    _ error: SQLiteError, _ start: Int
  ) -> (skipped: Upgrade.Skipped, end: Int)? {
    guard skipsDuplicates, error.code == .error else { return nil }
    let statement = script.bytes.statement(from: start)
    guard statement.isWhole, ExistingObject.isNamed(by: error.message, in: statement.words) else {
      return nil
    }
    let skipped = Upgrade.Skipped(
      version: script.migration.version, name: script.migration.name,
      line: script.bytes.location(of: statement.start).line,
      text: script.bytes.excerpt(at: statement.start).text, words: error.message)
    return (skipped, statement.end)
  }

  private func explain(
    _ error: SQLiteError, _ connection: borrowing Connection, _ start: Int
  ) -> ScriptFault {
    let scriptGuard = connection.scriptGuard
    if let refusal = scriptGuard.refusal {
      return fault(.reason(.refused(refusal)), start)
    }
    if let need = scriptGuard.need { return fault(.needs(need), start) }
    if deadline.mustStopNow, [.interrupted, .busy].contains(error.code.primary) {
      return fault(.cancelled, start)
    }
    if error.code.primary == .busy, scriptGuard.changesJournalMode, deadline.timeLeft > .zero {
      return fault(.databaseInUse, start)
    }
    guard let offset = error.offset else { return fault(.sqlite(error), start) }
    return ScriptFault(script: script, offset: start + offset, cause: .sqlite(error))
  }

  private func fault(_ cause: ScriptFault.Cause, _ start: Int) -> ScriptFault {
    ScriptFault(script: script, offset: script.bytes.firstToken(from: start), cause: cause)
  }
}
