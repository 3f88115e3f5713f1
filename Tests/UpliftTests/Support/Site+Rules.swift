import Foundation
import TestSupport

extension Site {
  /// Boots in as many processes as there are rules, all at the same moment.
  func race(rules: [String], target: Int = 3, _ options: [String] = []) throws -> [Outcome] {
    let barrier = try Scratch()
    let all = try rules.map {
      try start(target: target, options + ["--barrier", barrier.path], rules: $0)
    }
    try waitUntil { barrier.names().count >= rules.count }
    try barrier.write("", to: "go")
    return try all.map { try $0.wait() }
  }

  /// Boots to the seed's version, and does other work before one of its calls.
  ///
  /// The calls are counted from 0.
  func boot<Result>(
    interruptedBefore call: Int, by work: () throws -> Result
  ) throws -> (work: Result, boot: Outcome) {
    let boot = try start(target: 1, rules: "delay 150 at \(call + 1)")
    try waitUntil { calls().count >= call || !boot.isRunning }
    usleep(10_000)
    let result = try boot.whileStopped(work)
    return (result, try boot.wait())
  }

  /// How many calls a first boot makes until its database is durable.
  func callsOfSeeding(rules: String = "") throws -> Int {
    _ = try boot(target: 1, rules: rules)
    return (calls().lastIndex { $0.name == "fsync" && $0.path == "data" } ?? 0) + 1
  }
}

extension Running {
  /// Does other work while the process is stopped, however slow the machine is.
  ///
  /// A rule that delays the next call gives the time to stop the process before it.
  func whileStopped<Result>(_ work: () throws -> Result) rethrows -> Result {
    kill(identifier, SIGSTOP)
    defer { kill(identifier, SIGCONT) }
    return try work()
  }
}
