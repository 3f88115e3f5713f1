internal import CUpliftSQLite

/// How long SQLite may wait, and whether it shall go on: one for a whole upgrade.
///
/// All waits of all connections that carry the deadline are counted together, not one timeout a
/// statement; the time in which the upgrade itself works is not a wait.
package final class Deadline {
  private var patience: Duration
  private let isCancelledNow: () -> Bool
  private let onWait: (Duration) -> Void
  private let onPulse: () -> Void
  private var waited = Duration.zero

  /// `onWait` hears how long a lock has been waited for; `onPulse` that a statement is alive.
  package init(
    patience: Duration,
    isCancelled: @escaping () -> Bool,
    onWait: @escaping (Duration) -> Void,
    onPulse: @escaping () -> Void
  ) {
    self.patience = patience
    self.isCancelledNow = isCancelled
    self.onWait = onWait
    self.onPulse = onPulse
  }

  /// True when the upgrade shall stop, and is not finishing what it had promised to keep.
  package var isCancelled: Bool { !isFinishing && isCancelledNow() }

  /// True when the upgrade shall stop, even where it has something to finish first.
  package var isAskedToStop: Bool { isCancelledNow() }

  /// How much longer the upgrade may wait.
  package var timeLeft: Duration { patience }

  /// Lets running statements go on in spite of a cancellation; nothing is waited for then.
  package var isFinishing = false

  /// Sleeps for a moment that grows with the attempts; false when there is no time left.
  package func pause(attempt: Int) -> Bool {
    guard !isCancelledNow(), patience > .zero else { return false }
    if attempt == 0 { waited = .zero }
    onWait(waited)
    let steps: [Int32] = [1, 2, 5, 10, 15, 20, 25]
    let before = ContinuousClock.now
    sqlite3_sleep(attempt < steps.count ? steps[attempt] : 50)
    let slept = ContinuousClock.now - before
    waited += slept
    patience -= slept
    return true
  }

  /// Called every thousand steps of SQLite's virtual machine; true stops the statement.
  func pulse() -> Bool {
    onPulse()
    return isCancelled
  }
}
