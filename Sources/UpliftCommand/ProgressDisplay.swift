internal import Uplift

/// Shows the events of an upgrade on the console: as a progress bar, or as one line if it must wait.
final class ProgressDisplay {
  private let database: String
  private let console: Console
  private var latest = ContinuousClock.now
  private var script: ProgressBar.Script?
  private var hasNoticed = false

  init(of database: String, on console: Console) {
    self.database = database
    self.console = console
  }

  func show(_ event: Upgrader.Event) {
    switch console.progress {
    case .none: break
    case .notices: noticeWaiting(event)
    case .bar: redraw(event)
    }
  }

  private func noticeWaiting(_ event: Upgrader.Event) {
    guard case .waiting(let duration) = event, duration >= .seconds(1), !hasNoticed else { return }
    hasNoticed = true
    console.notice("uplift: \(database.printable) is busy, waiting")
  }

  private func redraw(_ event: Upgrader.Event) {
    switch event {
    case .waiting(let duration):
      draw(.waiting(for: database, duration))
    case .started(_, let name, let index, let count):
      script = ProgressBar.Script(name: name, index: index, count: count)
      drawScript()
    case .progress(_, let bytes, let size):
      script?.note(bytes: bytes, of: size)
      drawScript()
    case .skipped, .finished, .committed, .seeded, .created, .existing:
      break
    }
  }

  private func drawScript() {
    guard let script else { return }
    draw(.running(script, still: script.still()))
  }

  /// Draws at most ten times a second, and not in the first tenth of a second, so that a fast
  /// upgrade shows nothing.
  private func draw(_ bar: ProgressBar) {
    let now = ContinuousClock.now
    guard now - latest >= .milliseconds(100) else { return }
    latest = now
    console.draw(bar.text)
  }
}
