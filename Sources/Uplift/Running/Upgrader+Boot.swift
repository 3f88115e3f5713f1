internal import UpliftSQLite
internal import UpliftSystem

extension Upgrader {
  /// Brings the database to the target, or throws and says why; see ``UpgradeError``.
  ///
  /// It blocks its thread until it returns; see ``upgrade(isCancelled:onEvent:)`` for event loops.
  ///
  /// When it returns, the database exists and its `user_version` equals the target, and the applied
  /// steps survive a power cut. The connection is closed. `onEvent` is called on this thread, for
  /// each event. Cancelling the surrounding task stops the running statement and keeps the
  /// committed steps.
  @discardableResult
  public func upgrade(
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    try upgrade(isCancelled: { Task.isCancelled }, onEvent: onEvent)
  }

  /// Upgrades on a thread that has no task: a thread of Dispatch or NIO, or the main thread.
  ///
  /// An upgrade blocks its thread until it returns, for as long as the scripts take and as
  /// ``Options/patience`` lets it wait. Never call it on an event loop; call it before the loop
  /// runs, or on a thread that may block:
  ///
  /// ```swift
  /// let stop = Atomic(false)  // a global variable; to stop the program, set it to true
  ///
  /// // Dispatch:
  /// DispatchQueue.global().async {
  ///   do {
  ///     try upgrader.upgrade(isCancelled: { stop.load(ordering: .relaxed) })
  ///   } catch { … }
  /// }
  ///
  /// // NIO has a pool of threads for work that blocks:
  /// let upgrade = try await NIOThreadPool.singleton.runIfActive {
  ///   try upgrader.upgrade(isCancelled: { stop.load(ordering: .relaxed) })
  /// }
  /// ```
  ///
  /// `isCancelled` is called on this thread, many times while a statement runs and between waits
  /// for a lock, so it must be cheap. If it returns true, the running statement is stopped, what
  /// was committed is kept, and the call throws ``UpgradeError/cancelled(_:)``.
  @discardableResult
  public func upgrade(
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    try Boot(self, isCancelled: isCancelled, onEvent: onEvent).run()
  }

  /// Finds out the version and the pending steps; it runs no script, and writes nothing itself.
  ///
  /// It checks the database, the seed and the numbers of the scripts. It neither reads the scripts'
  /// text nor tests whether the file can be written.
  ///
  /// If an upgrade would be refused, ``Status/refusal`` has the reason. It throws if the database
  /// is damaged or busy, or if the scripts or the seed cannot be read.
  public func status() throws(UpgradeError) -> Status {
    try Inspection(self).status()
  }

  package func status(isCancelled: @escaping () -> Bool) throws(UpgradeError) -> Status {
    try Inspection(self, isCancelled: isCancelled).status()
  }
}

extension Upgrader {
  /// Reads what ships: the seed's header and the names of the scripts.
  func plan(beside file: DatabaseFile) throws(UpgradeError) -> Plan {
    try checkSeedIsNot(file)
    return try plan()
  }

  /// The same upgrade for many databases: its scripts are listed, read and checked now.
  ///
  /// An error of what ships is found before a database is opened. Without `readsScripts` the texts
  /// are not read.
  package func withScripts(readsScripts: Bool) throws(UpgradeError) -> Upgrader {
    let plan = try plan()
    var steps = plan.steps(after: .zero)
    if readsScripts {
      try plan.checkTarget()
      for index in steps.indices {
        let script = try Script(reading: steps[index])
        try script.checkNumber(seed: plan.seed?.version)
        steps[index].text = script.withText { Array($0) }
      }
    }
    return Upgrader(
      database: database, seed: seed, migrations: Migrations(steps), target: plan.target,
      options: options, prepare: prepare)
  }

  /// This upgrade of another database.
  package func of(_ database: String) -> Upgrader {
    Upgrader(
      database: database, seed: seed, migrations: migrations, target: target, options: options,
      prepare: prepare)
  }

  /// The version that an upgrade leads to; nil if the scripts or the seed do not say it.
  package func knownTarget() -> Version? {
    do {
      return try target ?? plan().target
    } catch {
      return nil
    }
  }

  /// Reads what ships, as `plan(beside:)` does, without looking at the database.
  func plan() throws(UpgradeError) -> Plan {
    let header: DatabaseHeader? = if let seed { try SeedFile.header(of: seed) } else { nil }
    return try Plan(
      target: target, seed: header, seedName: seed?.name,
      isSeedEmpty: header.flatMap { seed?.isEmpty($0) } ?? false,
      catalog: try Catalog(of: migrations), ifMissing: options.ifMissing)
  }

  /// Refuses a seed that is the database, before the seed is opened: closing it would drop SQLite's
  /// locks on the database.
  private func checkSeedIsNot(_ file: DatabaseFile) throws(UpgradeError) {
    guard let database = file.factsAtFirst, let seed = try seedIdentity() else { return }
    if seed == database.identity { throw .path(file.shown, .isSeed) }
  }

  /// The identity of the seed's file; nil if there is none.
  func seedIdentity() throws(UpgradeError) -> FileFacts.Identity? {
    guard case .file(let seed)? = self.seed?.source else { return nil }
    return try UpgradeError.at(seed) { () throws(SystemError) in
      try System.facts(of: seed, followingLinks: true)
    }?.identity
  }
}

/// For the command alone.
extension Upgrader {
  /// Turns off SQLite's memory statistics, which belong to the whole process.
  ///
  /// Call this only if nothing else in the process uses SQLite, and before the first upgrade.
  package static func forgoMemoryStatistics() {
    Engine.forgoMemoryStatistics()
  }

  /// The version of SQLite that does the work.
  package static var sqliteVersion: String { Engine.version }

  /// The facts about the database alone, for use if the scripts or the seed cannot be read.
  ///
  /// Nil if these facts cannot be read either.
  package func glance() -> (exists: Bool?, version: Version?) {
    do {
      let found = try Inspection(self).state()
      return (found != nil, found?.version)
    } catch {
      return (nil, nil)
    }
  }
}
