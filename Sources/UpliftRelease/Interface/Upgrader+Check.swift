public import Uplift
internal import UpliftSystem

extension Upgrader {
  /// Tries all steps before a release, and returns the problems that users would meet after it.
  ///
  /// The steps run in a scratch directory: on a copy of the seed; on an empty database, if there is
  /// no seed, or if a step that does not read the seed has the number 1; and on a copy of each seed in
  /// the directory `released`, which is `Released` beside the directory of the seed by default, and of
  /// each database in the directories of `fixtures`. A seed with tables and the version 0 takes the
  /// place of the empty database. All of them must arrive at the target, with the same schema. Each
  /// step also runs with a few rows in each empty table. The database of the upgrader is not used, and
  /// no file is changed.
  ///
  /// A step in Swift runs several times, each time on a database of its own.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// let findings = try upgrader.check(fixtures: ["Tests/Fixtures"]).findings
  /// ```
  public func check(
    released: String? = nil, fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Check {
    try Checking.check(
      self, fixtures: try ReleasedDirectory.older(than: self, released, fixtures),
      isCancelled: isCancelled, onEvent: onEvent)
  }
}

/// The report of ``Upgrader/check(released:fixtures:isCancelled:onEvent:)``.
public struct Check: Hashable, Sendable {
  /// What has to be mended, or accepted, before a release.
  public let findings: [Finding]
  /// What could not be tried: tables that had no row, and scripts that no starting point is below.
  public let notTried: [Finding]

  package init(findings: [Finding], notTried: [Finding]) {
    self.findings = findings
    self.notTried = notTried
  }
}
