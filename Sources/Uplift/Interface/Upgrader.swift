internal import UpliftSQLite

/// Brings one database up to one version: call it once, at boot.
public struct Upgrader: Sendable {
  package let database: String
  package let seed: Seed?
  package let migrations: Migrations
  package let target: Version?
  package let options: Options

  /// Nothing is touched before ``upgrade(onEvent:)``.
  ///
  /// With a target, a boot with nothing to do opens the database, reads its version and closes
  /// it. Without one the target is the newest script, and the directory must be listed to know it.
  public init(
    database: String,
    seed: Seed? = nil,
    migrations: Migrations = [],
    target: Version? = nil,
    options: Options = Options()
  ) {
    self.database = database
    self.seed = seed
    self.migrations = migrations
    self.target = target
    self.options = options
  }
}

extension Upgrader {
  /// Brings the database to the target, or throws and says why; see ``UpgradeError``.
  ///
  /// It blocks its thread until it returns; see ``upgrade(isCancelled:onEvent:)`` for event loops.
  ///
  /// When it returns, the database exists and its `user_version` equals the target, and what was
  /// applied survives a power cut. The connection is closed. `onEvent` is called on this thread
  /// as things happen. Cancelling the surrounding task stops the running statement and keeps
  /// what was committed.
  @discardableResult
  public func upgrade(
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    try upgrade(isCancelled: { Task.isCancelled }, onEvent: onEvent)
  }

  /// The same for a thread that has no task: a thread of Dispatch or NIO, or the main thread.
  ///
  /// An upgrade blocks its thread until it returns, for as long as the scripts take and as
  /// ``Options/patience`` lets it wait. Never call it on an event loop; call it before the loop
  /// runs, or on a thread that may block:
  ///
  /// ```swift
  /// let stop = Atomic(false)  // global; whoever stops the program sets it
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
  /// was committed is kept, and the call throws ``UpgradeError/cancelled(reached:)``.
  @discardableResult
  public func upgrade(
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Upgrade {
    try Boot(self, isCancelled: isCancelled, onEvent: onEvent).run()
  }

  /// Turns off SQLite's memory statistics, which belong to the whole process.
  ///
  /// A program may call this if nothing else in its process uses SQLite, and before its first
  /// upgrade.
  package static func haveProcessToItself() {
    Engine.forgoStatistics()
  }

  /// The version of SQLite that does the work.
  package static var sqliteVersion: String { Engine.version }

  /// Looks at what is there and what is pending, and changes nothing.
  ///
  /// What stands against an upgrade is in ``Status/refusal``. It throws if it cannot look (the
  /// database is damaged or busy, say), or if the scripts or the seed cannot be read.
  public func status() throws(UpgradeError) -> Status {
    try Boot(self, isCancelled: { Task.isCancelled }, onEvent: { _ in }).status()
  }
}
