internal import UpliftSQLite

/// Runs the statements of one script, in their order, as they are written.
///
/// The text is never split: SQLite reads one statement and says where the next begins.
struct ScriptRun {
  let boot: Boot
  let errors: StepErrors
  /// Those of a script that repeats.
  var passes: Passes?

  private var script: Script { errors.script }

  func run(on connection: borrowing Connection) throws(UpgradeError) {
    let scriptGuard = connection.scriptGuard
    let progress = boot.progress
    try begin(on: connection)
    defer { scriptGuard.end() }
    let bytes = script.bytes
    try bytes.withText { start throws(UpgradeError) in
      var position = start + bytes.textStart
      var count = 0
      while position.pointee != 0 {
        let offset = position - start
        progress.bytesRun = offset
        if count & 63 == 0 {
          if count > 0 { progress.pulse() }
          if errors.deadline.mustStopNow { throw errors.cancelled }
        }
        count += 1
        scriptGuard.beginStatement(at: offset)
        var isPrepared = false
        var unbound: String?
        var rows: Int64 = 0
        do throws(SQLiteError) {
          guard let statement = try connection.prepareNext(at: &position) else { continue }
          isPrepared = true
          unbound = statement.firstParameter
          let before = connection.totalChanges
          if unbound == nil { try step(statement, scriptGuard) }
          rows = connection.totalChanges == before ? 0 : connection.changes
        } catch {
          guard !isPrepared, let end = skip(duplicate: error, offset) else {
            throw explain(error, scriptGuard, offset)
          }
          position = start + end
          continue
        }
        if let unbound { throw errors.refused(.parameter(unbound), at: place(offset)) }
        if passes?.note(rows, by: offset) == false { throw errors.endless(at: place(offset)) }
        // A statement may have ended the transaction without an error.
        if !script.runsAlone, !connection.isInTransaction {
          throw errors.transactionEnded(at: place(offset))
        }
      }
    }
    progress.bytesRun = bytes.count
    progress.pulse()
    guard let unpaired = scriptGuard.unpaired else { return }
    let statement = place(unpaired.offset)
    guard unpaired.name == "BEGIN" else {
      throw errors.refused(.transaction(unpaired.name), at: statement)
    }
    throw errors.failed(
      "the script begins a transaction and does not commit it",
      fix: "remove the BEGIN: each script runs in a transaction of its own", at: statement)
  }

  private func begin(on connection: borrowing Connection) throws(UpgradeError) {
    if script.runsAlone { return connection.scriptGuard.begin(.alone) }
    // Most scripts do not mention the journal mode, and asking for it takes a statement.
    let mode: String?
    do {
      mode = try script.mayMention("journal_mode") ? connection.text("PRAGMA journal_mode") : nil
    } catch {
      throw errors.sqlite(error, at: script.place(at: 0))
    }
    connection.scriptGuard.begin(
      .script(
        number: script.migration.version.number, journalMode: mode ?? "",
        readsSeed: script.readsSeed))
  }

  /// Runs a statement; SQLite answers with another journal mode if it cannot change it.
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

  /// Skips a statement whose object already exists, and returns its end; nil for any other error.
  ///
  /// Uplift finds the end itself, because SQLite stops at the name that already exists.
  private func skip(duplicate error: SQLiteError, _ start: Int) -> Int? {
    guard boot.options.skipsDuplicates, error.code == .error else { return nil }
    let statement = script.bytes.statement(from: start)
    guard statement.isWhole, ExistingObject.isNamed(by: error.message, in: statement.words) else {
      return nil
    }
    boot.progress.skip(
      Upgrade.Skipped(
        version: script.migration.version, name: script.migration.name,
        line: script.bytes.location(of: statement.start).line,
        text: script.bytes.excerpt(at: statement.start).text, words: error.message))
    return statement.end
  }

  private func explain(
    _ error: SQLiteError, _ scriptGuard: ScriptGuard, _ start: Int
  ) -> UpgradeError {
    if let refusal = scriptGuard.refusal { return errors.refused(refusal, at: place(start)) }
    // SQLite counts from the start of a view's text if the fault is in a view.
    let end = script.bytes.statement(from: start).end
    let offset = error.offset.map { start + $0 }.flatMap { $0 < end ? $0 : nil }
    return errors.sqlite(error, at: offset.map { script.place(at: $0) } ?? place(start))
  }

  /// The place of the first token from an offset.
  private func place(_ offset: Int) -> UpgradeError.Place {
    script.place(at: script.bytes.firstToken(from: offset))
  }
}
