/// The steps of an upgrade that are still to run.
///
/// Another process may apply some of them, or set the version back, at any time.
struct PendingSteps {
  private let plan: Plan
  /// The lowest version that the database has had during the upgrade.
  private var lowest: Version
  /// All steps that lead on from there.
  private var steps: [Migration]
  /// How many of them were pending when the upgrade began; they are the last ones.
  private(set) var count: Int

  /// `steps` lead on from a version; `doneCount` steps ran before them.
  init(_ steps: [Migration], of plan: Plan, from version: Version, doneCount: Int) {
    self.plan = plan
    self.steps = steps
    lowest = version
    count = doneCount + steps.count
  }

  /// The steps that lead on from a version, up to a script that is known to fail.
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
  /// `index` counts all steps.
  func place(ofStepAt index: Int) -> Int { index - (steps.count - count) + 1 }
}
