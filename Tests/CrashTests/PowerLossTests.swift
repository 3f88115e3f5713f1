import TestSupport
import Testing

/// The power is cut at every call of a boot that seeds and runs scripts.
struct PowerLossTests {
  @Test(
    .tags(.promise3, .promise4, .promise8, .promise11, .P6, .P8, .F8, .F9),
    arguments: Workload.chosen)
  func `loses nothing that was reported, and nothing by half`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    let start = try Tree(of: stage.disk)
    let boot = try judge.helper.boot(stage.order(isLogged: true))
    #expect(boot.end == workload.target)
    let disk = try Disk(start: start, calls: try stage.takeLog())
    var random = Random(seed: Figures.seed)

    let states = disk.states(mixtures: Figures.choose(4, deep: 40), &random)
    var complaints: [String] = []
    for state in states {
      if let complaint = try judge.complaint(about: state) { complaints.append(complaint) }
    }

    Figures.report(
      "power loss, \(workload.testDescription)",
      "\(states.count) states at \(disk.moments.count) moments, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }
}
