/// What is there, and what is pending.
public struct Status: Hashable, Sendable {
  /// Nil if there is no database yet.
  public let version: Version?
  /// Where an upgrade would lead.
  public let target: Version
  /// The seed's own version; nil if no seed is given.
  public let seed: Version?
  /// The steps that are numbered up to the version, in order.
  ///
  /// The version is all that a database remembers. A script that came late, with a number below
  /// the version, is among them although it never ran here.
  public let applied: [Upgrader.Migration]
  /// The steps that an upgrade would run, in order.
  public let pending: [Upgrader.Migration]
  /// What an upgrade would throw before it changes anything: the database is newer than the target,
  /// another application's, without its version, …; nil if nothing stands against it.
  public let refusal: UpgradeError?

  /// True if an upgrade would have nothing to do.
  public var isCurrent: Bool { version == target && refusal == nil }
}
