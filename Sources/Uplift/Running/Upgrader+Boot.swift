internal import Synchronization
internal import UpliftSQLite
internal import UpliftSystem

extension Upgrader {
  /// Brings the database to the target, or throws and says why; see ``UpgradeError``.
  ///
  /// It blocks its thread until it returns; in an asynchronous function, `await` the other one.
  /// When it returns, the database exists, its `user_version` equals the target, the applied steps
  /// survive a power cut, and the connection is closed. `onEvent` is called on this thread, for each
  /// event. Cancelling the surrounding task stops the running statement and keeps the committed
  /// steps.
  @discardableResult
  public func upgrade(
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    try upgrade(isCancelled: { Task.isCancelled }, onEvent: onEvent)
  }

  /// Upgrades on a thread that has no task, and that may block, such as the main thread.
  ///
  /// `isCancelled` is called on this thread, many times while a statement runs or waits for a lock,
  /// so it must be cheap. If it returns true, the running statement is stopped, what was committed
  /// is kept, and the call throws ``UpgradeError/Kind/cancelled``.
  @discardableResult
  public func upgrade(
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    do {
      return try Boot(self, isCancelled: isCancelled, onEvent: onEvent).run()
    } catch {
      throw withBackup(error)
    }
  }

  /// Upgrades on a thread of its own, which calls `onEvent`; cancelling the task stops the upgrade.
  @discardableResult
  public func upgrade(
    onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) async throws(UpgradeError) -> Upgrade {
    let stop = StopFlag()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        BackgroundWork.start {
          continuation.resume(
            returning: Result { () throws(UpgradeError) in
              try upgrade(isCancelled: { stop.isSet.load(ordering: .relaxed) }, onEvent: onEvent)
            })
        }
      }
    } onCancel: {
      stop.isSet.store(true, ordering: .relaxed)
    }
    return try result.get()
  }

  /// The error of a database that is too new, with the backup to go back to.
  private func withBackup(_ error: UpgradeError) -> UpgradeError {
    guard error.kind == .newer, let directory = options.backup?.directory,
      let target = knownTarget(), let backup = newestBackup(in: directory, target: target)
    else { return error }
    return UpgradeError(
      .newer, error.message,
      fix: "start the newer program, or go back to \(backup.quoted): uplift restore --backup "
        + directory,
      reached: error.reached)
  }

  /// Waits until the database is at the target, and changes nothing; false if the time is over.
  ///
  /// It throws at once what no waiting mends: exit codes 65, 76 and 78.
  public func wait(
    _ time: Duration, isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Bool {
    let end = ContinuousClock.now + time
    while true {
      var failure: UpgradeError?
      do throws(UpgradeError) {
        let status = try status(patience: .zero, isCancelled)
        if status.isCurrent { return true }
        failure = status.refusal
      } catch {
        failure = error
      }
      if isCancelled() { throw .cancelled() }
      if let failure, [65, 76, 78].contains(failure.exitCode) { throw failure }
      guard ContinuousClock.now < end else { return false }
      System.sleep(milliseconds: 100)
    }
  }

  /// Finds out the version and the pending steps; it runs no script, and writes nothing itself.
  ///
  /// It checks the database, the seed and the numbers of the scripts, but not their text, nor
  /// whether the file can be written. ``Status/refusal`` says why an upgrade would be refused. It
  /// throws if the database is damaged or busy, or if the scripts or the seed cannot be read. It
  /// waits for a second at most.
  public func status() throws(UpgradeError) -> Status {
    try status(patience: .seconds(1)) { Task.isCancelled }
  }

  package func status(
    patience: Duration, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> Status {
    let file = try DatabaseFile(database)
    let plan = try plan(beside: file)
    let found = try state(of: file, min(patience, options.patience), isCancelled)?
      .written(like: plan.target)
    // A new database begins at the seed's version.
    let isNew = found?.isEmpty ?? true
    let reached = isNew ? plan.startOfNew.version : found?.version ?? .zero
    var refusal: UpgradeError?
    do {
      // A boot looks for journals before it opens an empty file, and after it decides to make one.
      if found != nil { try file.refuseOrphans() }
      _ = try plan.decide(found, path: file.shown)
      try file.refuseOrphans()
      // The texts are read only if there is a lock file to compare them with, and that of the lowest
      // script, which may say that the database is too old.
      let lowest = plan.catalog.all.first
      if reached < plan.target, try !migrations.lockedDirectories().isEmpty {
        try LoadedScripts().load(after: reached, plan, migrations)
      } else if let lowest, reached < lowest.version, let script = try? Script(reading: lowest),
        let floor = try script.floor(lowest: lowest)
      {
        try plan.check(floor, from: reached)
      }
    } catch {
      refusal = error
    }
    return Status(
      version: found?.version, target: plan.target, seed: plan.seed?.version,
      applied: isNew ? [] : plan.catalog.steps(after: .zero, through: reached),
      pending: plan.steps(after: reached), refusal: refusal.map(withBackup))
  }

  /// The state of the database; nil if there is none.
  private func state(
    of file: DatabaseFile, _ patience: Duration, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> DatabaseState? {
    guard let facts = file.factsAtFirst else { return nil }
    // SQLite would delete a journal when it opens the empty file beside it.
    if facts.size == 0 { return .empty }
    let deadline = Deadline(patience: patience, isCancelled: isCancelled)
    return try Look(file: file, facts: facts, deadline: deadline).open().state
  }
}

extension Upgrader {
  /// Reads what ships, unless the seed is the database itself.
  func plan(beside file: DatabaseFile) throws(UpgradeError) -> Plan {
    // To open and close the file would drop SQLite's locks on the database.
    if let database = file.factsAtFirst, try seedIdentity() == database.identity {
      throw .isSeed(file.shown)
    }
    return try plan()
  }

  /// Reads what ships: the seed's header and the names of the scripts.
  func plan() throws(UpgradeError) -> Plan {
    let header: DatabaseHeader? = if let seed { try SeedFile.header(of: seed) } else { nil }
    return try Plan(
      target: target, seed: header, seedName: seed?.name,
      isSeedEmpty: header.flatMap { seed?.isEmpty($0) } ?? false,
      catalog: try Catalog(of: migrations), ifMissing: options.ifMissing)
  }

  /// The identity of the seed's file; nil if there is none.
  func seedIdentity() throws(UpgradeError) -> FileFacts.Identity? {
    guard case .file(let seed)? = self.seed?.source else { return nil }
    return try seed.facts()?.identity
  }

  /// The same upgrade with its scripts listed now and, with `readsScripts`, read and checked.
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
      database: database, seed: seed, migrations: Migrations(steps, from: migrations.directories),
      target: plan.target,
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

  /// The facts about the database alone; nil if they cannot be read.
  package func glance() -> (exists: Bool?, version: Version?) {
    do {
      let found = try state(of: DatabaseFile(database), .seconds(1)) { Task.isCancelled }
      return (found != nil, found?.version)
    } catch {
      return (nil, nil)
    }
  }
}

/// A flag that one thread sets and another one reads.
private final class StopFlag: Sendable {
  let isSet = Atomic(false)
}
