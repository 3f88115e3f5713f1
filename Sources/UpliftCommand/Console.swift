internal import Synchronization
internal import UpliftSystem

/// Writes results to standard output, errors and progress to standard error.
///
/// The progress bar is erased before any other line is written, because both may be the same
/// terminal. Several threads may write lines.
final class Console: Sendable {
  enum Progress { case bar, notices, none }

  let progress: Progress
  /// The name that a user types before a verb.
  private let program: String
  private let state = Mutex(State())

  fileprivate struct State {
    /// The progress bar that is on the terminal now; nil if there is none.
    var bar: String?
    /// Why a line of the result could not be written; no more are written after it.
    var outputError: SystemError?
    /// Lines of the result that nobody has taken yet.
    var held: [String] = []
    /// The run is over, and no bar is drawn any more.
    var isFinished = false
  }

  init(isQuiet: Bool, program: String) {
    self.program = program
    progress = isQuiet ? .none : Stream.error.isTerminal && !Self.isDumb ? .bar : .notices
  }

  /// Writes a line of the result.
  ///
  /// While the database may be locked (`waits` is false), a line that nobody takes is kept, and
  /// written later.
  func result(_ line: String, waits: Bool = true) {
    state.withLock { state in
      state.held.append(named(line))
      state.release(waits: waits)
    }
  }

  func show(_ report: ErrorReport) {
    notice(report.text(isColoured: Self.hasColour))
  }

  /// Writes a line to standard error; if that is closed, the line is lost.
  ///
  /// A commit that waits for a reader keeps other readers out. So if `waits` is false, nothing is said
  /// to somebody who does not read.
  func notice(_ line: String, waits: Bool = true) {
    state.withLock { state in
      guard waits || Stream.error.isReady else { return }
      if waits { state.release(waits: true) }
      state.erase()
      say(named(line) + "\n")
    }
  }

  /// The text with the name of the program in front of each verb.
  private func named(_ text: String) -> String {
    guard program != "uplift" else { return text }
    var text = text
    if text.hasPrefix("uplift: ") { text = program + text.dropFirst(6) }
    for word in Verb.allCases.map(\.rawValue) + ["--version"] {
      text = text.replacing("uplift \(word)", with: "\(program) \(word)")
    }
    return text
  }

  /// Draws the progress bar in place of the one before.
  func draw(_ line: (_ width: Int) -> String) {
    let width = Stream.error.width ?? Self.columns ?? 80
    // The last column stays free, because a character there moves some terminals to the next line.
    let text = line(max(width - 1, 1))
    state.withLock { state in
      // A script holds SQLite's lock while the bar is drawn.
      guard text != state.bar, !state.isFinished, Stream.error.isReady else { return }
      state.bar = text
      say("\r" + text + "\u{1b}[K")
    }
  }

  /// Erases the bar, and returns the exit code to end with: a success becomes an error if the
  /// result could not be written.
  func finish(with code: ExitCode) -> ExitCode {
    let outputError = state.withLock { state in
      state.release(waits: true)
      state.erase()
      state.isFinished = true
      return state.outputError
    }
    guard let outputError else { return code }
    show(
      ErrorReport(
        kind: "output", message: "standard output: \(outputError.words)",
        remedy: "the work is done, but its result was not printed", exit: .disk))
    return [.success, .pending, .different].contains(code) ? .disk : code
  }

  /// The width that the environment names, if it is a sensible number.
  private static var columns: Int? {
    System.environment("COLUMNS").flatMap { Int($0) }
      .flatMap { (1...10_000).contains($0) ? $0 : nil }
  }

  private static var isDumb: Bool { System.environment("TERM") == "dumb" }

  private static var hasColour: Bool {
    Stream.error.isTerminal && !isDumb && (System.environment("NO_COLOR") ?? "").isEmpty
  }
}

extension Console.State {
  /// Writes the lines that are held.
  mutating func release(waits: Bool) {
    while let line = held.first,
      waits || Stream.output.isReady && (bar == nil || Stream.error.isReady)
    {
      held.removeFirst()
      erase()
      guard outputError == nil else { continue }
      do {
        try Stream.output.write(line + "\n")
      } catch {
        outputError = error
      }
    }
  }

  mutating func erase() {
    guard bar != nil else { return }
    bar = nil
    say("\r\u{1b}[K")
  }
}

private func say(_ text: String) {
  do {
    try Stream.error.write(text)
  } catch {
    return
  }
}
