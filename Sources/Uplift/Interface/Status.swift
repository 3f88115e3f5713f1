/// The state of a database, and the steps that an upgrade would run.
public struct Status: Hashable, Sendable {
  /// The version of the database; nil if there is no database yet.
  public let version: Version?
  /// The version that an upgrade would lead to.
  public let target: Version
  /// The seed's version; nil if no seed is given.
  public let seed: Version?
  /// The steps with a number up to the version, in order.
  ///
  /// If there is no database yet, or an empty one, these are the steps whose changes a new database
  /// gets from the seed. A database stores only its version. So a script that was added later, with
  /// a number below the version, is listed here although it never ran.
  public let applied: [Upgrader.Migration]
  /// The steps that an upgrade would run, in order.
  public let pending: [Upgrader.Migration]
  /// The error that an upgrade would throw before it changes anything; nil if it may begin.
  ///
  /// For example, the database may be newer than the target, or belong to another application. The
  /// texts of the scripts are not read, so an upgrade may still refuse one of them.
  public let refusal: UpgradeError?

  /// True if an upgrade would have nothing to do, because the database is at the target.
  public var isCurrent: Bool { version == target && refusal == nil }
}
