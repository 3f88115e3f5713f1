internal import Uplift
internal import UpliftSystem

/// The results of a run with `--each`.
struct EachSummary: Sendable {
  /// After so many failures at the same place of the same script, no more databases are begun.
  private static let limit = 3

  fileprivate let verb: Verb
  fileprivate let directory: String
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
  fileprivate var stoppedAt: String?

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

  fileprivate func count(_ end: EachResult.End) -> Int { results.values.count { $0.end == end } }

  fileprivate var notBegun: Int { count - begun }

  /// The results in the order of the names.
  fileprivate var ordered: [EachResult] {
    (0..<count).compactMap { results[$0] }
  }

  /// One line for people.
  var line: String {
    let others = [
      (count(.pending), "pending"), (count(.failed), "failed"), (count(.stopped), "stopped"),
      (notBegun, "not begun"),
    ]
    return "\(count(.current) + count(.changed)) at \(target.map { "\($0)" } ?? "the target")"
      + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }

  /// The error that says why no more databases were begun; nil if a script did not stop the run.
  var stop: ErrorReport? {
    guard let place = stoppedAt else { return nil }
    return ErrorReport(
      kind: "stopped",
      message: "\(Self.limit) databases failed at \(place), \(notBegun) were not begun",
      remedy: "correct the script, then start again", exit: .scriptFailed, location: nil,
      reached: nil)
  }

  /// That of the first database that failed, by name.
  func exit(wantsPending: Bool, signal: StopSignal?) -> ExitCode {
    if let error = error ?? ordered.lazy.compactMap(\.error).first { return error.exit }
    if let signal, notBegun > 0 { return signal == .interrupt ? .interrupted : .terminated }
    return wantsPending && count(.pending) > 0 ? .pending : .success
  }
}

extension JSON {
  /// The object that `--each DIR --json` prints.
  ///
  /// - `command`: `"up"` or `"status"`
  /// - `each`: the directory; no other object has this member
  /// - `target`: the version to reach; null if it is not known
  /// - `databases`: an object for each database that was begun, as for a single one, in the order
  ///   of the names
  /// - `current`: the number of those that were at the target already
  /// - `changed`, for `up`: those that were brought to the target
  /// - `pending`, for `status`: those that have pending scripts
  /// - `failed`: those that were refused, or could not be brought to the target
  /// - `stopped`: those that a signal cancelled
  /// - `notBegun`: those that were left alone, after a signal or several failures at one place
  /// - `exit`: the exit code
  /// - `stoppedAt`: the place in a script, if several failures there ended the run
  /// - `error`: if the seed, the scripts or the directory ended the run
  init(_ summary: EachSummary, exit: ExitCode) {
    let isUp = summary.verb == .up
    var members: [(name: String, value: JSON)] = [
      ("command", .string(summary.verb.rawValue)),
      ("each", .string(summary.directory)),
      ("target", JSON(summary.target)),
      ("databases", .array(summary.ordered.map(\.json))),
      ("current", JSON(summary.count(.current))),
      isUp
        ? ("changed", JSON(summary.count(.changed))) : ("pending", JSON(summary.count(.pending))),
      ("failed", JSON(summary.count(.failed))),
      ("stopped", JSON(summary.count(.stopped))),
      ("notBegun", JSON(summary.notBegun)),
      ("exit", .number(Int64(exit.rawValue))),
    ]
    if let place = summary.stoppedAt { members.append(("stoppedAt", .string(place))) }
    if let error = summary.error { members.append(("error", JSON(error))) }
    self = .object(members)
  }
}
