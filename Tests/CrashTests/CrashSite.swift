import Foundation
import TestSupport

/// A disk, and work on it that can be stopped at each of its calls.
protocol CrashSite: AnyObject {
  /// What the work is, for the figures.
  var name: String { get }
  var scratch: Scratch { get }
  var helper: Helper { get }
  /// The disk before the work.
  var start: Tree { get }
  /// The version that the work ends with.
  var end: Int { get }

  /// The order for one run of the work.
  func order() -> Order
  /// What is wrong with the disk after the work was stopped; nil if it is right.
  func complaintAboutRemains(reported: Int?) throws -> String?
  /// Does the work again, and says what is wrong with the disk then; nil if it is right.
  func complaintAboutNextRun() throws -> String?
}

extension CrashSite {
  static func makeScratch() throws -> Scratch {
    let scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    try scratch.removeAll("temporary")
    try scratch.removeAll("disk")
    return scratch
  }

  var disk: String { scratch("disk") }

  /// Makes the disk as it was, or as a tree says.
  func clear(_ tree: Tree? = nil) throws {
    try scratch.removeAll("disk")
    try scratch.removeAll("temporary")
    try (tree ?? start).write(to: disk)
  }

  func run(rules: String = "", isLogged: Bool = false) throws -> Boot {
    var order = order()
    order["root"] = disk
    order["temporary"] = scratch("temporary")
    order["rules"] = rules
    if isLogged { order["log"] = scratch("log") }
    return try helper.boot(order)
  }

  /// The calls of the whole work.
  func calls(includingNotes: Bool = false) throws -> [Operation] {
    try clear()
    let run = try run(isLogged: true)
    guard run.end == end else { throw Helper.Gone() }
    let calls = try Operation.all(in: scratch.bytes("log") ?? Data(), below: disk)
    return calls.filter { includingNotes || $0.name != "note" }
  }

  /// Looks at what is left, and then does the work again.
  private func complaint(reported: Int?) throws -> String? {
    let tree = try Tree(of: disk)
    if let complaint = try complaintAboutRemains(reported: reported) { return complaint }
    // SQLite has repaired the databases in order to read them.
    try clear(tree)
    return try complaintAboutNextRun()
  }
}

/// The suites: each returns what was wrong.
extension CrashSite {
  /// SIGKILL at every call.
  func complaintsAboutKills() throws -> [String] {
    let calls = try calls()
    var complaints: [String] = []
    let rules = Operation.kills(in: calls)
    for rule in rules {
      try clear()
      let run = try run(rules: rule)
      let complaint =
        try run.status == -9 ? complaint(reported: run.reported) : "was not killed"
      if let complaint { complaints.append("\(rule): \(complaint)") }
    }
    Figures.report(
      "kill, \(name)",
      "\(rules.count) kills at \(calls.count) calls, \(complaints.count) failures")
    return Array(complaints.prefix(3))
  }

  /// Every call fails.
  func complaintsAboutErrors() throws -> [String] {
    let calls = try calls()
    var complaints: [String] = []
    var count = 0
    for (index, call) in calls.enumerated() {
      let namesakes = calls[...index].count { $0.name == call.name }
      for fault in Fault.all(of: call, at: index + 1, amongItsOwn: namesakes) {
        try clear()
        count += 1
        let run = try run(rules: fault.rules)
        let hasEnded = run.status == 0 && (run.end == end) == (run.failure == nil)
        let complaint =
          try hasEnded
          ? complaint(reported: run.reported) : "neither an error nor a result"
        if let complaint {
          complaints.append("\(fault.rules) (\(call.name) \(call.path)): \(complaint); \(run)")
        }
      }
    }
    Figures.report(
      "errors, \(name)", "\(count) faults at \(calls.count) calls, \(complaints.count) failures")
    return Array(complaints.prefix(3))
  }

  /// The power is cut.
  func complaintsAboutPowerCuts() throws -> [String] {
    try clear()
    let tree = try Tree(of: disk)
    let disk = try Disk(start: tree, calls: try calls(includingNotes: true))
    var random = Random(seed: Figures.seed)
    let states = disk.states(mixtures: Figures.choose(4, deep: 40), &random)
    var complaints: [String] = []
    for state in states {
      try clear(state.tree)
      if let complaint = try complaint(reported: state.reported) {
        complaints.append("\(state.story): \(complaint)")
      }
    }
    Figures.report(
      "power loss, \(name)",
      "\(states.count) states at \(disk.moments.count) moments, \(complaints.count) failures")
    return Array(complaints.prefix(3))
  }

  /// The disk has room for some bytes more, in steps of 4 KiB.
  func complaintsAboutFullDisks() throws -> [String] {
    var complaints: [String] = []
    var room = 0
    while room < 16 << 20 {
      try clear()
      let run = try run(rules: "room \(room)")
      let complaint =
        try run.end == end || run.failure?.name == "disk"
        ? complaint(reported: run.reported) : "not the right error"
      if let complaint { complaints.append("\(room) bytes: \(complaint); \(run)") }
      if run.end == end { break }
      room += 4096
    }
    Figures.report(
      "full disk, \(name)", "every size to \(room) bytes, \(complaints.count) failures")
    return Array(complaints.prefix(3)) + (room < 16 << 20 ? [] : ["never enough"])
  }
}
