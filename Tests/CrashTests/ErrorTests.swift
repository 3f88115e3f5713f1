import Glibc
import TestSupport
import Testing

/// Every call fails in every way that it can.
struct ErrorTests {
  @Test(
    .tags(.promise1, .promise3, .promise4, .promise6, .F13, .P5, .P8),
    arguments: Workload.all)
  func `throws or succeeds, and loses nothing, whatever call fails`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    _ = try judge.helper.boot(stage.order(isLogged: true, seesResources: true))
    let calls = try stage.takeLog().filter { $0.name != "note" }

    var complaints: [String] = []
    var count = 0
    for (index, call) in calls.enumerated() {
      for fault in Fault.all(of: call, at: index + 1) {
        stage.clear()
        count += 1
        let boot = try judge.helper.boot(
          stage.order(rules: fault.rules, seesResources: true))
        let complaint =
          try complaint(about: boot, after: fault, call, stage)
          ?? judge.complaintAboutRemains(reported: boot.reported)
          ?? complaint(about: boot.failure?.reached, stage)
          ?? judge.complaintAboutNextBoot()
        if let complaint {
          complaints.append("\(fault.rules) (\(call.name) \(call.path)): \(complaint); \(boot)")
        }
      }
    }

    Figures.report(
      "errors, \(workload.testDescription)",
      "\(count) faults at \(calls.count) calls, \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
  }

  private func complaint(
    about boot: Boot, after fault: Fault, _ call: Operation, _ stage: Stage
  ) -> String? {
    guard boot.status == 0 else { return "ended by a signal" }
    guard let failure = boot.failure else {
      return boot.end == stage.workload.target ? nil : "neither an error nor the target"
    }
    guard fault.isFair(failure.name) else { return "the error is not what happened" }
    let mayStay = fault.isLasting || call.name == "unlink"
    guard mayStay || !stage.names.contains("app.db-uplift") else { return "a copy stays behind" }
    return nil
  }

  /// The version that the error names is the one that is there.
  private func complaint(about reached: Int?, _ stage: Stage) throws -> String? {
    guard let reached else { return nil }
    let version = try Contents(of: stage.database).version
    return version == reached ? nil : "the error says \(reached), and it is at \(version)"
  }
}

/// One way for one call to fail.
struct Fault {
  let rules: String
  let code: Int32
  let isLasting: Bool

  static func all(of call: Operation, at index: Int) -> [Fault] {
    var faults = [EIO, ENOSPC, EDQUOT].flatMap { code in
      [
        Fault(rules: "fail \(code) at \(index)", code: code, isLasting: false),
        Fault(rules: "fail \(code) at \(index) on", code: code, isLasting: true),
      ]
    }
    if ["write", "copy_file_range"].contains(call.name), call.result > 1 {
      faults.append(
        Fault(
          rules: "short \(call.result / 2) at \(index);fail \(ENOSPC) at \(index + 1)",
          code: ENOSPC, isLasting: false))
      faults.append(
        Fault(
          rules: "short \(call.result / 2) at \(index);fail \(ENOSPC) at \(index + 1) on",
          code: ENOSPC, isLasting: true))
    }
    let interruptible = [
      "open", "read", "write", "copy_file_range", "fcntl", "flock", "ftruncate", "fsync",
      "fdatasync", "close",
    ]
    if interruptible.contains(call.name) {
      faults.append(
        Fault(rules: "fail \(EINTR) at \(index)", code: EINTR, isLasting: false))
      faults.append(
        Fault(rules: "fail \(EINTR) at \(index) times 5", code: EINTR, isLasting: false))
    }
    return faults
  }

  /// True where the case of the error is the disk's.
  func isFair(_ name: String) -> Bool { name == "disk" }
}
