import Glibc
import TestSupport
import Testing

/// Every call fails in one way, and in another one on the next day; in the deep run in every way that
/// it can.
struct ErrorTests {
  @Test(
    .tags(.promise1, .promise3, .promise4, .promise6, .F13, .P5, .P8),
    arguments: Workload.chosen)
  func `throws or succeeds, and loses nothing, whatever call fails`(workload: Workload) throws {
    let stage = try Stage(workload)
    let judge = Judge(stage: stage, helper: try Helper())
    _ = try judge.helper.boot(stage.order(isLogged: true, seesResources: true))
    let calls = try stage.takeLog().filter { $0.name != "note" }

    var complaints: [String] = []
    var count = 0
    for (index, call) in calls.enumerated() {
      let namesakes = calls[...index].count { $0.name == call.name }
      for fault in Fault.all(of: call, at: index + 1, amongItsOwn: namesakes) {
        stage.clear()
        count += 1
        var order = stage.order(rules: fault.rules, seesResources: true)
        order["patience"] = "20"
        // There is nobody to wait for. SQLite alone would wait ten seconds for a lock of a log.
        order["hurried"] = "1"
        let boot = try judge.helper.boot(order)
        let complaint =
          try complaint(about: boot, after: fault, call, stage)
          ?? judge.complaintAboutRemains(reported: boot.reported)
          ?? complaint(about: boot.failure?.reached, stage)
          ?? judge.complaintAboutNextBoot(mayLeaveLog: call.name == "unlink")
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
    guard fault.explains(failure.name, at: call) else { return "the error is not what happened" }
    let mayStay = fault.isLasting || call.name == "unlink"
    guard mayStay || !stage.names.contains(where: { $0.hasSuffix(".uplift") }) else {
      return "a copy stays behind"
    }
    return nil
  }

  /// Compares the version that the error names with the database's.
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

  /// The ways that are tried.
  ///
  /// Any call may fail because of the disk; only some need room on it, or may be interrupted.
  static func all(of call: Operation, at index: Int, amongItsOwn namesake: Int) -> [Fault] {
    let asksForRoom = [
      "open", "write", "copy_file_range", "ftruncate", "mkdir", "link", "rename", "renameat2",
      "fsync", "fdatasync", "close",
    ]
    let isInterruptible = [
      "open", "read", "write", "copy_file_range", "fcntl", "flock", "ftruncate", "fsync",
      "fdatasync", "close",
    ]
    var codes = [EIO]
    if asksForRoom.contains(call.name) { codes += [ENOSPC, EDQUOT] }
    var faults = codes.flatMap { code in
      [
        Fault(rules: "fail \(code) at \(index)", code: code, isLasting: false),
        Fault(rules: "fail \(code) at \(index) on", code: code, isLasting: true),
      ]
    }
    if ["write", "copy_file_range"].contains(call.name), call.result > 1 {
      let short = "short \(call.result / 2) at \(index);fail \(ENOSPC) at \(index + 1)"
      faults.append(Fault(rules: short, code: ENOSPC, isLasting: false))
      faults.append(Fault(rules: short + " on", code: ENOSPC, isLasting: true))
    }
    if isInterruptible.contains(call.name) {
      faults.append(Fault(rules: "fail \(EINTR) at \(index)", code: EINTR, isLasting: false))
      faults.append(
        Fault(
          rules: "fail \(EINTR) call \(call.name) at \(namesake) times 5", code: EINTR,
          isLasting: false))
    }
    if Figures.isDeep { return faults }
    // A full quota is like a full disk, and five interruptions are like one.
    let different = faults.filter {
      !$0.isLasting && $0.code != EDQUOT && !$0.rules.contains("times")
    }
    return [different[(index + Figures.today) % different.count]]
  }

  /// True if the error is the disk's, or one that SQLite makes of it.
  ///
  /// For SQLite, a lock that fails is held by another process, and a read that fails is damage, of
  /// the database or of the attached seed. If a file cannot be opened for writing, SQLite tries it
  /// for reading, and it is read-only or missing. A file whose `stat` fails is another file.
  func explains(_ error: String, at call: Operation) -> Bool {
    switch call.name {
    case _ where error == "disk": true
    case _ where isLasting: ["busy", "damaged", "denied", "moved", "seed"].contains(error)
    case "fcntl", "flock": error == "busy"
    case "read": ["damaged", "seed"].contains(error) && code == EIO
    case "open": error == "denied"
    case "stat", "lstat": error == "denied" || error == "moved"
    default: false
    }
  }
}
