import TestSupport
import Testing

/// The process is killed: the disk has all that it wrote before.
struct KillTests {
  @Test(
    .tags(.promise3, .promise4, .promise5, .promise8, .P8, .F8),
    arguments: Workload.chosen)
  func `survives SIGKILL at every call`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    _ = try judge.helper.boot(stage.order(isLogged: true))
    let calls = try stage.takeLog().filter { $0.name != "note" }

    var complaints: [String] = []
    let rules = Operation.kills(in: calls)
    for rule in rules {
      stage.clear()
      let boot = try judge.helper.boot(stage.order(rules: rule))
      let complaint =
        boot.status == -9
        ? try judge.complaintAboutRemains(reported: boot.reported)
          ?? judge.complaintAboutNextBoot() : "was not killed"
      if let complaint { complaints.append("\(rule): \(complaint)") }
    }

    Figures.report(
      "kill, \(workload.testDescription)",
      "\(rules.count) kills at \(calls.count) calls, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  @Test(.tags(.promise4, .promise5, .P1, .P8, .F7), arguments: [Workload.rollback, .log, .filling])
  func `survives SIGKILL at any time, with others racing`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    var random = Random(seed: Figures.seed)
    let rounds = Figures.choose(150, deep: 3400)

    var complaints: [String] = []
    for round in 1...rounds {
      stage.clear()
      let count = Int.random(in: 3...8, using: &random)
      let killed = Int.random(in: 1...count, using: &random)
      var order = stage.order()
      order["count"] = "\(count)"
      order["kills"] = (0..<killed)
        .map { (child: $0, time: Int.random(in: 0...12_000, using: &random)) }
        .sorted { $0.time < $1.time }
        .map { "\($0.child):\($0.time)" }.joined(separator: ",")
      let boots = try judge.helper.race(order)
      let unlucky = boots.filter { $0.end != workload.target && $0.status != -9 }
      let complaint =
        unlucky.isEmpty
        ? try judge.complaintAboutRemains(reported: boots.compactMap(\.reported).max())
          ?? judge.complaintAboutNextBoot() : "failed beside the killed: \(unlucky[0])"
      if let complaint { complaints.append("round \(round): \(complaint)") }
    }

    Figures.report(
      "racing kills, \(workload.testDescription)",
      "\(rounds) rounds of 3 to 8 boots, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }
}
