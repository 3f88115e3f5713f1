internal import Foundation

extension Site {
  /// Boots in a process of its own, and returns when it has ended.
  ///
  /// Its calls in the scratch directory are logged, and follow the rules (`Tests/Intercept`).
  public func boot(target: Int = 3, _ options: [String] = [], rules: String = "") throws -> Outcome
  {
    try start(target: target, options, rules: rules).wait()
  }

  /// Starts such a boot, and returns at once.
  public func start(target: Int = 3, _ options: [String] = [], rules: String = "") throws -> Running
  {
    var arguments = [database, "--migrations", scripts, "--target", "\(target)"]
    if scratch.bytes("resources/app.db") != nil { arguments += ["--seed", seed] }
    return try Command.product("BootHelper").start(
      arguments + options,
      environment: [
        "UPLIFT_INTERCEPT_ROOT": scratch.path,
        "UPLIFT_INTERCEPT_LOG": scratch("calls"),
        "UPLIFT_INTERCEPT_RULES": rules,
      ])
  }

  /// Boots in several processes that begin at the same moment.
  public func race(_ count: Int, target: Int = 3, _ options: [String] = []) throws -> [Outcome] {
    let barrier = try Scratch()
    let all = try (0..<count).map { _ in
      try start(target: target, options + ["--barrier", barrier.path])
    }
    try waitUntil { barrier.names().count >= count }
    try barrier.write("", to: "go")
    return try all.map { try $0.wait() }
  }

  /// The calls of all boots so far, in order.
  public func calls() -> [Call] {
    String(decoding: scratch.bytes("calls") ?? Data(), as: UTF8.self)
      .split(separator: "\n").compactMap { Call(line: $0, root: scratch.path) }
  }
}
