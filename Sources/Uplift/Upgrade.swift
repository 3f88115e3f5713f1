/// What an upgrade did.
public struct Upgrade: Hashable, Sendable {
  /// Where it began.
  public let start: Start
  /// The version now: the target.
  public let end: Version
  /// The scripts that this upgrade ran, in order; what another process ran at the same moment
  /// is in its report.
  public let applied: [Step]

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
