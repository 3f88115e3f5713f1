internal import UpliftSystem

/// Results on standard output, complaints and progress on standard error.
///
/// The one line of progress is gone before any other is written, on either of them: both may be
/// the same terminal.
final class Console {
  enum Progress { case bar, notices, none }

  let progress: Progress
  /// The line of progress that stands on the terminal; nil where there is none.
  private var bar: String?
  private var outputError: SystemError?

  init(isQuiet: Bool, progress choice: ProgressChoice) {
    progress =
      switch choice {
      case _ where isQuiet: .none
      case .never: .none
      case .always: .bar
      case .auto: Stream.error.isTerminal && !Self.isDumb ? .bar : .notices
      }
  }

  /// Writes a result; after one that could not be written, no more.
  func result(_ line: String) {
    erase()
    guard outputError == nil else { return }
    do {
      try Stream.output.write(line + "\n")
    } catch {
      outputError = error
    }
  }

  func complain(_ complaint: Complaint) {
    notice(complaint.text(isColoured: Self.hasColour))
  }

  /// Writes a line to standard error; where that is closed there is nobody left to tell.
  func notice(_ line: String) {
    erase()
    say(line + "\n")
  }

  /// Puts a line in the place of the one drawn before.
  func draw(_ line: (_ width: Int) -> String) {
    let width = Stream.error.width ?? Self.columns ?? 80
    // The last column stays free: writing to it moves some terminals to the next line.
    let text = line(max(width - 1, 1))
    guard text != bar else { return }
    bar = text
    say("\r" + text + "\u{1b}[K")
  }

  func erase() {
    guard bar != nil else { return }
    bar = nil
    say("\r\u{1b}[K")
  }

  /// Prints something that is a result by itself.
  func print(_ text: String) -> ExitCode {
    result(text)
    return exit(.success)
  }

  /// The exit code, once it is clear whether the results were written.
  func exit(_ code: ExitCode) -> ExitCode {
    erase()
    guard let outputError else { return code }
    let complaint = Complaint(output: outputError)
    complain(complaint)
    return code == .success || code == .pending ? complaint.exit : code
  }

  private func say(_ text: String) {
    do {
      try Stream.error.write(text)
    } catch {
      return
    }
  }

  /// What the environment says of the terminal, if it can be true.
  private static var columns: Int? {
    guard let columns = System.environment("COLUMNS").flatMap({ Int($0) }) else { return nil }
    return (1...10_000).contains(columns) ? columns : nil
  }

  private static var isDumb: Bool { System.environment("TERM") == "dumb" }

  private static var hasColour: Bool {
    Stream.error.isTerminal && !isDumb && (System.environment("NO_COLOR") ?? "").isEmpty
  }
}
