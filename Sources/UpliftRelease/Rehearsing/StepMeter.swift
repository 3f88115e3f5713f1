internal import Uplift
internal import UpliftSQLite

/// Measures each step of a rehearsal, by the events of the upgrade.
final class StepMeter {
  private let diskUse: DiskUse
  private(set) var steps: [Measured] = []
  private var current: Running?

  struct Measured {
    let step: Rehearsal.Step
    /// The time until the commit.
    let work: Duration
    let before: DiskUse.Counts
    let after: DiskUse.Counts

    /// The room that the step adds if it shares a commit with the one before it.
    fileprivate var shared: Int64 {
      after.most.lasting - before.room.lasting + after.logged - before.logged
    }
  }

  /// The room that an upgrade needs, in addition to the database.
  struct Needed: Equatable {
    var lasting: Int64 = 0
    var temporary: Int64 = 0
    /// For both kinds at one moment.
    var all: Int64 = 0
  }

  private struct Running {
    let version: Version
    let name: String
    let start = ContinuousClock.now
    var work: Duration = .zero
    let counts: DiskUse.Counts
  }

  init(_ diskUse: DiskUse) {
    self.diskUse = diskUse
  }

  func note(_ event: Upgrader.Event) {
    switch event {
    case .started(let script):
      // A script that runs again, in a transaction of its own, is one step.
      guard current?.version != script.version else { return }
      current = Running(version: script.version, name: script.name, counts: diskUse.now)
    case .finished:
      current.map { current?.work = ContinuousClock.now - $0.start }
    case .committed(let committed):
      guard let running = current.take(), running.version == committed.version else { return }
      steps.append(measured(running))
      // Not when the next step starts: between two steps, a log may be written into the database,
      // and the room for both counts.
      diskUse.forgetMost()
    default:
      break
    }
  }

  private func measured(_ running: Running) -> Measured {
    let counts = diskUse.now
    return Measured(
      step: Rehearsal.Step(
        version: running.version, name: running.name,
        duration: ContinuousClock.now - running.start,
        bytesWritten: counts.written - running.counts.written, peak: counts.mostOfAll),
      work: running.work, before: running.counts, after: counts)
  }

  /// The most room that an upgrade needs if scripts share a commit for `interval`.
  ///
  /// On the copy each has a commit of its own. If scripts share a commit, the journal keeps the
  /// pages of all of them.
  func needed(sharing interval: Duration) -> Needed {
    guard let start = steps.first?.before.room else { return Needed() }
    let base = start.lasting + start.log
    var needed = Needed()
    var rest = steps[...]
    while let first = rest.popFirst() {
      var group = Needed(
        lasting: first.after.mostWithoutTemporary - base, temporary: first.after.most.temporary,
        all: first.after.mostOfAll - base)
      var work = first.work
      while work < interval, let next = rest.popFirst() {
        work += next.work
        group.lasting += next.shared
        group.temporary = max(group.temporary, next.after.most.temporary)
        group.all = group.lasting + group.temporary
      }
      needed.lasting = max(needed.lasting, group.lasting)
      needed.temporary = max(needed.temporary, group.temporary)
      needed.all = max(needed.all, group.all)
    }
    return needed
  }
}
