import TestSupport
import Testing
import Uplift

/// An error names the version that the database is at, if that was read.
struct ReachedTests {
  private static let failure = UpgradeError.Failure(
    script: "2.sql", line: 1, column: 1, text: "x", reason: .uncommitted, reached: 2)

  static let table: [(UpgradeError, Version?)] = [
    (.failed(failure), 2),
    (.disk(path: "x.db", words: "full", failure: failure), 2),
    (.disk(path: "x.db", words: "full", failure: nil), nil),
    (.busy(path: "x.db", reached: 3), 3),
    (.busy(path: "x.db", reached: nil), nil),
    (.cancelled(reached: 4), 4),
    (.preparation("no licence", reached: 8), 8),
    (.moved(path: "x.db", reached: 5), 5),
    (.newer(database: 6, target: 3), 6),
    (.gap(database: 7, seed: 9), 7),
    (.seedNewer(seed: 9, target: 8), nil),
  ]

  @Test(.tags(.promise6), arguments: table)
  func `is the version that the error names`(error: UpgradeError, reached: Version?) {
    #expect(error.reached == reached)
  }
}
