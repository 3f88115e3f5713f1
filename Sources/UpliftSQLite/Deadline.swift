internal import CUpliftSQLite

/// The time that one upgrade may spend waiting for locks, with cancellation and a heartbeat.
///
/// All waits of all connections that share a deadline are added up; the time in which SQLite works
/// is not counted. The deadline can also be cancelled. It reports each wait, and a heartbeat while
/// a statement runs.
package final class Deadline {
  /// The time that is left for waits.
  private var patience: Duration
  private let isCancelledNow: () -> Bool
  private let onWait: (Duration) -> Void
  private let onPulse: () -> Void
  /// The length of the current wait.
  private var waited = Duration.zero

  /// Before each pause `onWait` is called with the length of the wait so far.
  ///
  /// `onPulse` is called again and again while a statement runs.
  package init(
    patience: Duration,
    isCancelled: @escaping () -> Bool,
    onWait: @escaping (Duration) -> Void = { _ in },
    onPulse: @escaping () -> Void = {}
  ) {
    self.patience = patience
    self.isCancelledNow = isCancelled
    self.onWait = onWait
    self.onPulse = onPulse
  }

  /// A deadline of the same upgrade for work that must not wait.
  package func withoutPatience() -> Deadline {
    Deadline(patience: .zero, isCancelled: isCancelledNow, onPulse: onPulse)
  }

  /// True if the upgrade was cancelled.
  package var mustStopNow: Bool { isCancelledNow() }

  /// How long the upgrade may still wait.
  package var timeLeft: Duration { patience }

  /// Sleeps for a moment that is longer after more attempts; false if no time is left, or if the
  /// upgrade was cancelled.
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

  /// Counts time as if the upgrade had waited.
  package func spend(_ time: Duration) { patience -= time }

  /// Reports the heartbeat; true stops the statement.
  ///
  /// SQLite calls this after every thousand steps of its virtual machine.
  func pulse() -> Bool {
    onPulse()
    return mustStopNow
  }
}
