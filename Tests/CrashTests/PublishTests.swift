import Foundation
import TestSupport
import Testing

/// A change between an inspection and the act that follows it does no harm.
struct PublishTests {
  @Test(.tags(.promise2, .F7), arguments: ["", Workload.plainCalls.rules])
  func `leaves a database alone that appears at the last moment`(missingCalls: String) throws {
    var workload = Workload.plainCalls
    workload.rules = missingCalls
    let stage = try Stage(workload)
    let order = stage.order(rules: "delay 400 call link;delay 400 call renameat2")
    let late = stage.scratch("late.db")
    try RawDatabase(late).run("CREATE TABLE theirs(id); PRAGMA user_version = 3;")

    let boot = try Command.product("CrashHelper").start([], input: order.line + "\n")
    try waitUntil { stage.names.contains { $0.hasSuffix(".uplift") } || !boot.isRunning }
    try FileManager.default.moveItem(atPath: late, toPath: stage.database)
    _ = try boot.wait()

    #expect(try RawDatabase(stage.database).rows("SELECT name FROM sqlite_master") == ["theirs"])
    #expect(stage.names == ["app.db"])
  }

  @Test(.tags(.promise2, .promise3, .F3), arguments: ["-journal", "-wal"])
  func `leaves a journal alone that has lost its database`(suffix: String) throws {
    let stage = try Stage(.rollback)
    let name = "disk/var/data/app.db" + suffix
    try stage.scratch.write("somebody's data", to: name)

    let boot = try Helper().boot(stage.order())

    #expect(boot.failure?.name == "orphaned")
    #expect(stage.names == ["app.db" + suffix])
    #expect(stage.scratch.bytes(name) == Data("somebody's data".utf8))
  }

  @Test(.tags(.promise4, .promise6, .S2))
  func `keeps the scripts before one that undoes its transaction`() throws {
    var workload = Workload.plainCalls
    workload.scripts["3_rebuild.sql"] = "INSERT OR ROLLBACK INTO item(id, name) VALUES(1, 'again');"
    workload.scripts["4_never.sql"] = "CREATE TABLE never(id);"
    let stage = try Stage(workload, through: 2)

    let boot = try Helper().boot(stage.order())

    #expect(boot.failure.map { [$0.name, "\($0.reached ?? -1)"] } == ["failed", "2"])
    #expect(try Contents(of: stage.database) == stage.expected[2])
  }

  /// Without `flock`, several processes seed at once, each with a copy of its own.
  @Test(.tags(.promise3, .promise5, .F7), arguments: [Workload.rollback, .plainCalls])
  func `seeds once if the file system has no locks on directories`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    var random = Random(seed: Figures.seed)
    let rounds = Figures.choose(100, deep: 1000)

    var complaints: [String] = []
    for round in 1...rounds {
      stage.clear()
      let delay = Int.random(in: 1...4, using: &random)
      var order = stage.order(rules: "fail 38 call flock on;delay \(delay) call fsync")
      order["count"] = "5"
      let boots = try judge.helper.race(order)
      let unlucky = boots.first { $0.end != workload.target }
      let complaint =
        unlucky.map { "failed: \($0)" }
        ?? judge.complaintAboutRemains(reported: workload.target)
        ?? (stage.names == ["app.db"] ? nil : "left behind: \(stage.names)")
      if let complaint { complaints.append("round \(round): \(complaint)") }
    }

    Figures.report(
      "races without locks, \(workload.testDescription)",
      "\(rounds) rounds of 5 boots, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }
}
