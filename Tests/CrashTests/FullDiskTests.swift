import TestSupport
import Testing

/// The disk becomes full, at each moment.
struct FullDiskTests {
  @Test(.tags(.promise3, .promise4, .promise6, .F13, .S2), arguments: Workload.all)
  func `is reported and loses nothing, however much room there is`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())

    var complaints: [String] = []
    var room = 0
    while true {
      stage.clear()
      let boot = try judge.helper.boot(stage.order(rules: "room \(room)"))
      let complaint =
        boot.end == workload.target || boot.failure?.name == "disk"
        ? try judge.complaintAboutRemains(reported: boot.reported)
          ?? complaint(stage.names) ?? judge.complaintAboutNextBoot() : "not the right error"
      if let complaint { complaints.append("\(room) bytes: \(complaint); \(boot)") }
      if boot.end == workload.target { break }
      room += Figures.choose(4096, deep: 512)
      guard room < 16 << 20 else { break }
    }

    Figures.report(
      "full disk, \(workload.testDescription)",
      "every size to \(room) bytes, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
    #expect(room < 16 << 20)
  }

  private func complaint(_ names: [String]) -> String? {
    names.contains { $0.hasSuffix(".uplift") } ? "a copy stays behind" : nil
  }
}
