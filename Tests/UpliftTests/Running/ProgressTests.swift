import Testing
import Uplift

/// What a program is told while a script runs.
struct ProgressTests {
  @Test func `a progress report has the bytes that have run, and the size of the script`() throws {
    let slow = """
      SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        LIMIT 1000000) SELECT * FROM n);
      """
    let rest = "-- " + String(repeating: "x", count: 5000)
    let trial = try Trial(slow + slow + rest)
    var reports: [Upgrader.Event.Progress] = []

    _ = try trial.upgrader().upgrade { event in
      if case .progress(let report) = event { reports.append(report) }
    }

    let size = (slow + slow + rest).utf8.count
    #expect(!reports.isEmpty)
    #expect(reports.allSatisfy { $0.size == size && $0.bytes <= 2 * slow.utf8.count })
  }
}
