import Foundation
import TestSupport
import Testing
import Uplift

/// An upgrade can be cancelled in the middle of a statement, and reports how far it is.
struct StopTests {
  /// Runs for hours if nothing stops it.
  static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;
    """
  static let endlessWrite = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    INSERT INTO t SELECT 1 FROM n WHERE i < 0;
    """
  /// SQL that takes long.
  ///
  /// A test report shows its name instead of its text.
  struct Long: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let sql: String
  }

  static let long = [
    Long(testDescription: "an endless statement", sql: endless),
    Long(testDescription: "an endless statement that writes", sql: endlessWrite),
    Long(
      testDescription: "400,000 short statements",
      sql: String(repeating: "SELECT 1;\n", count: 400_000)),
  ]

  @Test(.tags(.S2, .S15, .promise4), arguments: long, GroupTests.intervals)
  func `stops at once when the task is cancelled, and keeps what was committed`(
    long: Long, interval: Duration
  ) async throws {
    let trial = try Trial(
      "CREATE TABLE t(a);", "INSERT INTO t VALUES(1);",
      "INSERT INTO t VALUES(2);\n\(long.sql)INSERT INTO t VALUES(3);")
    // The task cancels itself in the middle of the statement.
    let (error, took) = await Task.detached { () -> (UpgradeError?, Duration) in
      var cancelled = ContinuousClock.now
      do throws(UpgradeError) {
        _ = try trial.upgrader { $0.commitInterval = interval }.upgrade { event in
          guard case .progress(let script) = event, script.version == 3, !Task.isCancelled else {
            return
          }
          cancelled = .now
          withUnsafeCurrentTask { $0?.cancel() }
        }
        return (nil, .now - cancelled)
      } catch {
        return (error, .now - cancelled)
      }
    }.value

    // What was not committed is undone.
    let reached = try trial.version()
    #expect(error == .cancelled(reached: reached == 0 ? 0 : 2))
    #expect(reached == (interval > .seconds(1) ? 0 : 2) || interval == .milliseconds(100))
    // A tenth of a second, and the delay of a busy machine.
    #expect(took < .seconds(1))
    let tables = try trial.ask("SELECT group_concat(name) FROM sqlite_master")
    #expect(tables == (reached == 0 ? "" : "t"))
  }

  @Test(.tags(.S15))
  func `goes on where a cancelled upgrade stopped`() async throws {
    let trial = try Trial("CREATE TABLE t(a);", "INSERT INTO t VALUES(1);", "SELECT 1;")
    let task = Task.detached {
      withUnsafeCurrentTask { $0?.cancel() }
      return Result { try trial.upgrade() }
    }

    let first = await task.value
    let second = try trial.upgrade()

    #expect(throws: UpgradeError.self) { try first.get() }
    #expect(second.end == 3)
    #expect(try trial.ask("SELECT group_concat(a) FROM t") == "1")
  }

  @Test(.tags(.S15))
  func `reports while a long statement runs how far the script is`() throws {
    let slow = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)
      SELECT count(*) FROM n;
      """
    let trial = try Trial(slow + slow + slow)
    var told: [Int] = []

    _ = try trial.upgrader().upgrade { event in
      if case .progress(let script) = event, script.version == 1 {
        #expect(script.size == slow.utf8.count * 3)
        told.append(script.bytes)
      }
    }

    #expect(told == told.sorted())
    #expect(Set(told).isSuperset(of: [0, slow.utf8.count, slow.utf8.count * 2]))
  }
}
