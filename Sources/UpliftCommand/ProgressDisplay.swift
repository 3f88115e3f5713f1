internal import Uplift

/// Shows the events of an upgrade on the console: as a progress bar, or as one line if it must
/// wait.
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
    guard case .waiting(let wait) = event, wait >= .seconds(1), !hasNoticed else { return }
    hasNoticed = true
    console.noticeWaiting(for: database)
  }

  private func redraw(_ event: Upgrader.Event) {
    switch event {
    case .waiting(let wait):
      draw(.waiting(for: database, wait))
    case .started(let started):
      script = ProgressBar.Script(name: started.name, index: started.index, count: started.count)
      drawScript()
    case .progress(let progress):
      script?.note(bytes: progress.bytes, of: progress.size)
      drawScript()
    case .skipped, .finished, .committed, .seeded, .created, .existing, .backedUp:
      break
    }
  }

  private func drawScript() {
    guard let script else { return }
    draw(.running(script, timeAtByte: script.timeAtByte()))
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
