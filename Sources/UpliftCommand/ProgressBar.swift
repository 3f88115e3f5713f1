internal import Uplift

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
  /// If there is no room, the bar is left out first, then the time, then the numbers.
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
      let name = min(script.name.unicodeScalars.count, 40)
      let bar = Self.bar(script.percent)
      for tail in [count + bar + percent + alive, count + percent + alive, count + percent] {
        if name + tail.count <= width { return script.name.fitted(to: name) + tail }
      }
      return script.name.fitted(to: width)
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
    let text = printable.replacing(tabsWith: " ")
    guard text.unicodeScalars.count > width else { return text }
    return width > 0 ? String(text.unicodeScalars.prefix(width - 1)) + "…" : ""
  }

  private func replacing(tabsWith blank: Unicode.Scalar) -> String {
    var view = UnicodeScalarView()
    view.append(contentsOf: unicodeScalars.lazy.map { $0 == "\t" ? blank : $0 })
    return String(view)
  }
}
