internal import Synchronization
internal import Uplift
internal import UpliftSystem

/// The progress bar: one line about the script that is running.
package struct ProgressBar: Sendable {
  private let name: String
  private let place: String
  private var bytes = 0
  private var size = 0
  /// What a script has done that repeats: nobody knows how many passes will come.
  private var passes: String?
  /// When the number of bytes last changed.
  private var moved: ContinuousClock.Instant

  package init(name: String, index: Int, count: Int, begun: ContinuousClock.Instant = .now) {
    self.name = name
    place = " \(index)/\(count)"
    moved = begun
  }

  /// Notes how many bytes of the script have run; the same number again means that a long statement
  /// is running.
  package mutating func note(bytes: Int, of size: Int, at now: ContinuousClock.Instant = .now) {
    if bytes != self.bytes { moved = now }
    self.bytes = bytes
    self.size = size
  }

  /// Notes the passes of a script that repeats.
  package mutating func note(passes: Int, rows: Int64) {
    self.passes = ", pass \(passes + 1), \(rows.grouped) rows"
  }

  /// The line, at most `width` columns wide.
  ///
  /// If there is no room, the bar is left out first, then the name is cut, then the words about the
  /// time go. The percentage goes last.
  package func text(width: Int, at now: ContinuousClock.Instant = .now) -> String {
    if let tail = passes.map({ place + $0 }), tail.count < width {
      return name.fitted(to: width - tail.count) + tail
    }
    let share = size == 0 ? 0 : min(bytes * 100 / size, 100)
    let bar = String(repeating: "#", count: share / 5).padded(to: 20, with: ".")
    let seconds = (now - moved).components.seconds
    let time = seconds < 2 ? ["", ""] : [", still running (\(seconds) s)", " (\(seconds) s)"]
    let length = min(name.unicodeScalars.count, 40)
    let tails = [
      ("\(place) [\(bar)] \(share)%\(time[0])", length),
      ("\(place) \(share)%\(time[0])", min(length, 12)),
      ("\(place) \(share)%\(time[1])", min(length, 12)),
      ("\(place) \(share)%", min(length, 6)), (" \(share)%", 1),
    ]
    for (tail, least) in tails where least + tail.count <= width {
      return name.fitted(to: min(length, width - tail.count)) + tail
    }
    return String("\(share)%".prefix(width))
  }

  /// The line of an upgrade that waits for another program.
  package static func waiting(for database: String, _ time: Duration, width: Int) -> String {
    let seconds = " (\(time.components.seconds) s)"
    return "waiting for \(database)".fitted(to: width - seconds.count) + seconds.prefix(width)
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
    /// When something was drawn; a fast upgrade shows nothing in its first tenth of a second.
    var latest = ContinuousClock.now
    /// The bar of the script that is running; nil between two of them.
    var bar: ProgressBar?
    var hasNoticed = false
    var beats = false
  }

  init(of database: String, on console: Console) {
    self.database = database
    self.console = console
  }

  func show(_ event: Upgrader.Event) {
    if console.progress == .none { return }
    let isOnTerminal = console.progress == .bar
    state.withLock { state in
      switch event {
      case .waiting(let wait) where isOnTerminal:
        draw(&state) { ProgressBar.waiting(for: database, wait, width: $0) }
      case .waiting(let wait) where wait >= .seconds(1) && !state.hasNoticed:
        state.hasNoticed = true
        console.notice("uplift: \(database.printable) is busy, waiting", waits: false)
      case .started(let script) where isOnTerminal:
        state.bar = ProgressBar(name: script.name, index: script.index, count: script.count)
        if !state.beats { beat() }
        state.beats = true
      case .progress(let progress):
        state.bar?.note(bytes: progress.bytes, of: progress.size)
        if let passes = progress.passes, let rows = progress.rows {
          state.bar?.note(passes: passes, rows: rows)
        }
      case .finished: state.bar = nil
      default: break
      }
      drawBar(&state)
    }
  }

  /// Draws the bar again and again on a thread of its own: while SQLite sorts, it reports nothing.
  private func beat() {
    _ = BackgroundWork { [weak self] in
      while self != nil {
        System.sleep(milliseconds: 500)
        if let self { state.withLock { self.drawBar(&$0) } }
      }
    }
  }

  private func drawBar(_ state: inout State) {
    if let bar = state.bar { draw(&state) { bar.text(width: $0) } }
  }

  /// Draws at most ten times a second.
  private func draw(_ state: inout State, _ line: (_ width: Int) -> String) {
    let now = ContinuousClock.now
    guard now - state.latest >= .milliseconds(100) else { return }
    state.latest = now
    console.draw(line)
  }
}
