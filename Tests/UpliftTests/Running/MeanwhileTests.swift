import Foundation
import TestSupport
import Testing
import Uplift

/// Another process changes the database, or locks it, between two looks of an upgrade.
struct MeanwhileTests {
  /// Takes more than a tenth of a second, and does not touch the database.
  static let slow = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
    SELECT count(*) FROM n;
    """

  /// Runs at the first event for which it is asked to.
  private final class Once {
    private var hasRun = false

    func callAsFunction(_ work: () throws -> Void) {
      if hasRun { return }
      hasRun = true
      #expect(throws: Never.self) { try work() }
    }
  }

  /// The third script undoes all three, and the first two run again and are committed.
  private func trialWithMistake(then last: String) throws -> Trial {
    try Trial(
      "CREATE TABLE t(a UNIQUE);", "INSERT INTO t VALUES(1);",
      "INSERT OR ROLLBACK INTO t VALUES(1);", last)
  }

  @Test(.tags(.promise5, .promise6))
  func `forgets the failure of a script that another process has applied`() throws {
    let trial = try trialWithMistake(then: "INSERT INTO t VALUES(4);")

    let upgrade = try trial.upgrader().upgrade { event in
      guard event == .committed(2) else { return }
      #expect(throws: Never.self) { try trial.ask("PRAGMA user_version = 3;") }
    }

    #expect(upgrade.applied.map(\.version) == [1, 2, 4])
    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "1,4")
  }

  @Test(.tags(.S15))
  func `can be cancelled again after such a script`() throws {
    let trial = try trialWithMistake(then: Self.slow)
    var isCancelled = false

    #expect(throws: UpgradeError.cancelled(reached: 3)) {
      try trial.upgrader().upgrade(isCancelled: { isCancelled }) { event in
        if event == .committed(2) { _ = try? trial.ask("PRAGMA user_version = 3;") }
        if case .started(let script) = event, script.version == 4 { isCancelled = true }
      }
    }
  }

  @Test(.tags(.P3, .S15))
  func `is cancelled, and neither waits nor is busy, if it cannot finish its work`() throws {
    let site = try Site(scripts: [
      "2.sql": Site.script(2), "3.sql": "INSERT OR ROLLBACK INTO item VALUES(1, 'again');",
    ])
    try site.place(Site.seed)
    var isCancelled = false
    var writer: Running?

    #expect(throws: UpgradeError.cancelled(reached: 2)) {
      try site.upgrader().upgrade(isCancelled: { isCancelled }) { event in
        guard event == .committed(2) else { return }
        writer = try? site.hold("BEGIN IMMEDIATE;", seconds: 1)
        isCancelled = true
      }
    }

    _ = try #require(writer).wait()
  }

  @Test(.tags(.P3, .promise1))
  func `is at its target, though a writer comes right after its commit`() throws {
    let site = try Site()
    try site.place(Site.seed)
    var options = Upgrader.Options()
    options.patience = .milliseconds(100)
    var writer: Running?

    let upgrade = try site.upgrader(options: options).upgrade { event in
      if event == .committed(3) { writer = try? site.hold("BEGIN IMMEDIATE;", seconds: 1) }
    }

    _ = try #require(writer).wait()
    #expect(upgrade.end == 3)
  }

  @Test(.tags(.F11), arguments: ["", "PRAGMA journal_mode=wal;"])
  func `says that the database was moved, if a script finds it gone before it writes`(
    mode: String
  ) throws {
    let trial = try Trial("INSERT INTO t VALUES(1);", start: "CREATE TABLE t(a);" + mode)
    try Shell.run(trial.scratch("other.db"), "CREATE TABLE t(a);")

    let error = trial.error(onEvent: { event in
      if case .started = event { rename(trial.scratch("other.db"), trial.database) }
    })

    #expect(error == .moved(trial.database, openAt: 0))
    #expect(try trial.ask("SELECT count(*) FROM t") == "0")
  }

  @Test(.tags(.S14, .P3))
  func `counts its scripts on after it had to close the database`() throws {
    let site = try Site(scripts: [
      "2.sql": Site.script(2), "3.sql": AloneTests.directive + "PRAGMA journal_mode=DELETE;",
      "4.sql": Site.script(4),
    ])
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", seconds: 1)
    var told: [String] = []

    _ = try site.upgrader(target: 4).upgrade { event in
      guard case .started(let script) = event else { return }
      told.append("\(script.version): \(script.index) of \(script.count)")
    }

    _ = try reader.wait()
    #expect(told == ["2: 1 of 3", "3: 2 of 3", "4: 3 of 3"])
  }
}
