import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// Scripts that share a transaction leave the same database as one boot for each script.
///
/// Tries 300 random sequences in two parts, which run at the same time. `UPLIFT_DEEP=1` tries
/// 100,000, `UPLIFT_ROUNDS=N` tries N, and `UPLIFT_SEED=N` tries others.
struct TogetherTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = {
    if let rounds = environment["UPLIFT_ROUNDS"].flatMap({ Int($0) }) { return (rounds + 1) / 2 }
    return environment["UPLIFT_DEEP"] == nil ? 150 : 50_000
  }()
  private static let seed = environment["UPLIFT_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(.tags(.promise4, .promise6, .promise12, .S18, .S19), arguments: [0, 1])
  func `leaves the same database in one boot as in one boot a script`(part: Int) throws {
    let directory = try Scratch(in: Self.directory)
    let starts = try [false, true].map { try Self.start(in: directory, shrinks: $0) }

    var differences: [String] = []
    for number in 0..<Self.count {
      let seed = Self.seed << 32 | UInt64(part * Self.count + number)
      let sequence = ScriptSequence(seed: seed, count: 2...5)
      let boots = Boots(
        scripts: sequence.scripts, start: starts[number % 2], database: directory("app.db"))
      if let difference = try boots.difference() {
        let story = sequence.scripts.joined(separator: "\n----\n")
        differences.append("seed \(seed): \(difference)\n\(story)")
      }
      if differences.count == 3 { break }
    }

    print("figures: groups, part \(part): \(Self.count) cases")
    #expect(differences == [])
  }

  /// A directory in memory, if there is a file system for that.
  private static let directory: String? =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil

  /// The bytes of a database before the first script; with `auto_vacuum` if it shrinks.
  private static func start(in directory: Scratch, shrinks: Bool) throws -> Data {
    let path = directory("start-\(shrinks).db")
    try Shell.run(path, "PRAGMA auto_vacuum=\(shrinks ? 1 : 0);\n" + ScriptSequence.start)
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }
}

/// The same scripts over the same database: all in one boot, and in one boot each.
private struct Boots {
  let scripts: [String]
  let start: Data
  let database: String

  /// The difference between the two databases; nil if there is none.
  func difference() throws -> String? {
    let (together, togetherError) = try run([scripts.count])
    let (apart, apartError) = try run(Array(1...scripts.count))
    if togetherError != apartError {
      return
        "\(togetherError.map { "\($0)" } ?? "none")\nand: \(apartError.map { "\($0)" } ?? "none")"
    }
    return together.difference(from: apart)
  }

  private func run(_ targets: [Int]) throws -> (DatabaseContents, UpgradeError?) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database + suffix)
    }
    try start.write(to: URL(fileURLWithPath: database))
    let steps = scripts.enumerated().map { index, text in
      Migration.sql(Version(index + 1) ?? 1, "\(index + 1)", text)
    }
    var options = Upgrader.Options()
    options.commitInterval = .seconds(3600)
    for target in targets {
      let upgrader = Upgrader(
        database: database, migrations: Migrations(steps), target: Version(target),
        options: options)
      do throws(UpgradeError) {
        _ = try upgrader.upgrade()
      } catch {
        return (try DatabaseContents(of: database), error)
      }
    }
    return (try DatabaseContents(of: database), nil)
  }
}
