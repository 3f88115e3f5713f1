import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// An upgrade waits while another connection holds the database.
struct LockedDatabaseTests {
  /// Runs the statements on a thread of its own, and keeps their locks until it is told to let go.
  private final class Holder: @unchecked Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    init(_ database: String, _ statements: [String]) throws {
      let held = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [release, done] in
        let deadline = Deadline(
          patience: .seconds(10), isCancelled: { false })
        if let connection = try? Connection(path: database, access: .readWrite, deadline: deadline)
        {
          for statement in statements { try? connection.run(statement) }
          held.signal()
          release.wait()
          try? connection.run("COMMIT")
        }
        done.signal()
      }
      held.wait()
    }

    /// Returns after the database is free; it may be called again.
    func letGo() {
      release.signal()
      done.wait()
      done.signal()
    }
  }

  /// Does the same work on several threads at once.
  private func inParallel<Result: Sendable>(
    _ count: Int, _ work: @escaping @Sendable () -> Result
  ) -> [Result] {
    let results = Mutex<[Result]>([])
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      Thread.detachNewThread {
        let result = work()
        results.withLock { $0.append(result) }
        done.signal()
      }
    }
    for _ in 0..<count { done.wait() }
    return results.withLock { $0 }
  }

  static let reading = ["BEGIN", "SELECT count(*) FROM t"]
  static let writing = ["BEGIN IMMEDIATE", "INSERT INTO t VALUES(9)"]
  /// As a writer has the lock while it commits: nobody can read.
  static let committing = ["BEGIN EXCLUSIVE", "INSERT INTO t VALUES(9)"]

  @Test(.tags(.P2, .P3, .P4), arguments: [reading, writing, committing], GroupTests.intervals)
  func `waits for a reader or a writer, and reports it`(statements: [String], interval: Duration)
    throws
  {
    let trial = try Trial(
      "INSERT INTO t VALUES(1);", "INSERT INTO t VALUES(2);", start: "CREATE TABLE t(a);")
    let holder = try Holder(trial.database, statements)
    var waited: [Duration] = []

    let upgrade = try trial.upgrader { $0.commitInterval = interval }.upgrade { event in
      if case .waiting(let wait) = event {
        waited.append(wait)
        if wait > .milliseconds(300) { holder.letGo() }
      }
    }

    #expect(upgrade.applied.map(\.version) == [1, 2])
    #expect(waited.count >= 2)
    #expect(waited == waited.sorted())
    #expect(try trial.ask("SELECT count(*) FROM t WHERE a < 9") == "2")
  }

  static let leavesLogMode = [
    "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;"
  ]

  @Test(.tags(.P3, .S14))
  func `waits for a reader before it leaves WAL mode, though SQLite does not`() throws {
    let trial = try Trial(
      scripts: Self.leavesLogMode, start: "PRAGMA journal_mode = WAL; CREATE TABLE t(a);")
    let holder = try Holder(trial.database, Self.reading)

    let upgrade = try trial.upgrader().upgrade { event in
      if case .waiting(let wait) = event, wait > .milliseconds(100) { holder.letGo() }
    }

    #expect(upgrade.end == 1)
    #expect(try trial.ask("PRAGMA journal_mode") == "delete")
  }

  @Test(.tags(.P3, .S14))
  func `is busy if a reader stays while a script leaves WAL mode`() throws {
    let trial = try Trial(
      scripts: Self.leavesLogMode, start: "PRAGMA journal_mode = WAL; CREATE TABLE t(a);")
    let holder = try Holder(trial.database, Self.reading)
    let began = ContinuousClock.now

    let error = trial.error { $0.patience = .milliseconds(300) }

    let waited = ContinuousClock.now - began
    holder.letGo()
    #expect(error == .busy(trial.database, reached: 0))
    #expect(waited > .milliseconds(290))
    #expect(try trial.ask("PRAGMA journal_mode") == "wal")
  }

  @Test(.tags(.P3, .P4), arguments: [(reading, 0), (writing, 0)])
  func `gives up when its patience ends`(statements: [String], reached: Int) throws {
    let trial = try Trial("INSERT INTO t VALUES(1);", start: "CREATE TABLE t(a);")
    let holder = try Holder(trial.database, statements)
    let began = ContinuousClock.now

    let error = trial.error { $0.patience = .milliseconds(300) }

    holder.letGo()
    #expect(error == .busy(trial.database, reached: 0))
    #expect(ContinuousClock.now - began > .milliseconds(290))
    #expect(try trial.version() == 0)
    #expect(try trial.ask("SELECT count(*) FROM t WHERE a = 1") == "0")
  }

  @Test(.tags(.P3))
  func `counts only the time that it waits for others`() throws {
    // The script takes longer than the patience, and then a reader holds up its commit.
    let trial = try Trial(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000000)
      INSERT INTO t SELECT count(*) FROM n;
      """, start: "CREATE TABLE t(a);")
    let holder = try Holder(trial.database, Self.reading)
    let began = ContinuousClock.now
    var worked = Duration.zero

    _ = try trial.upgrader { $0.patience = .milliseconds(400) }.upgrade { event in
      switch event {
      case .finished: worked = ContinuousClock.now - began
      case .waiting(let wait) where wait > .milliseconds(100): holder.letGo()
      default: break
      }
    }

    #expect(worked > .milliseconds(400))
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.P3))
  func `has one deadline for the waits of all scripts`() throws {
    let trial = try Trial(
      "INSERT INTO t VALUES(1);", "INSERT INTO t VALUES(2);",
      start: "PRAGMA journal_mode = WAL; CREATE TABLE t(a);")
    var holder = try Holder(trial.database, Self.writing)

    // Each wait is shorter than the patience, and both together are longer.
    let error = trial.error {
      $0.patience = .seconds(2)
      $0.commitInterval = .zero
    } onEvent: { event in
      switch event {
      case .waiting(let wait) where wait > .milliseconds(1200): holder.letGo()
      case .committed(let last) where last == 1:
        if let next = try? Holder(trial.database, Self.writing) { holder = next }
      default: break
      }
    }

    if error != nil { holder.letGo() }
    #expect(error == .busy(trial.database, reached: 1))
    #expect(try trial.version() == 1)
  }

  @Test(.tags(.P3, .S15), arguments: [reading, writing])
  func `stops waiting when it is cancelled`(statements: [String]) async throws {
    let trial = try Trial("INSERT INTO t VALUES(1);", start: "CREATE TABLE t(a);")
    let holder = try Holder(trial.database, statements)

    let result = await Task.detached {
      Result {
        try trial.upgrader().upgrade {
          if case .waiting = $0 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
    }.value

    holder.letGo()
    #expect(throws: UpgradeError.cancelled(reached: 0)) { try result.get() }
    #expect(try trial.version() == 0)
  }

  @Test(.tags(.P1, .P3, .promise5))
  func `runs each script once if eight threads boot at the same moment`() throws {
    let scripts = (1...6).map { number in
      """
      INSERT INTO t VALUES(\(number));
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO t SELECT count(*) FROM n WHERE i < 0;
      """
    }
    for interval in GroupTests.intervals {
      let trial = try Trial(scripts: scripts, start: "CREATE TABLE t(a);")

      let upgrades = inParallel(8) {
        Result { try trial.upgrade { $0.commitInterval = interval } }
      }

      let applied = try upgrades.flatMap { try $0.get().applied.map(\.version.number) }
      #expect(applied.sorted() == [1, 2, 3, 4, 5, 6])
      #expect(try trial.ask("SELECT group_concat(a) FROM t WHERE a > 0") == "1,2,3,4,5,6")
    }
  }
}
