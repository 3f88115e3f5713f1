/// The report of an upgrade that succeeded.
public struct Upgrade: Hashable, Sendable {
  /// The state in which the upgrade found the database, or the way in which it made one.
  public let start: Start
  /// The version of the database after the upgrade, which is the target.
  public let end: Version
  /// The steps that this upgrade ran, in order.
  ///
  /// Steps that another process ran at the same time are not among them.
  public let applied: [Step]
  /// The statements that were skipped, in order.
  ///
  /// There are none without ``Upgrader/Options/skipsDuplicates``.
  public let skipped: [Skipped]

  /// The path of the backup that was made before the first step; nil if none was made.
  public let backup: String?

  package init(
    start: Start, end: Version, applied: [Step] = [], skipped: [Skipped] = [],
    backup: String? = nil
  ) {
    self.backup = backup
    self.start = start
    self.end = end
    self.applied = applied
    self.skipped = skipped
  }

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

    package init(version: Version, name: String, duration: Duration) {
      self.version = version
      self.name = name
      self.duration = duration
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

    package init(version: Version, name: String, line: Int, text: String, words: String) {
      self.version = version
      self.name = name
      self.line = line
      self.text = text
      self.words = words
    }
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
