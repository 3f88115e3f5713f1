internal import Uplift

/// The result of one database of `--each`.
struct EachResult: Sendable {
  enum Kind: Sendable {
    /// It is at the target, and was so before.
    case current
    /// It is at the target now.
    case changed
    /// `status`: scripts are pending.
    case pending
    case failed
    /// It was cancelled by a signal.
    case stopped
  }

  /// The place of a failure in a script, to notice that several databases fail there.
  struct Place: Hashable, Sendable {
    let file: String
    let line: Int?
    let column: Int?

    var shown: String {
      guard let line else { return file }
      return "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
    }
  }

  enum Outcome: Sendable {
    /// The report of `up`, which may end with an error.
    case upgrade(UpReport)
    /// The report of `status`, which may have a refusal.
    case status(StatusReport)
    /// The file was not opened, or its status could not be read.
    case failure(ErrorReport)
  }

  /// The database as the user knows it.
  let database: String
  let outcome: Outcome
  /// The error of the library; nil if there is none, or if the file was not opened.
  var cause: UpgradeError?
}

extension EachResult {
  var kind: Kind {
    if failure != nil {
      if case .cancelled? = cause { return .stopped }
      return .failed
    }
    return switch outcome {
    case .upgrade(let report): report.hasChanged ? .changed : .current
    case .status(let report): report.status.isCurrent ? .current : .pending
    case .failure: .failed
    }
  }

  /// The error with the database in front; nil if there is none.
  var error: ErrorReport? { failure?.about(database) }

  private var failure: ErrorReport? {
    switch outcome {
    case .upgrade(let report): report.error
    case .status(let report): report.error
    case .failure(let error): error
    }
  }

  /// Nil unless a script failed.
  var place: Place? {
    guard case .failed(let failure)? = cause else { return nil }
    return Place(
      file: failure.source ?? failure.script, line: failure.line, column: failure.column)
  }

  /// True if all databases would have this error, because it is about the seed or the scripts.
  var isAboutShipment: Bool { cause?.isAboutShipment ?? false }

  /// The lines for people on standard output.
  var lines: [String] {
    switch outcome {
    case .upgrade(let report) where report.hasChanged:
      (report.skipped.map { "skipped \($0.name):\($0.line): \($0.words)" } + [report.change])
        .map { "\(database): \($0)" }
    case .status(let report): [report.line]
    default: []
    }
  }
}

extension JSON {
  /// The line that `--each DIR --json` prints for a database: as for a single database.
  init(_ result: EachResult, of verb: Verb, target: Version?) {
    self =
      switch result.outcome {
      case .upgrade(let report): JSON(report)
      case .status(let report): JSON(report, verifies: false)
      case .failure(let error) where verb == .up:
        JSON(UpReport(of: result.database, failed: error, target: target))
      case .failure(let error): JSON(error, result.database, nil, nil, target: target)
      }
  }
}

extension StatusReport {
  /// The status in one line: `3 of 5, 2 pending`.
  fileprivate var line: String {
    let pending = status.pending.isEmpty ? "" : ", \(status.pending.count) pending"
    return "\(database): \(version)\(pending)"
  }
}

extension ErrorReport {
  /// The same error with the database in front of its message, unless the message begins with it.
  fileprivate func about(_ database: String) -> ErrorReport {
    guard !message.hasPrefix("\"\(database)") else { return self }
    return ErrorReport(
      kind: kind, message: "\(database): \(message)", remedy: remedy, exit: exit,
      location: location, reached: reached)
  }
}

extension UpgradeError {
  /// True for an error of the seed or the scripts that does not depend on the database.
  ///
  /// The seed and the scripts were in order when the run began, so another process has changed or
  /// removed them.
  fileprivate var isAboutShipment: Bool {
    switch self {
    case .scriptName, .duplicate, .mixedNumbers, .scriptText, .unreadable: true
    case .seed(let seed):
      if case .otherEncoding = seed.problem { false } else { true }
    case .missing(let missing): missing.resource != .database
    default: false
    }
  }
}
