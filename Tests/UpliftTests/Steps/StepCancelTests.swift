import Foundation
import TestSupport
import Testing
import Uplift

/// Cancelling the surrounding task stops a step, whatever errors it catches.
struct StepCancelTests {
  static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
    """

  /// The time limit is long, because it counts from the start of all tests.
  @Test(.tags(.S15), .timeLimit(.minutes(30)), arguments: [true, false])
  func `stops in the middle of a statement`(isCaught: Bool) async throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let upgrader = site.upgrader(of: [
      .code(2, "step") { database in
        do {
          try database.execute("INSERT INTO t VALUES (1)")
          _ = try database.query(Self.endless)
        } catch {
          if !isCaught { throw error }
        }
      }
    ])

    // The first report of a running statement comes after a tenth of a second.
    let task = Task {
      try upgrader.upgrade { event in
        if case .progress = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }

    await #expect(throws: UpgradeError.cancelled(reached: 1)) { try await task.value }
    #expect(try site.shell("SELECT count(*) FROM t; PRAGMA user_version;") == "0\n1")
  }

  @Test(.tags(.S15)) func `starts no further statement`() async throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let task = Task {
      try site.step { database in
        withUnsafeCurrentTask { $0?.cancel() }
        #expect(throws: UpgradeError.cancelled(reached: 1)) {
          try database.execute("INSERT INTO t VALUES (1)")
        }
      }
    }

    await #expect(throws: UpgradeError.cancelled(reached: 1)) { try await task.value }
  }

  @Test(.tags(.promise6, .S15)) func `is cancelled if it throws because of that`() async throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let task = Task {
      try site.step { database in
        try database.execute("INSERT INTO t VALUES (1)")
        withUnsafeCurrentTask { $0?.cancel() }
        try Task.checkCancellation()
      }
    }

    await #expect(throws: UpgradeError.cancelled(reached: 1)) { try await task.value }
    #expect(try site.shell("SELECT count(*) FROM t; PRAGMA user_version;") == "0\n1")
  }

  @Test(.tags(.promise6, .S15)) func `is undone if it is cancelled after its last statement`()
    async throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")

    let task = Task {
      try site.step { database in
        try database.execute("INSERT INTO t VALUES (1)")
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }

    await #expect(throws: UpgradeError.cancelled(reached: 1)) { try await task.value }
    #expect(try site.shell("SELECT count(*) FROM t; PRAGMA user_version;") == "0\n1")
  }

  @Test(.tags(.promise6, .S15)) func `stops on a thread of Dispatch, and keeps what is committed`()
    async throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")
    var options = Upgrader.Options()
    options.commitInterval = .zero
    let upgrader = site.upgrader(
      of: [
        .sql(2, "two", "INSERT INTO t VALUES (2)"),
        .sql(
          3, "three",
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"),
      ], options: options)

    let error: UpgradeError? = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var isStopped = false
        do throws(UpgradeError) {
          try upgrader.upgrade(isCancelled: { isStopped }) { event in
            if case .started(let script) = event, script.version == 3 { isStopped = true }
          }
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }

    #expect(error == .cancelled(reached: 2))
    #expect((error?.kind, error?.exitCode, error?.reached) == (.cancelled, 143, 2))
    #expect(try site.shell("SELECT a FROM t") == "2")
  }
}
