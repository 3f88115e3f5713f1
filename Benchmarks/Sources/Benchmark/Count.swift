import Foundation

/// The costs of a run that do not depend on the machine: system calls, syncs, instructions.
struct Count: Codable, Equatable {
  /// Without the calls for memory, because the C library decides on them.
  var calls: Int
  /// Calls that wait for the disk.
  var syncs: Int
  /// Counted from the program's `main`; nil if valgrind is not installed.
  var instructions: Int?
}

struct Counts: Codable {
  let workload: String
  let contender: String
  let floor: Count
  let own: Count
}

/// Counts with strace and valgrind, if they are installed.
struct Counter {
  let programs: Programs
  let strace: String
  let valgrind: String?

  /// Nil if strace is not installed.
  init?(_ programs: Programs) {
    guard let strace = Run.find("strace") else { return nil }
    self.programs = programs
    self.strace = strace
    valgrind = Run.find("valgrind")
  }

  func count(_ workload: Workload, in place: String) throws -> Counts {
    let fixture = try workload.make(place)
    defer { fixture.remove() }
    let arguments = fixture.arguments + ["1"]
    return Counts(
      workload: workload.name, contender: "library",
      floor: try count([programs.floor] + arguments, main: "main", fixture),
      own: try count([programs.inProcess] + arguments, main: "InProcess_main", fixture))
  }

  /// One commit for all scripts, because counting slows them down and would change the number.
  private static let environment = ["BENCHMARK_COMMIT_INTERVAL": "3600"]

  private func count(
    _ command: [String], main: String, _ fixture: Fixture
  ) throws -> Count {
    try fixture.reset()
    let log = fixture.directory + "/calls"
    let traced = try Run.capture(
      [strace, "-f", "-qq", "-o", log] + command, environment: Self.environment)
    guard traced.code == 0 else {
      throw Failed(description: "\(command.joined(separator: " ")): \(traced.errors)")
    }
    let calls = try Self.calls(inside: String(contentsOfFile: log, encoding: .utf8))
    var count = Count(
      calls: calls.count { !memory.contains($0) }, syncs: calls.count { syncs.contains($0) })
    guard let valgrind else { return count }
    try fixture.reset()
    let profiled = try Run.capture(
      [
        valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null",
        "--toggle-collect=\(main)",
      ] + command, environment: Self.environment)
    let collected = profiled.errors.split(separator: "\n").last { $0.contains("Collected : ") }
    count.instructions = collected.flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    return count
  }

  /// The names of the calls between the two marks around the work.
  private static func calls(inside log: String) -> [String] {
    let names = log.split(separator: "\n").compactMap { line -> String? in
      let call = line.drop { $0.isNumber || $0 == " " }
      guard let end = call.firstIndex(of: "("), !call.hasPrefix("<") else { return nil }
      return String(call[..<end])
    }
    let marks = names.indices.filter { names[$0] == "getppid" }
    guard let first = marks.first, let last = marks.last, first < last else { return names }
    return Array(names[(first + 1)..<last])
  }

  private var memory: Set<String> { ["brk", "mmap", "munmap", "mremap", "madvise", "mprotect"] }
  private var syncs: Set<String> {
    ["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"]
  }
}

/// The pinned counts, so that a regression is noticed on any machine.
///
/// A pin is relative to the floor in the same run, because the number of calls depends on the
/// directory of the files, and the number of instructions on the installed SQLite.
struct Pins {
  /// Calls beyond the floor's; all syncs; instructions in percent of the floor's.
  typealias Pin = (workload: String, calls: Int, syncs: Int, percent: Int)

  static let head = "# workload, calls beyond the floor's, syncs, instructions in % of the floor's"

  let pins: [Pin]

  init(reading text: String) throws {
    pins = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4, let calls = Int(words[1]), let syncs = Int(words[2]),
        let percent = Int(words[3])
      else { throw Failed(description: "not a pin: \(line)") }
      return (words[0], calls, syncs, percent)
    }
  }

  static func line(_ counts: Counts) -> String {
    let pin = pin(counts)
    return [pin.workload, String(pin.calls), String(pin.syncs), String(pin.percent)]
      .joined(separator: " ")
  }

  static func pin(_ counts: Counts) -> Pin {
    let instructions = Double(counts.own.instructions ?? 0)
    let floor = Double(counts.floor.instructions ?? 1)
    return (
      counts.workload, counts.own.calls - counts.floor.calls, counts.own.syncs,
      Int((100 * instructions / floor).rounded())
    )
  }

  /// The counts that are above their pin, in words.
  ///
  /// Three calls and a twentieth of the instructions are allowed for other versions of SQLite and of
  /// the C library. Not one sync is.
  func complaints(_ counts: Counts) -> [String] {
    guard let old = pins.first(where: { $0.workload == counts.workload }) else {
      return ["\(counts.workload) has no pin"]
    }
    let new = Self.pin(counts)
    var words: [String] = []
    if new.calls > old.calls + 3 {
      words.append("\(old.workload): \(new.calls) calls beyond the floor's, not \(old.calls)")
    }
    if new.syncs > old.syncs {
      words.append("\(old.workload): \(new.syncs) syncs, not \(old.syncs)")
    }
    if Double(new.percent) > Double(old.percent) * 1.05 {
      words.append(
        "\(old.workload): \(new.percent) % of the floor's instructions, not \(old.percent)")
    }
    return words
  }
}
