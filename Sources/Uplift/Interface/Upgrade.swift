/// What an upgrade did.
public struct Upgrade: Hashable, Sendable {
  /// Where it began.
  public let start: Start
  /// The version now: the target.
  public let end: Version
  /// The scripts that this upgrade ran, in order; what another process ran at the same moment
  /// is in its report.
  public let applied: [Step]
  /// The statements that were skipped, in order; none without
  /// ``Upgrader/Options/skipsDuplicates``.
  public let skipped: [Skipped]

  package init(start: Start, end: Version, applied: [Step] = [], skipped: [Skipped] = []) {
    self.start = start
    self.end = end
    self.applied = applied
    self.skipped = skipped
  }

  /// What was there before.
  public enum Start: Hashable, Sendable {
    /// The database was there.
    case existing(Version)
    /// It was made from the seed.
    case seeded(Version)
    /// It was made empty.
    case created

    /// The version that the scripts began from.
    public var version: Version {
      switch self {
      case .existing(let version), .seeded(let version): version
      case .created: .zero
      }
    }
  }

  /// A script that was run.
  public struct Step: Hashable, Sendable {
    public let version: Version
    public let name: String
    /// How long it ran, with its checks; a commit that it shares with others is not in it.
    public let duration: Duration

    package init(version: Version, name: String, duration: Duration) {
      self.version = version
      self.name = name
      self.duration = duration
    }
  }

  /// A statement that was skipped, because what it makes is there already.
  public struct Skipped: Hashable, Sendable {
    /// The script it belongs to.
    public let version: Version
    public let name: String
    /// The line on which it begins, from 1, and that line.
    public let line: Int
    public let text: String
    /// What SQLite said to it.
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
  public var description: String {
    switch self {
    case .existing(let version): "\(version)"
    case .seeded(let version): "seeded at \(version)"
    case .created: "created"
    }
  }
}
