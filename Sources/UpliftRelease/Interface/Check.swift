public import Uplift

extension Upgrader {
  /// Tries all steps before a release, and returns the problems that users would meet after it.
  ///
  /// The steps run in a scratch directory: on a copy of the seed, on an empty database if the steps
  /// begin with one, on each seed in `released` (by default `Released` beside the directory of the
  /// seed), and on each database in the directories of `fixtures`. All must arrive at the target, with
  /// the same schema. Each step also runs with a few rows in each empty table. The database of the
  /// upgrader is not used, and no file is changed.
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
}

/// One thing that ``Upgrader/check(released:fixtures:isCancelled:onEvent:)`` has found.
///
/// Every finding stops a release: it is mended, or accepted by `-- uplift: accepts KIND` in its script.
/// `check` has seen it: in a run of the scripts, in their numbers, or in the lock file.
/// `description` is the place and the words.
public struct Finding: Hashable, Sendable {
  /// The kind of a finding; the raw value is the `kind` in the command's JSON.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A script fails, or its text or its number is wrong.
    case scriptFails
    /// A starting point is refused, so that no script runs.
    case refused
    /// The schemas differ, depending on the starting point.
    case schemaDiffers
    /// A foreign key leads to no table, or to columns that are not a key.
    case danglingReference
    /// Two scripts read the seed. Or the script that reads it does not have the seed's version as
    /// its number. Or the seed certainly lacks the changes of a script: the last one that changes the
    /// schema and is not above the seed's version.
    case seedNumber
    /// The lock file cannot be read, is not in order, or has a merge that was not finished.
    case lockFile
    /// A released script has another text.
    case scriptEdited
    /// A released script is not there.
    case scriptGone
    /// A script that is not released has a number that is not above the newest released version.
    case scriptInserted

    /// A script fails on rows that were made up.
    case failsOnRows
    /// An index, a trigger, a view or an option of a table was lost in a rebuild.
    case objectLost
    /// A view cannot be read, or a table or a view cannot be changed because of a trigger.
    case objectBroken
    /// A column of a table is not in its new definition after a rebuild, and neither is a new one that
    /// could be the same.
    case columnLost
    /// Rows of a table are not in it after its rebuild, and no statement has deleted them.
    case rowsLost
    /// `VACUUM` gives new identifiers to the rows of a table.
    case rowsRenumbered
    /// No row could be made up for a table, and no starting point has one.
    case notTried
    /// The seed has other rows than a released seed of its version, or than an older one has after its
    /// upgrade.
    case contentChanged
    /// A script accepts a kind of findings, and there is none of that kind.
    case acceptsNothing
  }

  /// The place of a finding in a file.
  public struct Place: Hashable, Sendable {
    /// The path of the script, the database, the lock file or the directory of fixtures.
    public let file: String
    /// The line in a script or in the lock file, from 1; nil if the finding is about the whole
    /// file.
    public let line: Int?
    /// The column in that line, from 1; nil if the finding is about the whole line.
    public let column: Int?
    /// The line, and the character in it that the finding is about; nil if no statement is known.
    public let excerpt: UpgradeError.Excerpt?
  }

  /// The kind of the finding.
  public let kind: Kind
  /// The script, the database or the lock file that the finding is about.
  public let place: Place
  /// One clause that says what was observed.
  public let words: String
  /// One line that says what to do.
  public let remedy: String
  /// The databases whose upgrades showed it; empty if all did, or if `place` names the database.
  public let startingPoints: [String]
}

extension Finding: CustomStringConvertible {
  /// The place and the words, as in `Migrations/0002_a.sql:3:1: the table users is dropped`.
  public var description: String {
    let parts = [
      place.file, place.line.map(String.init), place.column.map(String.init), " \(words)",
    ]
    return parts.compactMap(\.self).joined(separator: ":")
  }
}
