/// What is there, and what is pending.
public struct Status: Hashable, Sendable {
  /// Nil where there is no database yet.
  public let version: Version?
  /// Where an upgrade would lead.
  public let target: Version
  /// The seed's own version; nil where no seed is given.
  public let seed: Version?
  /// The steps that the database has been through, in order.
  public let applied: [Upgrader.Migration]
  /// The steps that an upgrade would run, in order.
  public let pending: [Upgrader.Migration]

  /// True when an upgrade would have nothing to do.
  public var isCurrent: Bool { version == target }
}
