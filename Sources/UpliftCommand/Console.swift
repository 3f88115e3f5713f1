internal import UpliftSystem

/// Writes results to standard output, errors and progress to standard error.
///
/// The progress bar is erased before any other line is written to standard output or standard
/// error, because both may be the same terminal.
final class Console {
  enum Progress { case bar, notices, none }

  let progress: Progress
  /// The name that a user types before a verb.
  private let program: String
  /// The progress bar that is on the terminal now; nil if there is none.
  private var bar: String?
  private var outputError: SystemError?
  /// Lines of the result that nobody has taken yet.
  private var held: [String] = []

  init(isQuiet: Bool, program: String) {
    self.program = program
    progress = isQuiet ? .none : Stream.error.isTerminal && !Self.isDumb ? .bar : .notices
  }

  /// Writes a line of the result.
  ///
  /// After one line fails, no more lines are written.
  func result(_ line: String) {
    releaseHeld()
    write(line)
  }

  /// Writes a line of the result while the database may be locked.
  ///
  /// If nobody takes the output, the line is kept, and written later.
  func resultWithoutWaiting(_ line: String) {
    held.append(line)
    while let first = held.first, Stream.output.isReady, bar == nil || Stream.error.isReady {
      held.removeFirst()
      write(first)
    }
  }

  private func releaseHeld() {
    let lines = held
    held = []
    for line in lines { write(line) }
  }

  private func write(_ line: String) {
    erase()
    guard outputError == nil else { return }
    do {
      try Stream.output.write(named(line) + "\n")
    } catch {
      outputError = error
    }
  }

  func show(_ report: ErrorReport) {
    releaseHeld()
    notice(report.text(isColoured: Self.hasColour))
  }

  /// Writes a line to standard error; if that is closed, the line is lost.
  func notice(_ line: String) {
    erase()
    say(named(line) + "\n")
  }

  /// Says that a database is busy.
  ///
  /// A commit that waits for a reader keeps other readers out, so this does not wait for somebody who
  /// reads standard error: then nothing is said.
  func noticeWaiting(for database: String) {
    guard Stream.error.isReady else { return }
    notice("uplift: \(database.printable) is busy, waiting")
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
    // A script holds SQLite's lock while the bar is drawn.
    guard text != bar, Stream.error.isReady else { return }
    bar = text
    say("\r" + text + "\u{1b}[K")
  }

  func erase() {
    guard bar != nil else { return }
    bar = nil
    say("\r\u{1b}[K")
  }

  /// Prints a text that is the whole result, such as the help.
  func print(_ text: String) -> ExitCode {
    result(text)
    return finish(with: .success)
  }

  /// Erases the bar, and returns the exit code to end with: a success becomes an error if the
  /// result could not be written.
  func finish(with code: ExitCode) -> ExitCode {
    releaseHeld()
    erase()
    guard let outputError else { return code }
    let report = ErrorReport(output: outputError)
    show(report)
    let isSuccess = code == .success || code == .pending
    return isSuccess || code == .different ? report.exit : code
  }

  private func say(_ text: String) {
    do {
      try Stream.error.write(text)
    } catch {
      return
    }
  }

  /// The width that the environment names, if it is a sensible number.
  private static var columns: Int? {
    guard let columns = System.environment("COLUMNS").flatMap({ Int($0) }) else { return nil }
    return (1...10_000).contains(columns) ? columns : nil
  }

  private static var isDumb: Bool { System.environment("TERM") == "dumb" }

  private static var hasColour: Bool {
    Stream.error.isTerminal && !isDumb && (System.environment("NO_COLOR") ?? "").isEmpty
  }
}
