internal import Synchronization
internal import Uplift

/// The console of a run with `--each`, on which several jobs write whole lines.
///
/// The lock is held for each use of the console, so threads can share it.
final class EachOutput: @unchecked Sendable {
  private let lock = Mutex(())
  private let console: Console
  private let verb: Verb
  private let isJSON: Bool
  private let isQuiet: Bool
  private var latest = ContinuousClock.now

  init(_ console: Console, _ arguments: Arguments) {
    self.console = console
    verb = arguments.verb
    isJSON = arguments.isJSON
    isQuiet = arguments.isQuiet
  }

  /// Shows the result of one database; with it, `ended` of `count` databases have ended.
  func show(_ result: EachResult, _ ended: Int, of count: Int, target: Version?) {
    lock.withLock { _ in
      if let error = result.error { console.show(error) }
      if isJSON {
        console.result(JSON(result, of: verb, target: target).text)
      } else if !isQuiet {
        for line in result.lines { console.result(line.printable) }
      }
      draw(ended, of: count)
    }
  }

  func show(_ lines: [String]) {
    lock.withLock { _ in
      for line in lines { console.result(line) }
    }
  }

  func show(_ error: ErrorReport) {
    lock.withLock { _ in console.show(error) }
  }

  /// Says that a database is busy, unless another job writes: it may wait for a reader.
  func noteWaiting(for database: String) {
    _ = lock.withLockIfAvailable { _ in
      if console.progress != .none { console.noticeWaiting(for: database) }
    }
  }

  func finish(with code: ExitCode) -> ExitCode { lock.withLock { _ in console.finish(with: code) } }

  /// Draws the bar at most ten times a second, and not in the first tenth of a second.
  private func draw(_ ended: Int, of count: Int) {
    guard console.progress == .bar else { return }
    let now = ContinuousClock.now
    guard now - latest >= .milliseconds(100) else { return }
    latest = now
    console.draw(ProgressBar.databases(ended, of: count).text)
  }
}
