import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift

/// Other programs get their turn while an upgrade runs.
struct TurnTests {
  /// The service waits for the lock and looks every 100 ms whether it is free.
  @Test(.tags(.P2)) func `comes for a service while many scripts run`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let begin = Mutex(ContinuousClock.now)
    let steps = try (2...10).map { number in
      Migration.code(try #require(Version(number)), "step") { database in
        begin.withLock { $0 = .now }
        try database.execute("INSERT INTO item(name) VALUES ('step')")
        usleep(500_000)
      }
    }
    var options = Upgrader.Options()
    options.commitInterval = .zero
    var end = ContinuousClock.now
    var gaps = 0

    try Upgrader(database: site.database, migrations: Migrations(steps), options: options)
      .upgrade { event in
        guard case .committed = event else { return }
        if begin.withLock({ $0 }) - end > .milliseconds(100) { gaps += 1 }
        end = .now
      }

    #expect(gaps >= 2)
  }
}
