import TestSupport
import Testing

/// SQLite asks for memory and gets none.
struct AllocationTests {
  @Test(
    .tags(.promise4, .promise6, .P10),
    arguments: Figures.isDeep ? Workload.all : [.switching, .unseeded, .filling])
  func `throws and loses nothing, whichever allocation fails`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    func boot(_ at: Int, on: Bool = false) throws -> Boot {
      stage.clear()
      var order = stage.order()
      order["starve"] = "\(at)"
      if on { order["on"] = "1" }
      return try judge.helper.boot(order)
    }
    let count = try boot(0).allocations
    let step = Figures.choose(max(1, count / 150), deep: 1)

    var complaints: [String] = []
    var runs = 0
    for at in stride(from: 1, through: count, by: step) {
      for on in [false, true] {
        runs += 1
        let boot = try boot(at, on: on)
        let complaint =
          try complaint(about: boot, workload)
          ?? judge.complaintAboutRemains(reported: boot.reported)
          ?? judge.complaintAboutNextBoot()
        if let complaint { complaints.append("\(at)\(on ? " on" : ""): \(complaint); \(boot)") }
      }
    }

    Figures.report(
      "allocation, \(workload.testDescription)",
      "\(runs) refusals at \(count) requests, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  private func complaint(about boot: Boot, _ workload: Workload) -> String? {
    guard boot.status == 0 else { return "ended by a signal" }
    guard boot.failure != nil || boot.end == workload.target else { return "no error, no target" }
    return boot.outstanding == 0 ? nil : "\(boot.outstanding) pieces were never given back"
  }
}
