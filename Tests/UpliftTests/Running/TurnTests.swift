import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift

/// Other programs get their turn while an upgrade runs.
struct TurnTests {
  /// The service waits for the lock and looks every 100 ms whether it is free.
  ///
  /// Another boot, which looks more often, must not be faster each time.
  @Test(.tags(.P2), arguments: [1, 2])
  func `comes for a service while many scripts run`(boots: Int) throws {
    let site = try Site()
    try site.place(Site.seed)
    let turns = Mutex((end: ContinuousClock.now, count: 0))
    let steps = try (2...10).map { number in
      Migration.code(try #require(Version(number)), "step") { database in
        turns.withLock { if ContinuousClock.now - $0.end > .milliseconds(100) { $0.count += 1 } }
        try database.execute("INSERT INTO item(name) VALUES ('step')")
        usleep(500_000)
      }
    }
    var options = Upgrader.Options()
    options.commitInterval = .zero
    let upgrader = Upgrader(
      database: site.database, migrations: Migrations(steps), options: options)

    DispatchQueue.concurrentPerform(iterations: boots) { _ in
      #expect(throws: Never.self) {
        try upgrader.upgrade { event in
          if case .committed = event { turns.withLock { $0.end = .now } }
        }
      }
    }

    #expect(turns.withLock { $0.count } >= 2)
  }
}
