import Foundation
import Glibc
import TestSupport
import Testing

/// A bake is stopped at each of its calls: the old seed or the new one is there, and a script with
/// its number.
struct BakeCrashTests {
  @Test(.tags(.R12, .promise13)) func `survives SIGKILL before and after every call`() throws {
    let site = try BakeSite()
    let calls = try site.calls()

    var complaints: [String] = []
    for rule in (1...calls.count).flatMap({ ["kill at \($0)", "killed at \($0)"] })
    where !Figures.isEnough(complaints) {
      try site.clear()
      let bake = try site.bake(rules: rule)
      let complaint =
        try bake.status == -9
        ? site.complaintAboutRemains(reported: bake.reported) ?? site.complaintAboutNextBake()
        : "was not killed"
      if let complaint { complaints.append("\(rule): \(complaint)") }
    }

    Figures.report(
      "kill, bake", "\(calls.count) calls, before and after each, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  @Test(.tags(.R12)) func `throws or succeeds, whatever call fails`() throws {
    let site = try BakeSite()
    let calls = try site.calls()

    var complaints: [String] = []
    var count = 0
    for (index, call) in calls.enumerated() {
      let namesakes = calls[...index].count { $0.name == call.name }
      for fault in Fault.all(of: call, at: index + 1, amongItsOwn: namesakes)
      where !Figures.isEnough(complaints) {
        try site.clear()
        count += 1
        let bake = try site.bake(rules: fault.rules)
        let hasEnded = bake.status == 0 && (bake.end == 3) == (bake.failure == nil)
        let complaint =
          try hasEnded
          ? site.complaintAboutRemains(reported: bake.reported) ?? site.complaintAboutNextBake()
          : "neither an error nor a seed"
        if let complaint {
          complaints.append("\(fault.rules) (\(call.name) \(call.path)): \(complaint); \(bake)")
        }
      }
    }

    Figures.report(
      "errors, bake", "\(count) faults at \(calls.count) calls, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  @Test(.tags(.R12)) func `loses nothing if the power is cut`() throws {
    let site = try BakeSite()
    let start = try Tree(of: site.disk)
    let disk = try Disk(start: start, calls: try site.calls(includingNotes: true))
    var random = Random(seed: Figures.seed)

    let states = disk.states(mixtures: Figures.choose(4, deep: 40), &random)
    var complaints: [String] = []
    for state in states where !Figures.isEnough(complaints) {
      try site.clear(state.tree)
      let complaint =
        try site.complaintAboutRemains(reported: state.reported)
        ?? site.complaintAboutNextBake()
      if let complaint { complaints.append("\(state.story): \(complaint)") }
    }

    Figures.report(
      "power loss, bake",
      "\(states.count) states at \(disk.moments.count) moments, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }
}

/// A seed at version 1, the script that reads it, and a pending script.
private final class BakeSite {
  let scratch: Scratch
  private let helper = try? Helper()
  private let start: Tree
  private let old: Data

  private static let refresh = "-- uplift: reads-seed\nDELETE FROM word;\n"

  init() throws {
    scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    try scratch.removeAll("temporary")
    try scratch.removeAll("disk")
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
    try scratch.write("", to: "disk/app.db")
    try RawDatabase(scratch("disk/app.db")).run(
      """
      CREATE TABLE word(id INTEGER PRIMARY KEY, text);
      \(rows) INSERT INTO word SELECT i, 'word ' || i FROM n;
      PRAGMA user_version = 1;
      """)
    try scratch.write(Self.refresh, to: "disk/scripts/1_refresh.sql")
    try scratch.write("CREATE INDEX word_text ON word(text);", to: "disk/scripts/2_index.sql")
    start = try Tree(of: scratch("disk"))
    old = scratch.bytes("disk/app.db") ?? Data()
  }

  var disk: String { scratch("disk") }

  func clear(_ tree: Tree? = nil) throws {
    try scratch.removeAll("disk")
    try scratch.removeAll("temporary")
    try (tree ?? start).write(to: disk)
  }

  func bake(rules: String = "", isLogged: Bool = false) throws -> Boot {
    var order = Order(database: scratch("unused.db"), migrations: scratch("disk/scripts"))
    order["bake"] = "1"
    order["seed"] = scratch("disk/app.db")
    order["root"] = disk
    order["temporary"] = scratch("temporary")
    order["rules"] = rules
    if isLogged { order["log"] = scratch("log") }
    return try (helper ?? Helper()).boot(order)
  }

  /// The calls of a whole bake.
  func calls(includingNotes: Bool = false) throws -> [Operation] {
    try clear()
    let bake = try bake(isLogged: true)
    guard bake.end == 3 else { throw Helper.Gone() }
    let calls = try Operation.all(in: scratch.bytes("log") ?? Data(), below: disk)
    return calls.filter { includingNotes || $0.name != "note" }
  }

  /// The old seed or the new one, whole, and a script with its number.
  func complaintAboutRemains(reported: Int?) throws -> String? {
    guard let bytes = scratch.bytes("disk/app.db") else { return "there is no seed" }
    let found = try Contents(of: scratch("disk/app.db"))
    guard found.isSound else { return "the seed is not sound" }
    guard found.version == 3 || bytes == old else { return "the old seed has changed" }
    guard [1, 3].contains(found.version) else { return "the seed is at \(found.version)" }
    if let reported, reported != found.version { return "\(reported) was reported" }
    let script = scratch.bytes("disk/scripts/\(found.version)_refresh.sql")
    guard script == Data(Self.refresh.utf8) else { return "no script has \(found.version)" }
    return nil
  }

  /// Bakes again, and checks the number of the seed and that no other file is left.
  func complaintAboutNextBake() throws -> String? {
    let version = try Contents(of: scratch("disk/app.db")).version
    let next = version == 1 ? 3 : 4
    let bake = try bake()
    guard bake.end == next else { return "the next bake failed: \(bake)" }
    let names = scratch.names("disk") + scratch.names("disk/scripts")
    guard names == ["app.db", "scripts", "2_index.sql", "\(next)_refresh.sql"] else {
      return "left behind: \(names)"
    }
    return nil
  }
}
