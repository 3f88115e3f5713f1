package import UpliftSQLite

/// Turns what happens into events; progress and waiting are reported at most ten times a second.
///
/// A script may run again, if another one in its transaction failed; its events come again then.
final class ProgressReport {
  let emit: (Upgrader.Event) -> Void
  private var script: (version: Version, size: Int)?
  private var latest = ContinuousClock.now
  /// When the script that runs now began.
  private var began = ContinuousClock.now
  /// What the script has skipped.
  private var skipped: [Upgrade.Skipped] = []

  /// How much of the script has run.
  var bytesRun = 0
  /// The passes of a script that repeats, and the rows that they have changed; nil for any other.
  private var passes: Passed?

  private struct Passed {
    var count = 0
    var rows: Int64 = 0
  }

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
    emit(.backedUp(.init(version: version, path: path)))
  }

  func waiting(_ duration: Duration) {
    if isTime() { emit(.waiting(duration)) }
  }

  func started(_ script: Script, index: Int, count: Int) {
    let version = script.migration.version
    bytesRun = 0
    skipped = []
    began = .now
    // A script that needs the database to itself is tried again and again.
    if self.script?.version == version { return }
    latest = .now
    self.script = (version, script.bytes.count)
    passes = script.repeats ? Passed() : nil
    emit(
      .started(.init(version: version, name: script.migration.name, index: index, count: count)))
  }

  /// Reports that the script is still running.
  func pulse() {
    if isTime() { report() }
  }

  private func report() {
    guard let script else { return }
    emit(
      .progress(
        .init(
          version: script.version, bytes: bytesRun, size: script.size, passes: passes?.count,
          rows: passes?.rows)))
  }

  /// Reports that a pass of a script has ended, and changed some rows; the last one changes none.
  func passed(rows: Int64) {
    if rows > 0 { passes?.count += 1 }
    passes?.rows += rows
    if rows == 0 { report() } else { pulse() }
  }

  func skip(_ statement: Upgrade.Skipped) {
    skipped.append(statement)
    emit(.skipped(statement))
  }

  func finished(_ migration: Migration) -> AppliedStep {
    script = nil
    emit(.finished(migration.version))
    let duration = ContinuousClock.now - began
    return AppliedStep(
      step: .init(
        version: migration.version, name: migration.name, duration: duration,
        passes: passes?.count, rows: passes?.rows),
      skipped: skipped)
  }

  private func isTime() -> Bool {
    let now = ContinuousClock.now
    guard now - latest >= .milliseconds(100) else { return false }
    latest = now
    return true
  }
}

/// A step that has run, and what it has skipped.
struct AppliedStep {
  let step: Upgrade.Step
  let skipped: [Upgrade.Skipped]
}

/// Looks at a database before and after each step; an upgrade with an observer does not sync.
package protocol StepObserver: AnyObject {
  /// Is called in a transaction before the first statement of the step, and may change rows; if the
  /// step fails, this is undone with it, except for a `no-transaction` script.
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
