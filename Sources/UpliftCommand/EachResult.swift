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

  let kind: Kind
  /// The lines for standard output.
  var lines: [String] = []
  var json: JSON?
  var error: ErrorReport?
  /// Nil unless a script failed.
  var place: Place?
  /// True if the error is one of the seed or the scripts, which all databases would have.
  var isAboutShipment = false
}

extension EachResult {
  /// A failure, or the end of a database that was cancelled.
  init(_ error: UpgradeError, _ report: ErrorReport) {
    if case .cancelled = error {
      kind = .stopped
    } else {
      kind = .failed
    }
    self.error = report
    if case .failed(let failure) = error {
      place = Place(
        file: failure.source ?? failure.script, line: failure.line, column: failure.column)
    }
    isAboutShipment = error.isAboutShipment
  }
}

extension UpgradeError {
  /// True for an error of the seed or the scripts that does not depend on the database.
  ///
  /// They were in order when the run began, so another process has changed or removed them.
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
