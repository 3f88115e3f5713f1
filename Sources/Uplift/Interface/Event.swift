extension Upgrader {
  /// What happens during an upgrade, as it happens.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The seed was copied; nothing else has been done yet.
    case seeded(Version)
    /// An empty database was created.
    case created
    /// The database was there before, at this version, and there are scripts to run.
    case existing(Version)
    /// Somebody else holds the database; for how long it has been waited.
    case waiting(Duration)
    /// A script begins: its place among those that are pending, from 1.
    case started(Version, name: String, index: Int, count: Int)
    /// So many bytes of the script have run; repeated with the same number, a long statement
    /// is alive.
    case progress(Version, bytes: Int, of: Int)
    /// A statement made what is there already, and was skipped; see
    /// ``Upgrader/Options/skipsDuplicates``.
    case skipped(Upgrade.Skipped)
    /// A script is through, and not committed yet.
    case finished(Version)
    /// All up to this version is on the disk.
    case committed(Version)
  }
}
