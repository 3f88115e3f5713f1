internal import UpliftSQLite

/// The values that all steps of one upgrade share.
struct StepContext {
  let file: DatabaseFile
  let plan: Plan
  let options: Upgrader.Options
  let deadline: Deadline
  let progress: ProgressReport
  let scripts: LoadedScripts
  let observer: (any StepObserver)?
  let keeper: UpgradeBackup?
  let foreignKeys: ForeignKeyChecks

  func stepRun(_ script: Script, _ check: OrphanCheck?) -> StepRun {
    StepRun(
      script: script, check: check, foreignKeys: foreignKeys,
      skipsDuplicates: options.skipsDuplicates, observer: observer, deadline: deadline,
      progress: progress)
  }
}

/// Work in an open transaction: if it fails, the transaction is undone.
extension StepContext {
  /// Copies the database, if the options say so.
  func backUp(in transaction: borrowing WriteTransaction) throws(UpgradeError) {
    do {
      try keeper?.make(of: transaction.version, underLockOf: transaction.connection)
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// A check that begins with the foreign keys as they are now; nil if the options want none.
  func newCheck(in transaction: borrowing WriteTransaction) throws(UpgradeError) -> OrphanCheck? {
    do {
      return try foreignKeys.newCheck(transaction.connection)
    } catch {
      transaction.rollback()
      throw transaction.translated(error)
    }
  }

  /// True if a script could see whether the scripts before it are committed.
  func mayShowCommits(in transaction: borrowing WriteTransaction) throws(UpgradeError) -> Bool {
    do {
      return try transaction.connection.mayShowShrinking()
    } catch {
      transaction.rollback()
      throw transaction.translated(error)
    }
  }

  /// Runs a part of a script.
  func run(
    in transaction: borrowing WriteTransaction,
    _ work: (borrowing Connection) throws(ScriptFault) -> Void
  ) throws(UpgradeError) {
    do {
      try work(transaction.connection)
    } catch {
      transaction.rollback()
      throw error.error(at: file.shown, reached: transaction.version)
    }
  }
}
