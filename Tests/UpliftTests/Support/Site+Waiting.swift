import TestSupport
import Testing
import Uplift

extension Site {
  /// Boots in this process, and does some work when the boot begins to wait; returns its error.
  func error(
    target: Version, options: Upgrader.Options = Upgrader.Options(),
    whenWaiting work: @escaping () throws -> Void
  ) throws -> UpgradeError? {
    let upgrader = upgrader(target: target, options: options)
    var isDone = false
    var error: UpgradeError?
    do throws(UpgradeError) {
      try upgrader.upgrade { event in
        guard case .waiting = event, !isDone else { return }
        isDone = true
        #expect(throws: Never.self) { try work() }
      }
    } catch let thrown {
      error = thrown
    }
    #expect(isDone)
    return error
  }
}
