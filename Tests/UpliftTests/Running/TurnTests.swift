import Foundation
import TestSupport
import Testing
import Uplift

/// Other programs get their turn while an upgrade runs.
struct TurnTests {
  /// A program that waits for the lock looks for it ten times a second.
  @Test(.tags(.P2)) func `comes for a service while many scripts run`() throws {
    let site = try Site()
    try site.place(Site.seed)
    let last = 13
    let steps = (2...last).map { number in
      Migration.code(Version(number)!, "step") { database in
        try database.execute("INSERT INTO item(name) VALUES ('step')")
        usleep(500_000)
      }
    }
    var options = Upgrader.Options()
    options.commitInterval = .zero
    var service: Running?
    var isServed = false

    try Upgrader(database: site.database, migrations: Migrations(steps), options: options)
      .upgrade { event in
        switch event {
        case .committed(let step) where step.version == 2:
          service = try? Command("/usr/bin/env").start([
            "sqlite3", "-cmd", ".timeout 5000", site.database,
            "INSERT INTO item(name) VALUES ('service');",
          ])
        case .committed(let step) where step.version.number < last:
          isServed = isServed || service?.isRunning == false
        default: break
        }
      }

    #expect(isServed)
    #expect(try service?.wait().status == 0)
  }
}
