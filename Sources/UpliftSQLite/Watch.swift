internal import CUpliftSQLite

/// How long SQLite may wait, and whether it shall go on: one for a whole upgrade.
///
/// One deadline covers every wait of every connection that carries the watch, not one
/// timeout a statement.
package final class Watch {
  private let deadline: ContinuousClock.Instant
  private let isCancelledNow: () -> Bool
  private let onWait: (Duration) -> Void
  private let onPulse: () -> Void
  private var waitedSince: ContinuousClock.Instant?

  /// `onWait` hears how long a lock has been waited for; `onPulse` that a statement is alive.
  package init(
    patience: Duration,
    isCancelled: @escaping () -> Bool,
    onWait: @escaping (Duration) -> Void,
    onPulse: @escaping () -> Void
  ) {
    self.deadline = .now + patience
    self.isCancelledNow = isCancelled
    self.onWait = onWait
    self.onPulse = onPulse
  }

  /// True when the upgrade shall stop, and is not finishing what it had promised to keep.
  package var isCancelled: Bool { !isFinishing && isCancelledNow() }

  /// Lets running statements go on in spite of a cancellation; nothing is waited for then.
  package var isFinishing = false

  /// Sleeps for a moment that grows with the attempts; false when there is no time left.
  package func pause(attempt: Int) -> Bool {
    let now = ContinuousClock.now
    guard !isCancelledNow(), now < deadline else { return false }
    if attempt == 0 { waitedSince = now }
    if let waitedSince { onWait(now - waitedSince) }
    let steps: [Int32] = [1, 2, 5, 10, 15, 20, 25]
    sqlite3_sleep(attempt < steps.count ? steps[attempt] : 50)
    return true
  }

  /// Called every thousand steps of SQLite's virtual machine; true stops the statement.
  func pulse() -> Bool {
    onPulse()
    return isCancelled
  }
}
