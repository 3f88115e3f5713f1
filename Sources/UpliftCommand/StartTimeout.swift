internal import Uplift
internal import UpliftSystem

/// Asks the service manager (systemd) for more time while an upgrade makes progress.
///
/// An upgrade makes progress if a script has ended, if more bytes of a script have run, or if the
/// process has written to files. A statement that only reads shows no progress. It gets no more
/// time, because it may never end. Waiting for a lock is no progress either. The service manager
/// stops the process if the usual time of the service is over and no message has come for
/// `extension`.
///
/// It never says that the service is ready (`READY=1`).
final class StartTimeout {
  /// The time between two messages.
  private static let interval = Duration.seconds(2)
  /// The time that each message asks for, from its arrival.
  private static let `extension` = Duration.seconds(60)
  /// The fewest written bytes that count as progress: a progress bar writes some, too.
  private static let leastBytes: UInt64 = 1 << 16

  private let manager: ServiceManager
  private var latest = ContinuousClock.now
  private var progress = Progress()
  /// The progress at the latest message.
  private var reported = Progress()
  private var script: Script?

  private struct Script {
    let name: String
    let index: Int
    let count: Int
    var percent = 0
  }

  private struct Progress: Equatable {
    var scripts = 0
    var bytesRun = 0
    var bytesWritten: UInt64 = 0
  }

  /// Nil if no service manager listens.
  init?() {
    guard let manager = ServiceManager() else { return nil }
    self.manager = manager
  }

  /// Notes what happens in the upgrade.
  func note(_ event: Upgrader.Event) {
    switch event {
    case .started(let started):
      script = Script(name: started.name, index: started.index, count: started.count)
      progress.bytesRun = 0
    case .progress(let now):
      // A script may run again from its start; only what has not run before is progress.
      progress.bytesRun = max(progress.bytesRun, now.bytes)
      if now.size > 0 { script?.percent = min(now.bytes * 100 / now.size, 100) }
    case .finished: progress.scripts += 1
    case .skipped, .committed, .seeded, .created, .existing, .backedUp, .waiting: break
    }
    extend()
  }

  /// Looks for progress at most every two seconds, and asks for more time if there was any.
  ///
  /// It is cheap, and called many times.
  func extend() {
    let now = ContinuousClock.now
    guard now - latest >= Self.interval else { return }
    latest = now
    let written = System.bytesWritten() ?? 0
    if written >= reported.bytesWritten + Self.leastBytes { progress.bytesWritten = written }
    guard progress != reported, manager.send(message) else { return }
    reported = progress
  }

  private var message: String {
    let time = Self.extension.components.seconds * 1_000_000
    return "EXTEND_TIMEOUT_USEC=\(time)\nSTATUS=\(status.printable)"
  }

  private var status: String {
    guard let script else { return "copying the database" }
    return "\(script.name) (\(script.index) of \(script.count)), \(script.percent)%"
  }
}
