package import UpliftSQLite

extension Upgrader {
  /// Upgrades a database that nobody else uses, and counts what SQLite writes.
  package func upgrade(
    counting diskUse: DiskUse, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Event) -> Void
  ) throws(UpgradeError) -> Upgrade {
    try Boot(self, diskUse: diskUse, isCancelled: isCancelled, onEvent: onEvent).run()
  }
}
