internal import UpliftSQLite

/// Runs the statements of one script, in their order, as they are written.
///
/// The text is never split: SQLite reads one statement and says where the next begins. Rows
/// are stepped through and dropped.
struct ScriptRun {
  let script: Script
  let deadline: Deadline
  let progress: ProgressReport
  let skipsDuplicates: Bool

  /// Runs to the end, and returns the statements that were skipped.
  func run(on connection: borrowing Connection) throws(ScriptFault) -> [Upgrade.Skipped] {
    let scriptGuard = connection.scriptGuard
    try begin(on: connection)
    defer { scriptGuard.end() }
    let bytes = script.bytes
    var skipped: [Upgrade.Skipped] = []
    try bytes.withText { start throws(ScriptFault) in
      var position = start + bytes.textStart
      var count = 0
      while position.pointee != 0 {
        let offset = position - start
        progress.bytesRun = offset
        if count & 63 == 0 {
          if count > 0 { progress.pulse() }
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
          if unbound == nil { try step(statement, scriptGuard) }
        } catch {
          guard !isPrepared, let duplicate = duplicate(error, offset) else {
            throw explain(error, scriptGuard, offset)
          }
          skipped.append(duplicate.skipped)
          progress.skipped(duplicate.skipped)
          position = start + duplicate.end
          continue
        }
        if let unbound { throw fault(.reason(.refused(.parameter(unbound))), offset) }
        // A statement may have ended the transaction without an error.
        if !script.runsAlone, !connection.isInTransaction {
          throw fault(.reason(.transactionEnded(words: nil)), offset)
        }
      }
    }
    progress.bytesRun = bytes.count
    progress.pulse()
    if let unpaired = scriptGuard.unpaired {
      let reason: UpgradeError.Reason =
        unpaired.name == "BEGIN" ? .uncommitted : .refused(.transaction(unpaired.name))
      throw fault(.reason(reason), unpaired.offset)
    }
    return skipped
  }

  private func begin(on connection: borrowing Connection) throws(ScriptFault) {
    if script.runsAlone { return connection.scriptGuard.begin(.alone) }
    // Most scripts do not mention the journal mode, and asking for it takes a statement.
    let mode =
      try !script.mayMention("journal_mode")
      ? nil
      : ScriptFault.at(script, deadline) { () throws(SQLiteError) in
        try connection.text("PRAGMA journal_mode")
      }
    connection.scriptGuard.begin(
      .script(number: script.migration.version.number, journalMode: mode ?? ""))
  }

  /// Runs a statement once.
  ///
  /// If SQLite cannot change the journal mode, it answers with another one than was asked for.
  private func step(
    _ statement: borrowing Statement, _ scriptGuard: ScriptGuard
  ) throws(SQLiteError) {
    scriptGuard.isStepping = true
    defer { scriptGuard.isStepping = false }
    if script.runsAlone, let wanted = scriptGuard.wantedJournalMode {
      let mode = try statement.step() ? statement.text(0) : nil
      guard mode == wanted else {
        throw SQLiteError(code: .error, message: "the journal mode stays \(mode ?? "as it is")")
      }
    }
    try statement.run()
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
    _ error: SQLiteError, _ scriptGuard: ScriptGuard, _ start: Int
  ) -> ScriptFault {
    if let refusal = scriptGuard.refusal { return fault(.reason(.refused(refusal)), start) }
    if deadline.mustStopNow, [.interrupted, .busy].contains(error.code.primary) {
      return fault(.cancelled, start)
    }
    if let offset = error.offset {
      return ScriptFault(script: script, offset: start + offset, cause: .sqlite(error))
    }
    return fault(.sqlite(error), start)
  }

  private func fault(_ cause: ScriptFault.Cause, _ start: Int) -> ScriptFault {
    ScriptFault(script: script, offset: script.bytes.firstToken(from: start), cause: cause)
  }
}
