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
