internal import Foundation

/// The output of a process, and how it ended: its exit code, or minus the signal.
public struct Outcome: Equatable, Sendable {
  public let status: Int32
  public let output: String
  public let errors: String

  public init(status: Int32, output: String, errors: String) {
    self.status = status
    self.output = output
    self.errors = errors
  }
}

/// A program of the package or of the system.
public struct Command: Sendable {
  private let executable: String

  public init(_ executable: String) {
    self.executable = executable
  }

  /// A product of this build, found beside the running tests.
  public static func product(_ name: String) -> Command {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return Command(tests.deletingLastPathComponent().appendingPathComponent(name).path)
  }

  public var path: String { executable }

  /// Runs to the end.
  public func run(
    _ arguments: String..., input: String = "", in directory: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    try start(arguments, input: input, in: directory, environment: environment).wait()
  }

  public func run(
    arguments: [String], input: String = "", in directory: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    try start(arguments, input: input, in: directory, environment: environment).wait()
  }

  /// Starts and returns at once.
  ///
  /// Output goes to files, so that no pipe can fill up.
  public func start(
    _ arguments: [String], input: String = "", in directory: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Running {
    let scratch = try Scratch()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let standardInput = try scratch.write(input, to: "in")
    let output = try scratch.write("", to: "out")
    let errors = try scratch.write("", to: "err")
    process.standardInput = FileHandle(forReadingAtPath: standardInput)
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    // A shell ignores SIGINT in its background jobs, and a child would inherit that.
    signal(SIGINT, SIG_DFL)
    // A test's thread blocks most signals, and a child would inherit that.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    return Running(process: process, scratch: scratch)
  }
}

/// A process that was started.
public struct Running: @unchecked Sendable {
  private let process: Process
  private let scratch: Scratch

  init(process: Process, scratch: Scratch) {
    self.process = process
    self.scratch = scratch
  }

  public var identifier: Int32 { process.processIdentifier }
  public var isRunning: Bool { process.isRunning }

  public func wait() throws -> Outcome {
    process.waitUntilExit()
    let status = process.terminationStatus
    func text(_ name: String) -> String {
      String(decoding: scratch.bytes(name) ?? Data(), as: UTF8.self)
    }
    return Outcome(
      status: process.terminationReason == .uncaughtSignal ? -status : status,
      output: text("out"), errors: text("err"))
  }

  public func interrupt() { process.interrupt() }
  public func terminate() { process.terminate() }
}
