import Foundation

/// Waits until a condition holds, and throws after a minute.
///
/// A process that was broken on purpose may never come so far.
public func waitUntil(_ condition: () throws -> Bool) throws {
  let end = ContinuousClock.now + .seconds(60)
  while try !condition() {
    if ContinuousClock.now > end { throw WaitedInVain() }
    usleep(500)
  }
}

struct WaitedInVain: Error {}

/// Waits until a new file has a later time than those that are there.
///
/// Their times are those of the kernel's clock, which goes on every few milliseconds.
public func letFilesAge() { usleep(50_000) }
