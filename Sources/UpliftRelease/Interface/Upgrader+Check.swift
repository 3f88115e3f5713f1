public import Uplift

extension Upgrader {
  /// Tries all steps before a release, and returns what users would find out after it.
  ///
  /// The steps run on copies in a scratch directory: of the seed, of an empty database if the steps
  /// reach back to it, and of each database in the directories of `fixtures`. All of them must arrive
  /// at the target, with the same schema. Each step also runs with a few rows in each empty table. The
  /// database of the upgrader is not used, and no file is changed.
  ///
  /// A step in Swift runs several times, each time on a database of its own.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// let findings = try upgrader.check(fixtures: ["Tests/Fixtures"])
  /// ```
  public func check(
    fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(ReleaseError) -> [Finding] {
    try Checking(self, fixtures: fixtures, isCancelled: isCancelled, onEvent: onEvent).run()
  }

  /// Records the scripts of each directory up to the target as released, in its file `uplift.lock`.
  ///
  /// ``check(fixtures:isCancelled:onEvent:)`` then finds a script that was edited, removed, or inserted
  /// below the newest.
  @discardableResult
  public func recordScripts() throws(ReleaseError) -> [LockedScripts] {
    let scripts = try ShippedScripts(of: migrations)
    var files: [LockedScripts] = []
    for directory in migrations.directories {
      files.append(try ReleasedScripts(in: directory, of: scripts).record(through: target))
    }
    return files
  }
}

/// A lock file that was written.
public struct LockedScripts: Hashable, Sendable {
  /// The path of the file.
  public let path: String
  /// The number of scripts in it.
  public let count: Int
}
