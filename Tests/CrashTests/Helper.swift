import Foundation
import TestSupport

/// An order for the helper: see `Tests/CrashHelper/Order.swift`.
struct Order {
  private var values: [String: String]

  init(database: String, migrations: String) {
    values = ["database": database, "migrations": migrations]
  }

  subscript(_ name: String) -> String? {
    get { values[name] }
    set { values[name] = newValue }
  }

  var line: String { values.map { "\($0)=\($1)" }.joined(separator: "\t") }
}

/// How one boot went.
struct Boot: Equatable {
  /// The newest version that was reported as committed.
  var reported: Int?
  var applied: [Int] = []
  /// The target, if it was reached.
  var end: Int?
  var failure: Failure?
  /// Zero, or minus the signal.
  var status = 0
  /// How often SQLite asked for memory, and how many allocations it did not free.
  var allocations = 0
  var outstanding = 0

  struct Failure: Equatable {
    let name: String
    let reached: Int?
    let words: String
  }
}

/// The process that runs each boot in a copy of itself (`Tests/CrashHelper`).
final class Helper {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  struct Gone: Error {}

  init() throws {
    process.executableURL = URL(fileURLWithPath: Command.product("CrashHelper").path)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  func boot(_ order: Order) throws -> Boot { try race(order)[0] }

  /// Runs as many boots as the order says.
  func race(_ order: Order) throws -> [Boot] {
    try input.fileHandleForWriting.write(contentsOf: Data((order.line + "\n").utf8))
    var boots = Array(repeating: Boot(), count: order["count"].flatMap { Int($0) } ?? 1)
    while true {
      let words = try line().split(separator: "\t", omittingEmptySubsequences: false).map(
        String.init)
      if words == ["end"] { return boots }
      guard words.count >= 3, let index = Int(words[0]) else { throw Gone() }
      let number = Int(words[2])
      switch words[1] {
      case "reported": boots[index].reported = max(boots[index].reported ?? 0, number ?? 0)
      case "applied": boots[index].applied.append(number ?? 0)
      case "done": boots[index].end = number
      case "failed":
        boots[index].failure = Boot.Failure(name: words[2], reached: Int(words[3]), words: words[4])
      case "allocations":
        boots[index].allocations = number ?? 0
        boots[index].outstanding = Int(words[3]) ?? 0
      case "exit": boots[index].status = number ?? 0
      default: throw Gone()
      }
    }
  }

  private func line() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 0x0a) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Gone() }
      buffer += more
    }
  }
}
