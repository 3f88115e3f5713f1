/// Turns what happens into events, and no more than ten a second of how far a script is.
final class ProgressReport {
  private let emit: (Upgrader.Event) -> Void
  private var script: (version: Version, size: Int)?
  private var bytesRun = 0
  private var latest = ContinuousClock.now

  init(_ emit: @escaping (Upgrader.Event) -> Void) {
    self.emit = emit
  }

  func report(_ start: Upgrade.Start) {
    switch start {
    case .seeded(let version): emit(.seeded(version))
    case .created: emit(.created)
    case .existing: break
    }
  }

  func waiting(_ duration: Duration) {
    if isTime() { emit(.waiting(duration)) }
  }

  func started(_ script: Script, index: Int, count: Int) {
    self.script = (script.migration.version, script.bytes.count)
    bytesRun = 0
    latest = .now
    emit(
      .started(
        script.migration.version, name: script.migration.name, index: index, count: count))
  }

  func bytes(_ count: Int) {
    bytesRun = count
    pulse()
  }

  /// A statement is alive, however long it takes.
  func pulse() {
    guard let script, isTime() else { return }
    emit(.progress(script.version, bytes: bytesRun, of: script.size))
  }

  func finished(_ version: Version) {
    script = nil
    emit(.finished(version))
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
