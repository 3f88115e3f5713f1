package import UpliftSQLite

/// Looks at a database before and after each step; the tools of a release use it.
///
/// An upgrade with an observer does not sync, because nobody needs its database after a power cut.
package protocol StepObserver: AnyObject {
  /// Is called in a transaction before the first statement of the step; it may change rows.
  ///
  /// If the step fails, these changes are undone with it, except for a `no-transaction` script.
  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError)

  /// Is called in the transaction that sets the version of the step, before it is committed.
  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError)
}

extension Upgrader {
  /// Upgrades a database that nobody else uses, while an observer looks at each step.
  package func upgrade(
    observer: any StepObserver, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Event) -> Void
  ) throws(UpgradeError) -> Upgrade {
    try Boot(self, observer: observer, isCancelled: isCancelled, onEvent: onEvent).run()
  }
}
