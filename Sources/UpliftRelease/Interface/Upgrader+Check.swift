public import Uplift

extension Upgrader {
  /// Tries all steps before a release, and returns the problems that users would meet after it.
  ///
  /// The steps run in a scratch directory: on a copy of the seed; on an empty database, if there is
  /// no seed, or if a step that does not read the seed has the number 1; and on a copy of each
  /// database in the directories of `fixtures`. A seed with tables and the version 0 takes the place of the empty database. All of
  /// them must arrive at the target, with the same schema. Each step also runs with a few rows in
  /// each empty table. The database of the upgrader is not used, and no file is changed.
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
  ) throws(UpgradeError) -> [Finding] {
    try Checking(self, fixtures: fixtures, isCancelled: isCancelled, onEvent: onEvent).run()
  }

  /// Records the scripts of each directory up to the target as released, in its file `uplift.lock`.
  ///
  /// ``check(fixtures:isCancelled:onEvent:)`` then finds a script that was edited or removed,
  /// or that came later with a number that is not above the newest version of the release.
  @discardableResult
  public func recordScripts() throws(UpgradeError) -> [LockedScripts] {
    let scripts = try ShippedScripts(of: migrations)
    let seedVersion = try seed.map { seed throws(UpgradeError) in
      try SeedFile.header(of: seed).version
    }
    let newest = target ?? max(scripts.catalog.newest ?? .zero, seedVersion ?? .zero)
    var files: [LockedScripts] = []
    for directory in migrations.directories {
      files.append(
        try ReleasedScripts(in: directory, of: scripts).record(through: target, newest: newest))
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
