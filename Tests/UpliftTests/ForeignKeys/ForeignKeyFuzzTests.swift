import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// Random scripts on random databases, compared with SQLite's own check before and after.
///
/// A script that makes an orphan must fail, and a script that makes none must run.
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
        + "\(figures.refused) refused")
    #expect(figures.accepted > figures.cases / 5)
    #expect(figures.refused > figures.cases / 20)
  }

  struct Figures {
    var cases = 0
    var accepted = 0
    var refused = 0
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
    guard !one.script.isEmpty else { return }
    figures.cases += 1
    try make(database, one)
    let script = one.script.joined(separator: ";\n") + ";"
    var options = Upgrader.Options()
    options.doubleQuotedStrings = one.doubleQuotedStrings
    let upgrader = Upgrader(
      database: database, migrations: [.sql(1, "script", script)], options: options)
    let expected = one.after.added(since: one.before)

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
        script:
        \(script)
        before: \(one.before.counts)
        after: \(one.after.counts)
        error: \(refusal.map { "\($0)" } ?? "none")
        """)
    }
    if case .failed(let failure) = refusal, failure.violations == nil {
      return report("another error")
    }
    switch (refusal, expected.isEmpty) {
    case (nil, true): figures.accepted += 1
    case (.failed, false): figures.refused += 1
    case (nil, false): report("accepted, and it adds \(expected)")
    case (.failed, true): report("refused, and it adds none")
    default: report("another error")
    }
  }
}
