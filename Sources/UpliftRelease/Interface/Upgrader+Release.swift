public import Uplift

extension Upgrader {
  /// Checks everything, and records the release if nothing stops it.
  ///
  /// It writes `uplift.lock` beside the scripts, the seed as `guestbook-7.db` in the directory of
  /// released seeds, and the schema there as `schema.sql`. To release twice in a row changes nothing.
  /// `released` is that directory; without it, it is `Released` beside the directory of the seed.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// let release = try upgrader.release()
  /// ```
  @discardableResult
  public func release(
    released: String? = nil, fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Release {
    let check = try check(
      released: released, fixtures: fixtures, isCancelled: isCancelled, onEvent: onEvent)
    guard check.findings.isEmpty else { return Release(version: nil, check: check, files: []) }
    var releasing = Releasing(
      self, in: try ReleasedDirectory(released, of: self), isCancelled: isCancelled)
    let (version, files) = try releasing.record()
    return Release(version: version, check: check, files: files)
  }
}

/// The report of ``Upgrader/release(released:fixtures:isCancelled:onEvent:)``.
public struct Release: Hashable, Sendable {
  /// The version that was released; nil if the findings of the check forbid it.
  public let version: Version?
  /// What the check has found.
  public let check: Check
  /// The paths of the files that were written; empty if all of them were there.
  public let files: [String]
}
