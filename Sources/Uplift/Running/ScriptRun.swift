internal import UpliftSQLite

/// Runs the statements of one script, in their order, as they are written.
///
/// The text is never split: SQLite reads one statement and says where the next begins. Rows
/// are stepped through and dropped.
struct ScriptRun {
  let script: Script
  let rules: ScriptGuard.Rules
  let watch: Watch
  /// Hears how many bytes have run.
  let progress: (Int) -> Void

  /// `beforeStep` sees what the guard noted of a statement, before it runs.
  func run(
    on connection: borrowing Connection,
    beforeStep: () throws(SQLiteError) -> Void
  ) throws(Fault) {
    let scriptGuard = connection.scriptGuard
    scriptGuard.begin(rules)
    defer { scriptGuard.end() }
    let bytes = script.bytes
    try bytes.withText { start throws(Fault) in
      var position = start + bytes.textStart
      var count = 0
      while position.pointee != 0 {
        let statementStart = position
        if count & 63 == 0 {
          progress(position - start)
          if watch.isCancelled { throw fault(.cancelled, statementStart - start) }
        }
        count += 1
        do throws(SQLiteError) {
          guard let statement = try connection.prepareNext(at: &position) else { continue }
          try beforeStep()
          try step(statement, scriptGuard)
        } catch {
          throw explain(error, connection, statementStart - start)
        }
        // A statement may have ended the transaction and said nothing.
        if rules == .transaction, !connection.isInTransaction {
          throw fault(.reason(.transactionEnded(words: nil)), statementStart - start)
        }
      }
      progress(bytes.count)
    }
    if scriptGuard.isUncommitted { throw fault(.reason(.uncommitted), 0) }
    if rules == .autocommit, connection.isInTransaction {
      throw fault(.reason(.uncommitted), 0)
    }
  }

  /// A script that runs alone holds nothing while it waits; it may try again.
  private func step(
    _ statement: borrowing Statement, _ scriptGuard: ScriptGuard
  ) throws(SQLiteError) {
    scriptGuard.isStepping = true
    defer { scriptGuard.isStepping = false }
    try statement.run()
  }

  private func explain(
    _ error: SQLiteError, _ connection: borrowing Connection, _ start: Int
  ) -> Fault {
    if let refusal = connection.scriptGuard.refusal {
      return fault(.reason(.refused(UpgradeError.Refused(refusal))), start)
    }
    if watch.isCancelled, error.code.primary == .interrupted { return fault(.cancelled, start) }
    if let offset = error.offset {
      return Fault(script: script, offset: start + offset, cause: .sqlite(error))
    }
    // A constraint with OR ROLLBACK: the error is told, and that it undid the scripts before.
    return fault(.sqlite(error), start)
  }

  private func fault(_ cause: Fault.Cause, _ start: Int) -> Fault {
    Fault(script: script, offset: StatementCheck.firstWord(in: script.bytes, from: start), cause: cause)
  }
}
