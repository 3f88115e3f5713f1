import TestSupport
import Testing

/// The power is cut, and cut again during the boot after that.
struct SecondCrashTests {
  @Test(
    .tags(.promise3, .promise4, .promise11, .P8),
    arguments: [Workload.rollback, .log, .switching])
  func `loses nothing when a second crash interrupts the recovery`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    var random = Random(seed: Figures.seed)
    let start = try Tree(of: stage.disk)
    _ = try judge.helper.boot(stage.order(isLogged: true))
    let first = try Disk(start: start, calls: try stage.takeLog())
    let crashes = first.states(at: Figures.choose(20, deep: .max), mixtures: 2, &random)

    var complaints: [String] = []
    var count = 0
    while count < Figures.choose(150, deep: 3000),
      let crash = crashes.randomElement(using: &random)
    {
      try judge.make(crash.tree)
      _ = try judge.helper.boot(stage.order(isLogged: true))
      let second = try Disk(start: crash.tree, calls: try stage.takeLog())
      let states = second.states(at: 8, mixtures: 1, &random).shuffled(using: &random)
      for state in states.prefix(Figures.choose(10, deep: 40)) {
        count += 1
        let reported = [crash.reported, state.reported].compactMap(\.self).max()
        let both = State(
          tree: state.tree, reported: reported, story: "\(crash.story), then \(state.story)")
        if let complaint = try judge.complaint(about: both) { complaints.append(complaint) }
      }
    }

    Figures.report(
      "second crash, \(workload.testDescription)", "\(count) states, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  /// A killed process leaves what it wrote in the system's memory, synced or not.
  ///
  /// The next boot builds on that, and its result must be safe.
  @Test(.tags(.promise11, .F9, .P8), arguments: [Workload.rollback, .plainCalls])
  func `loses nothing when the power fails after a kill and a boot`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    var random = Random(seed: Figures.seed)
    let start = try Tree(of: stage.disk)
    _ = try judge.helper.boot(stage.order(isLogged: true))
    let calls = try stage.takeLog().filter { $0.name != "note" }.count

    var complaints: [String] = []
    var count = 0
    for at in stride(from: 1, through: calls, by: Figures.choose(max(1, calls / 40), deep: 1)) {
      stage.clear()
      _ = try judge.helper.boot(stage.order(rules: "kill at \(at)", isLogged: true))
      _ = try judge.helper.boot(stage.order(isLogged: true))
      let disk = try Disk(start: start, calls: try stage.takeLog())
      let states = disk.states(at: 12, mixtures: 0, &random).shuffled(using: &random)
      for state in states.prefix(Figures.choose(5, deep: 20)) {
        count += 1
        if let complaint = try judge.complaint(about: state) {
          complaints.append("kill at \(at), \(complaint)")
        }
      }
    }

    Figures.report(
      "kill, boot, power loss, \(workload.testDescription)",
      "\(count) states, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }
}
