/// The steps of an upgrade that are still to run.
///
/// Another process may apply some of them, or set the version back, at any time.
struct PendingSteps {
  private let plan: Plan
  /// The lowest version that the database has had during the upgrade.
  private var lowest: Version
  /// All steps above that version, up to the target.
  private var steps: [Migration]
  /// The number of steps of the upgrade, including those that ran before `steps`.
  private var count: Int

  /// `steps` are those above the version; `doneCount` steps ran before them.
  init(_ steps: [Migration], of plan: Plan, from version: Version, doneCount: Int) {
    self.plan = plan
    self.steps = steps
    lowest = version
    count = doneCount + steps.count
  }

  /// The steps above a version and below `blocked`, the version of a script that is known to fail.
  mutating func after(_ version: Version, before blocked: Version?) -> ArraySlice<Migration> {
    if version < lowest {
      // Another process has set the version back.
      lowest = version
      steps = plan.steps(after: version)
      count = steps.count
    }
    return steps.drop { $0.version <= version }.prefix { step in
      blocked.map { step.version < $0 } ?? true
    }
  }

  /// The place, from 1, of a step among those that were pending when the upgrade began.
  ///
  /// `index` is that of the step in the result of `after`.
  private func place(ofStepAt index: Int) -> Int { index - (steps.count - count) + 1 }

  /// Reports that a step begins.
  func announce(_ script: Script, at index: Int, to progress: ProgressReport) {
    progress.started(script, index: place(ofStepAt: index), count: count)
  }
}
