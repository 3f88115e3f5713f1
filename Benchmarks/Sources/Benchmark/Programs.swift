import Foundation

/// The paths of the measured programs, which Scripts/bench built.
struct Programs {
  let launch: String
  let floor: String
  /// The floor for many databases.
  let each: String
  let reader: String
  let inProcess: String
  /// The command; nil if it was not built.
  let uplift: String?

  init(in directory: String) {
    func path(_ name: String) -> String { directory + "/" + name }
    launch = path("launch")
    floor = path("floor")
    each = path("each")
    reader = path("Reader")
    inProcess = path("InProcess")
    uplift = FileManager.default.isExecutableFile(atPath: path("uplift")) ? path("uplift") : nil
  }
}

/// The cost of one run of a program.
struct Cost {
  /// Seconds from start to end, measured by the launcher.
  let wall: Double
  let user: Double
  let system: Double
  /// Its peak memory, in bytes.
  let peak: Int
  let output: String
}

struct Failed: Error, CustomStringConvertible {
  let description: String
}

enum Run {
  /// Runs a program to its end, and returns its standard output and standard error.
  static func capture(
    _ command: [String], environment: [String: String] = [:], input: String? = nil
  ) throws -> (output: String, errors: String, code: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    // A file, because with two pipes the program and the reader could wait for each other.
    let errors = FileManager.default.temporaryDirectory.appendingPathComponent(
      "benchmark-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput =
      try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) }
      ?? FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      String(decoding: bytes, as: UTF8.self),
      (try? String(contentsOf: errors, encoding: .utf8)) ?? "",
      process.terminationStatus
    )
  }

  /// Runs a program through the launcher, which measures it.
  static func measure(
    _ command: [String], by launch: String, environment: [String: String] = [:],
    input: String? = nil
  ) throws -> Cost {
    let result = try capture([launch] + command, environment: environment, input: input)
    let last = result.errors.split(separator: "\n").last.map(String.init) ?? ""
    let numbers = last.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard result.code == 0, last.hasPrefix("cost "), numbers.count == 4 else {
      throw Failed(
        description: "\(command.joined(separator: " ")): \(result.code) \(result.errors)"
          + result.output)
    }
    return Cost(
      wall: numbers[0] / 1e9, user: numbers[1] / 1e9, system: numbers[2] / 1e9,
      peak: Int(numbers[3]) * 1024, output: result.output)
  }

  /// The path of the first of these programs that is installed.
  static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
