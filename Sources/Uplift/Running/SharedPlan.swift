package import UpliftSystem

/// The plan and the scripts of an upgrader, read and checked once for many databases.
///
/// Each database gets a boot of its own, with the same promises as a single one. Several threads
/// may share the plan, each with a database of its own.
package struct SharedPlan: Sendable {
  private let upgrader: Upgrader
  private let plan: Plan
  /// All scripts up to the target; empty if their texts were not read.
  let scripts: [Version: Script]
  /// The backups when the run began; nil if none are made.
  let backups: BackupListing?
  /// Shared by the boots of this process, because each has a database of its own.
  let scriptLock = SharedScriptLock()
  /// The file of the seed; nil for a seed in memory, or without one.
  private let seed: FileFacts.Identity?

  /// Reads the seed's header and the names of the scripts, and with `readsScripts` their texts.
  ///
  /// `directory` is that of the databases. An error is found before a database is opened.
  package init(
    _ upgrader: Upgrader, in directory: Path, readsScripts: Bool
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    plan = try upgrader.plan()
    backups = upgrader.options.backup.map { BackupListing(of: $0.directory) }
    if let backup = upgrader.options.backup {
      try BackupDirectory.check(backup.directory, databases: directory, upgrader)
    }
    seed = try upgrader.seedIdentity()
    guard readsScripts else {
      scripts = [:]
      return
    }
    try plan.checkTarget()
    let loaded = LoadedScripts()
    try loaded.load(plan.steps(after: .zero), seed: plan.seed?.version)
    scripts = loaded.own
  }

  /// The version that the databases are brought to.
  package var target: Version { plan.target }

  /// Upgrades one database, as ``Upgrader/upgrade(isCancelled:onEvent:)`` does.
  package func upgrade(
    _ database: FoundDatabase, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) -> Upgrade {
    try Boot(upgrader, of: database, self, isCancelled: isCancelled, onEvent: onEvent).run()
  }

  /// Inspects one database, as ``Upgrader/status()`` does.
  package func status(
    of database: FoundDatabase, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> Status {
    try Inspection(upgrader, of: database, self, isCancelled: isCancelled).status()
  }

  /// An upgrader for this database only.
  package func upgrader(of database: FoundDatabase) -> Upgrader {
    Upgrader(
      database: database.shown, seed: upgrader.seed, migrations: upgrader.migrations,
      target: upgrader.target, options: upgrader.options, prepare: upgrader.prepare)
  }

  /// The plan, unless the database is the seed.
  func plan(beside file: DatabaseFile) throws(UpgradeError) -> Plan {
    if let seed, file.factsAtFirst?.identity == seed { throw .path(file.shown, .isSeed) }
    return plan
  }
}
