extension Upgrader {
  /// An event of an upgrade, reported when it happens.
  ///
  /// An upgrade with nothing to do reports none, unless it must wait.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The database was made from the seed, which has this version; no script has run yet.
    case seeded(Version)
    /// An empty database was made; no script has run yet.
    case created
    /// The database existed before, at this version, and there are scripts to run.
    case existing(Version)
    /// Another process holds the database, and the upgrade has waited this long for it.
    ///
    /// It is repeated while the upgrade waits, at most ten times a second.
    case waiting(Duration)
    /// A script begins; `index` counts the `count` scripts that are pending, from 1.
    case started(Version, name: String, index: Int, count: Int)
    /// This many bytes of the script have run, at most ten reports a second.
    ///
    /// The number stays the same while a long statement runs. For a step in Swift both
    /// numbers are 0.
    case progress(Version, bytes: Int, of: Int)
    /// A statement was skipped, because the object that it creates already exists.
    ///
    /// This happens only with ``Upgrader/Options/skipsDuplicates``.
    case skipped(Upgrade.Skipped)
    /// A script has ended without an error, and is not committed yet.
    case finished(Version)
    /// Every script up to this version survives a power cut from now on.
    case committed(Version)
  }
}
