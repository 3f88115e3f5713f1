internal import Synchronization
internal import Uplift
internal import UpliftSystem

/// The progress bar: one line that says what the upgrade is doing.
package enum ProgressBar: Sendable {
  case waiting(for: String, Duration)
  /// `timeAtByte` is how long the script has been at the same byte.
  case running(Script, timeAtByte: Duration)

  /// The script that is running, and how many of its bytes have run.
  package struct Script: Sendable {
    let name: String
    let index: Int
    let count: Int
    private var bytes = 0
    private var size = 0
    /// When the number of bytes last changed.
    private var moved: ContinuousClock.Instant

    package init(
      name: String, index: Int, count: Int, begun: ContinuousClock.Instant = .now
    ) {
      self.name = name
      self.index = index
      self.count = count
      moved = begun
    }

    /// Notes how many bytes have run.
    ///
    /// The same number again means that a long statement is running.
    package mutating func note(
      bytes: Int, of size: Int, at now: ContinuousClock.Instant = .now
    ) {
      if bytes != self.bytes { moved = now }
      self.bytes = bytes
      self.size = size
    }

    /// How long the script has been at the same byte.
    package func timeAtByte(at now: ContinuousClock.Instant = .now) -> Duration { now - moved }

    fileprivate var percent: Int { size == 0 ? 0 : min(bytes * 100 / size, 100) }
  }

  /// The line, at most `width` columns wide.
  ///
  /// If there is no room, the bar is left out first, then the name is cut, then the words about the
  /// time go. The percentage goes last.
  package func text(width: Int) -> String {
    switch self {
    case .waiting(let database, let duration):
      let seconds = " (\(duration.components.seconds) s)"
      return ("waiting for " + database).fitted(to: width - seconds.count) + seconds.prefix(width)
    case .running(let script, let timeAtByte):
      let count = " \(script.index)/\(script.count)"
      let percent = " \(script.percent)%"
      let seconds = timeAtByte.components.seconds
      let alive = seconds >= 2 ? ", still running (\(seconds) s)" : ""
      let time = seconds >= 2 ? " (\(seconds) s)" : ""
      let name = min(script.name.unicodeScalars.count, 40)
      let tails = [
        (count + Self.bar(script.percent) + percent + alive, name),
        (count + percent + alive, min(name, 12)), (count + percent + time, min(name, 12)),
        (count + percent, min(name, 6)), (percent, 1),
      ]
      for (tail, least) in tails where least + tail.count <= width {
        return script.name.fitted(to: min(name, width - tail.count)) + tail
      }
      return String(percent.dropFirst().prefix(width))
    }
  }

  private static func bar(_ percent: Int) -> String {
    let full = percent / 5
    return " [" + String(repeating: "#", count: full)
      + String(repeating: ".", count: 20 - full) + "]"
  }
}

extension String {
  /// The text, cut to this many columns of a terminal and marked with `…` if it is longer.
  fileprivate func fitted(to width: Int) -> String {
    let text = printable.replacing("\t", with: " ")
    guard text.unicodeScalars.count > width else { return text }
    return width > 0 ? String(text.unicodeScalars.prefix(width - 1)) + "…" : ""
  }
}

/// Shows the events of an upgrade on the console: as a progress bar, or as one line if it must
/// wait.
final class ProgressDisplay: Sendable {
  private let database: String
  private let console: Console
  private let state = Mutex(State())

  private struct State {
    var latest = ContinuousClock.now
    /// The script that is running; nil between two of them.
    var script: ProgressBar.Script?
    var hasNoticed = false
    var beats = false
  }

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
    guard case .waiting(let wait) = event, wait >= .seconds(1) else { return }
    let isFirst = state.withLock { state in
      defer { state.hasNoticed = true }
      return !state.hasNoticed
    }
    if isFirst { console.noticeWaiting(for: database) }
  }

  private func redraw(_ event: Upgrader.Event) {
    state.withLock { state in
      switch event {
      case .waiting(let wait): draw(.waiting(for: database, wait), &state)
      case .started(let started):
        state.script = ProgressBar.Script(
          name: started.name, index: started.index, count: started.count)
        drawScript(&state)
        if !state.beats { beat() }
        state.beats = true
      case .progress(let progress):
        state.script?.note(bytes: progress.bytes, of: progress.size)
        drawScript(&state)
      case .finished: state.script = nil
      default: break
      }
    }
  }

  /// Draws the bar again and again on a thread of its own: while SQLite sorts, it reports nothing.
  private func beat() {
    _ = BackgroundWork { [weak self] in
      while self != nil {
        System.sleep(milliseconds: 500)
        if let self { state.withLock { self.drawScript(&$0) } }
      }
    }
  }

  private func drawScript(_ state: inout State) {
    guard let script = state.script else { return }
    draw(.running(script, timeAtByte: script.timeAtByte()), &state)
  }

  /// Draws at most ten times a second, and not in the first tenth of a second, so that a fast
  /// upgrade shows nothing.
  private func draw(_ bar: ProgressBar, _ state: inout State) {
    let now = ContinuousClock.now
    guard now - state.latest >= .milliseconds(100) else { return }
    state.latest = now
    console.draw(bar.text)
  }
}
