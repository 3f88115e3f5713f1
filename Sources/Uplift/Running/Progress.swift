package import UpliftSQLite

/// Turns what happens into events.
///
/// At most ten times a second, it reports progress, or that the upgrade waits. A script may run
/// again, if another one in its transaction failed; its events come again then.
final class ProgressReport {
  private let emit: (Upgrader.Event) -> Void
  private var script: (version: Version, size: Int)?
  private var latest = ContinuousClock.now
  /// When the script that runs now began.
  private var began = ContinuousClock.now

  /// How much of the script has run.
  var bytesRun = 0

  init(_ emit: @escaping (Upgrader.Event) -> Void) {
    self.emit = emit
  }

  func report(_ start: Upgrade.Start) {
    switch start {
    case .seeded(let version): emit(.seeded(version))
    case .created: emit(.created)
    case .existing(let version): emit(.existing(version))
    }
  }

  func backedUp(_ version: Version, _ path: String) {
    emit(.backedUp(Upgrader.Event.BackedUp(version: version, path: path)))
  }

  func waiting(_ duration: Duration) {
    if isTime() { emit(.waiting(duration)) }
  }

  func started(_ script: Script, index: Int, count: Int) {
    let version = script.migration.version
    bytesRun = 0
    began = .now
    // A script that needs the database to itself is tried again and again.
    if self.script?.version == version { return }
    latest = .now
    self.script = (version, script.bytes.count)
    emit(.started(version, name: script.migration.name, index: index, count: count))
  }

  /// Reports that the script is still running.
  func pulse() {
    guard let script, isTime() else { return }
    emit(.progress(script.version, bytes: bytesRun, of: script.size))
  }

  func skipped(_ statement: Upgrade.Skipped) { emit(.skipped(statement)) }

  func finished(_ version: Version) {
    script = nil
    emit(.finished(version))
  }

  /// The script that has finished, with its duration.
  func step(_ migration: Migration) -> Upgrade.Step {
    Upgrade.Step(
      version: migration.version, name: migration.name, duration: ContinuousClock.now - began)
  }

  func committed(_ version: Version) {
    emit(.committed(version))
  }

  private func isTime() -> Bool {
    let now = ContinuousClock.now
    guard now - latest >= .milliseconds(100) else { return false }
    latest = now
    return true
  }
}

/// Looks at a database before and after each step; the tools of a release use it.
///
/// An upgrade with an observer does not sync, because nobody needs its database after a power cut.
package protocol StepObserver: AnyObject {
  /// Is called in a transaction before the first statement of the step; it may change rows.
  ///
  /// If the step fails, these changes are undone with it, except for a `no-transaction` script.
  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError)

  /// Is called in the transaction that sets the version of the step, before it is committed.
  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError)
}

extension Upgrader {
  /// Upgrades a database that nobody else uses, while an observer looks at each step.
  package func upgrade(
    observer: any StepObserver, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Event) -> Void
  ) throws(UpgradeError) -> Upgrade {
    try Boot(self, observer: observer, isCancelled: isCancelled, onEvent: onEvent).run()
  }
}
