internal import CUpliftSQLite

/// The time that one upgrade may spend waiting for locks, with cancellation and a heartbeat.
///
/// All waits of all connections that share a deadline are added up; the time in which SQLite works
/// is not counted.
package final class Deadline {
  /// How long the upgrade may still wait.
  package private(set) var timeLeft: Duration
  private let isCancelled: () -> Bool
  private let onWait: (Duration) -> Void
  private let onPulse: () -> Void
  /// The length of the current wait.
  private var waited = Duration.zero

  /// Before each pause `onWait` is called with the length of the wait so far, and `onPulse` again
  /// and again while a statement runs.
  package init(
    patience: Duration,
    isCancelled: @escaping () -> Bool,
    onWait: @escaping (Duration) -> Void = { _ in },
    onPulse: @escaping () -> Void = {}
  ) {
    timeLeft = patience
    self.isCancelled = isCancelled
    self.onWait = onWait
    self.onPulse = onPulse
  }

  /// A deadline of the same upgrade for work that must not wait.
  package func withoutPatience() -> Deadline {
    Deadline(patience: .zero, isCancelled: isCancelled, onPulse: onPulse)
  }

  /// True if the upgrade was cancelled.
  package var mustStopNow: Bool { isCancelled() }

  /// Sleeps for a moment that is longer after more attempts; false if no time is left, or if the
  /// upgrade was cancelled.
  package func pause(attempt: Int) -> Bool {
    guard !mustStopNow, timeLeft > .zero else { return false }
    if attempt == 0 { waited = .zero }
    onWait(waited)
    let steps: [Int32] = [1, 2, 5, 10, 15, 20, 25]
    let before = ContinuousClock.now
    sqlite3_sleep(attempt < steps.count ? steps[attempt] : 50)
    let slept = ContinuousClock.now - before
    waited += slept
    spend(slept)
    return true
  }

  /// Counts time as if the upgrade had waited.
  package func spend(_ time: Duration) { timeLeft -= time }

  /// Reports the heartbeat; true stops the statement.
  func pulse() -> Bool {
    onPulse()
    return mustStopNow
  }
}
