extension Upgrader {
  /// An event of an upgrade, reported when it happens.
  ///
  /// An upgrade with nothing to do reports no event, unless it must wait.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The database was made from the seed, which has this version; no script has run yet.
    case seeded(Version)
    /// An empty database was made; no script has run yet.
    case created
    /// The database existed before, at this version, and there are scripts to run.
    case existing(Version)
    /// The database was copied, before the first script.
    case backedUp(BackedUp)
    /// The upgrade waits for another process that has locked the database, for this time so far;
    /// this is reported at most ten times a second.
    case waiting(Duration)
    /// A script begins.
    case started(Started)
    /// A script is still running; this is reported at most ten times a second.
    case progress(Progress)
    /// A statement was skipped because of ``Upgrader/Options/skipsDuplicates``.
    case skipped(Upgrade.Skipped)
    /// The script with this number has ended without an error, and is not committed yet.
    case finished(Version)
    /// Scripts were committed: every script up to this number survives a power cut from now on.
    case committed(Version)
  }
}

extension Upgrader.Event {
  /// A copy of the database.
  public struct BackedUp: Hashable, Sendable {
    /// The version of the database, and of its copy.
    public let version: Version
    /// The path of the copy.
    public let path: String
  }

  /// A script that begins.
  public struct Started: Hashable, Sendable {
    /// The number of the script.
    public let version: Version
    /// The name of the script.
    public let name: String
    /// The place of the script among those that are to run, from 1.
    public let index: Int
    /// The number of scripts that are to run.
    public let count: Int
  }

  /// A script that is running; for a step in Swift both `bytes` and `size` are 0.
  public struct Progress: Hashable, Sendable {
    /// The number of the script.
    public let version: Version
    /// The bytes of the script that have run; they stay the same while a long statement runs.
    public let bytes: Int
    /// The bytes of the whole script.
    public let size: Int
    /// The passes of a script that repeats; nil for any other.
    public let passes: Int?
    /// The rows that these passes have changed, those of triggers, too; nil for any other script.
    public let rows: Int64?
  }
}
