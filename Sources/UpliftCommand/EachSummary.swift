internal import Uplift
internal import UpliftSystem

/// The result of one database of `--each`.
struct EachResult: Sendable {
  enum End: Sendable {
    /// It was at the target before, or is now, or `status` has found something pending.
    case current, changed, pending
    /// It failed, or was cancelled by a signal.
    case failed, stopped
  }

  let end: End
  /// The lines for people on standard output.
  let lines: [String]
  /// The error with the database in front; nil if there is none.
  private(set) var error: ErrorReport?
  /// The object that the verb prints for a single database.
  let json: JSON

  private init(_ end: End, _ verb: Verb, _ report: Report, _ lines: [String], _ path: Path) {
    error = report.errors.first
    self.end = error?.kind == "cancelled" ? .stopped : error == nil ? end : .failed
    self.lines = lines.map { "\(path.shown): \($0)" }
    json = report.object(of: verb)
    if let message = error?.message, !message.hasPrefix("\"\(path.shown)") {
      error?.message = "\(path.shown): \(message)"
    }
  }

  init(_ report: UpReport, _ path: Path) {
    let lines = report.hasChanged ? report.skipped.map(\.shown) + [report.change] : []
    self.init(report.hasChanged ? .changed : .current, .up, report.report, lines, path)
  }

  init(_ report: StatusReport, _ path: Path) {
    let status = report.status
    let count = status?.pending.count ?? 0
    let lines = [report.versions + (count > 0 ? ", \(count) pending" : "")]
    self.init(
      status?.isCurrent == true ? .current : .pending, .status, report.report(),
      status == nil ? [] : lines, path)
  }

  /// The place in a script that failed, as in `4_a.sql:2:1`; nil unless a script failed.
  var place: String? {
    guard let error, error.exit == .scriptFailed else { return nil }
    return error.place.map { "\($0)" }
  }
}

/// The results of a run with `--each`.
struct EachSummary: Sendable {
  /// After so many failures at the same place of the same script, no more databases are begun.
  private static let limit = 3

  private let verb: Verb
  private let directory: String
  /// Nil if the seed and the scripts do not say it.
  var target: Version?
  /// How many databases there are.
  var count = 0
  /// The error that ended the run before a database was opened.
  var error: ErrorReport?
  private var begun = 0
  /// By the place of the database in the order of the names.
  private var results: [Int: EachResult] = [:]
  /// How many databases failed at a place of a script.
  private var failures: [String: Int] = [:]
  /// The place that has reached the limit.
  private var stoppedAt: String?

  init(of verb: Verb, in directory: String, target: Version?) {
    self.verb = verb
    self.directory = directory
    self.target = target
  }

  /// The next database to begin; nil if no more are begun.
  mutating func begin() -> Int? {
    guard begun < count, stoppedAt == nil else { return nil }
    begun += 1
    return begun - 1
  }

  mutating func note(_ result: EachResult, at index: Int) {
    results[index] = result
    guard let place = result.place else { return }
    failures[place, default: 0] += 1
    if failures[place] == Self.limit { stoppedAt = place }
  }

  private func count(_ end: EachResult.End) -> Int { results.values.count { $0.end == end } }

  private var notBegun: Int { count - begun }

  /// The results in the order of the names.
  private var ordered: [EachResult] { (0..<count).compactMap { results[$0] } }

  /// The error that says why no more databases were begun; nil if a script did not stop the run.
  var stop: ErrorReport? {
    guard let place = stoppedAt else { return nil }
    return ErrorReport(
      UpgradeError(
        .failed, "\(Self.limit) databases failed at \(place), \(notBegun) were not begun",
        fix: "correct the script, then start again"))
  }

  /// One line for people.
  private var line: String {
    let others = [
      (count(.pending), "pending"), (count(.failed), "failed"), (count(.stopped), "stopped"),
      (notBegun, "not begun"),
    ]
    return "\(count(.current) + count(.changed)) at \(target.map { "\($0)" } ?? "the target")"
      + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }

  /// That of the first database that failed, by name.
  private func exit(wantsPending: Bool) -> ExitCode {
    if let error = error ?? ordered.lazy.compactMap(\.error).first { return error.exit }
    if let signal = StopSignals.first, notBegun > 0 {
      return signal == .interrupt ? .interrupted : .terminated
    }
    return wantsPending && count(.pending) > 0 ? .pending : .success
  }

  func report(wantsPending: Bool) -> Report {
    let exit = exit(wantsPending: wantsPending)
    let (done, end) = verb == .up ? ("changed", EachResult.End.changed) : ("pending", .pending)
    var members: JSON = [
      "each": directory, "target": target, "databases": ordered.map(\.json),
      "current": count(.current), done: count(end), "failed": count(.failed),
      "stopped": count(.stopped), "notBegun": notBegun, "exit": exit.rawValue,
    ]
    if let stoppedAt { members = members + ["stoppedAt": stoppedAt] }
    return Report(
      lines: error == nil ? [line] : [], members: members, errors: error.map { [$0] } ?? [],
      exit: exit)
  }
}
