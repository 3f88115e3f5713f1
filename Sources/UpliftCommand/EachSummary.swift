internal import Uplift
internal import UpliftSystem

/// The counts of a run with `--each`.
struct EachSummary: Sendable {
  let verb: Verb
  let directory: String
  /// Nil if the seed and the scripts do not say it.
  var target: Version?
  /// The number of names that end in `.db`, and of journals without a database.
  var databases = 0
  private var counts: [EachResult.Kind: Int] = [:]
  /// True if a script failed.
  private var hasFailedScript = false
  /// The largest exit code of the failures.
  private var code: ExitCode = .success
  /// The place at which several databases failed, so that no more were begun.
  var stoppedAt: String?
  /// The error that ended the run.
  var error: ErrorReport?

  init(of verb: Verb, in directory: String, target: Version?) {
    self.verb = verb
    self.directory = directory
    self.target = target
  }

  mutating func note(_ result: EachResult) {
    counts[result.kind, default: 0] += 1
    guard result.kind == .failed, let exit = result.error?.exit else { return }
    hasFailedScript = hasFailedScript || exit == .scriptFailed
    code = max(code, exit)
  }

  fileprivate func count(_ kind: EachResult.Kind) -> Int { counts[kind] ?? 0 }

  /// The number of databases that were begun and have ended.
  var ended: Int { counts.values.reduce(0, +) }
  var notBegun: Int { databases - ended }

  /// One line for people.
  var line: String {
    let atTarget = count(.current) + count(.changed)
    let others = [
      (count(.pending), "pending"), (count(.failed), "failed"), (count(.stopped), "stopped"),
      (notBegun, "not begun"),
    ]
    return "\(atTarget) at \(target.map { "\($0)" } ?? "the target")"
      + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
  }

  /// 1 if a script failed, otherwise the largest code of the failures.
  ///
  /// The code of a signal counts only if it stopped something.
  func exit(wantsPending: Bool, signal: StopSignal?) -> ExitCode {
    if let signal, count(.stopped) + notBegun > 0 {
      return signal == .interrupt ? .interrupted : .terminated
    }
    if hasFailedScript { return .scriptFailed }
    if let error { return error.exit }
    if code != .success { return code }
    return wantsPending && count(.pending) > 0 ? .pending : .success
  }
}

extension ExitCode: Comparable {
  package static func < (left: ExitCode, right: ExitCode) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension JSON {
  /// The object that `--each DIR --json` prints last.
  ///
  /// - `command`: `"up"` or `"status"`
  /// - `each`: the directory; no other object has this member
  /// - `target`: the version to reach; null if it is not known
  /// - `databases`: the number of names that `--each` deals with
  /// - `current`: those that were at the target already
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
      ("databases", JSON(summary.databases)),
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
