import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// Random scripts on random databases, compared with SQLite's own check before and after each.
///
/// The first script that makes an orphan must fail, and the scripts before it must run.
struct ForeignKeyFuzzTests {
  /// Two halves, so that they use two cores.
  @Test(.tags(.promise10, .S6, .S21, .S22, .S23), arguments: [0, 1])
  func `decides as SQLite's own check before and after`(half: Int) throws {
    var figures = Figures()
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : nil
    let seeds = Dice.seeds(1000)
    for index in stride(from: half, to: seeds.count, by: 2) {
      let seed = seeds[index]
      let scratch = try Scratch(in: memory)
      try Self.decide(try ForeignKeyCase(seed: seed), seed, scratch("app.db"), &figures)
    }
    print(
      "figures: foreign keys, half \(half): \(figures.cases) cases: \(figures.accepted) accepted, "
        + "\(figures.refused) refused, \(figures.ambiguous) with two answers")
    #expect(figures.accepted > figures.cases / 5)
    #expect(figures.refused > figures.cases / 20)
    #expect(figures.ambiguous < figures.cases / 20)
  }

  struct Figures {
    var cases = 0
    var accepted = 0
    var refused = 0
    /// The cases in which the answer depends on which of two keys are compared.
    var ambiguous = 0
  }

  private static func make(_ database: String, _ one: ForeignKeyCase) throws {
    _ = FileManager.default.createFile(atPath: database, contents: nil)
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: database, access: .readWrite, deadline: deadline)
    try connection.pinSettings(doubleQuotedStrings: one.doubleQuotedStrings)
    try connection.run("PRAGMA synchronous=OFF")
    for statement in one.start { try connection.run(statement) }
  }

  private static func decide(
    _ one: ForeignKeyCase, _ seed: UInt64, _ database: String, _ figures: inout Figures
  ) throws {
    guard !one.scripts.isEmpty else { return }
    figures.cases += 1
    try make(database, one)
    var options = Upgrader.Options()
    options.doubleQuotedStrings = one.doubleQuotedStrings
    options.commitInterval = seed % 4 == 0 ? .zero : .seconds(3600)
    let scripts = one.scripts.enumerated().map { (name: "\($0 + 1).sql", text: $1) }
    let upgrader = Upgrader(database: database, migrations: .scripts(scripts), options: options)
    let verdicts = zip(one.violations.dropFirst(), one.violations).map { $0.added(since: $1) }
    let first = verdicts.firstIndex { $0 != .addsNone }

    var refusal: UpgradeError?
    do throws(UpgradeError) {
      _ = try upgrader.upgrade()
    } catch {
      refusal = error
    }

    func report(_ words: String) {
      Issue.record(
        """
        seed \(seed): \(words)\(one.doubleQuotedStrings ? ", with double-quoted strings" : "")
        start:
        \(one.start.joined(separator: ";\n"))
        scripts:
        \(one.scripts.joined(separator: "--\n"))
        violations: \(one.violations)
        error: \(refusal.map { "\($0)" } ?? "none")
        """)
    }
    if let refusal, refusal.orphans == nil { return report("another error") }
    let place = first.map { "script \($0 + 1) adds orphans" } ?? "no script adds orphans"
    switch (refusal, first) {
    case (_, let first?) where verdicts[first] == .ambiguous: figures.ambiguous += 1
    case (nil, nil): figures.accepted += 1
    case (let refusal?, let first?) where refusal.reached == Version(first):
      figures.refused += 1
    default: report("\(place), and the upgrade ends otherwise")
    }
  }
}
