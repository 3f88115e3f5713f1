/// The report of an upgrade that succeeded.
public struct Upgrade: Hashable, Sendable {
  /// The state in which the upgrade found the database, or the way in which it made one.
  public let start: Start
  /// The version of the database after the upgrade, which is the target.
  public let end: Version
  /// The steps that this upgrade ran, in order; not those that another process ran meanwhile.
  public let applied: [Step]
  /// The statements that were skipped because of ``Upgrader/Options/skipsDuplicates``, in order.
  public let skipped: [Skipped]
  /// The path of the backup that was made before the first step; nil if none was made.
  public let backup: String?

  /// The beginning of an upgrade.
  public enum Start: Hashable, Sendable {
    /// The database existed before, at this version.
    case existing(Version)
    /// The database was made from the seed, which has this version.
    case seeded(Version)
    /// The database was made empty.
    case created

    /// The version before the first step; 0 for an empty database.
    public var version: Version {
      switch self {
      case .existing(let version), .seeded(let version): version
      case .created: .zero
      }
    }
  }

  /// A step that the upgrade ran.
  public struct Step: Hashable, Sendable {
    /// The version of the database after the step.
    public let version: Version
    /// The name of the step; for a script of a directory, the name of its file.
    public let name: String
    /// The time that the step took, with its checks and without the commit at its end.
    public let duration: Duration
    /// The passes of a script that repeats that changed rows, in this upgrade; nil for any other.
    public let passes: Int?
    /// The rows that these passes have changed, those of triggers, too; nil for any other script.
    public let rows: Int64?

    package init(
      version: Version, name: String, duration: Duration, passes: Int? = nil, rows: Int64? = nil
    ) {
      self.version = version
      self.name = name
      self.duration = duration
      self.passes = passes
      self.rows = rows
    }
  }

  /// A statement that was skipped, because the object that it creates already exists.
  public struct Skipped: Hashable, Sendable {
    /// The version of the script that has the statement.
    public let version: Version
    /// The name of the script that has the statement.
    public let name: String
    /// The line in which the statement begins, from 1.
    public let line: Int
    /// The text of this line; `…` stands for the parts of a long line that are left out.
    public let text: String
    /// The error message of SQLite, for example `table visits already exists`.
    public let words: String
  }
}

extension Upgrade.Start: CustomStringConvertible {
  /// `2`, `seeded at 1` or `created`.
  public var description: String {
    switch self {
    case .existing(let version): "\(version)"
    case .seeded(let version): "seeded at \(version)"
    case .created: "created"
    }
  }
}

/// The state of a database, and the steps that an upgrade would run.
public struct Status: Hashable, Sendable {
  /// The version of the database; nil if there is no database yet.
  public let version: Version?
  /// The version that an upgrade would lead to.
  public let target: Version
  /// The seed's version; nil if no seed is given.
  public let seed: Version?
  /// The steps with a number up to the version, in order; none without a database, or for an empty
  /// one.
  ///
  /// A script that was added later, with a number below the version, is listed here although it
  /// never ran.
  public let applied: [Upgrader.Migration]
  /// The steps that an upgrade would run, in order.
  public let pending: [Upgrader.Migration]
  /// The error that an upgrade would throw before it changes anything; nil if it may begin.
  ///
  /// The texts of the scripts are not read, so an upgrade may still refuse one of them.
  public let refusal: UpgradeError?

  /// True if an upgrade would have nothing to do, because the database is at the target.
  public var isCurrent: Bool { version == target && refusal == nil }
}

/// The report of a restore.
public struct Restore: Hashable, Sendable {
  /// The version of the backup, and now of the database.
  public let version: Version
  /// The path of the backup.
  public let backup: String
  /// The path of the copy of the old content, with the rows that were written after the backup; nil
  /// if there was no database, or an empty one.
  public let replaced: String?
}
