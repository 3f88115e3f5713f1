extension Upgrader {
  /// An event of an upgrade, reported when it happens.
  ///
  /// Each case except `created` has a struct with its facts. A later release may add facts to it.
  /// An upgrade with nothing to do reports no event, unless it must wait.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// The database was made from the seed; no script has run yet.
    case seeded(Seeded)
    /// An empty database was made; no script has run yet.
    case created
    /// The database existed before, and there are scripts to run.
    case existing(Existing)
    /// The database was copied, before the first script.
    case backedUp(BackedUp)
    /// The upgrade waits, because another process has locked the database.
    ///
    /// The event is repeated while the upgrade waits, at most ten times a second.
    case waiting(Waiting)
    /// A script begins.
    case started(Started)
    /// A script is still running; this is reported at most ten times a second.
    case progress(Progress)
    /// A statement was skipped, because the object that it creates already exists.
    ///
    /// This happens only with ``Upgrader/Options/skipsDuplicates``.
    case skipped(Upgrade.Skipped)
    /// A script has ended without an error, and is not committed yet.
    case finished(Finished)
    /// Scripts were committed: every script up to a version survives a power cut from now on.
    case committed(Committed)
  }
}

extension Upgrader.Event {
  /// A database that was made from the seed.
  public struct Seeded: Hashable, Sendable {
    /// The version of the seed, and now of the database.
    public let version: Version
  }

  /// A database that existed before.
  public struct Existing: Hashable, Sendable {
    /// The version of the database before the first script.
    public let version: Version
  }

  /// A copy of the database.
  public struct BackedUp: Hashable, Sendable {
    /// The version of the database, and of its copy.
    public let version: Version
    /// The path of the copy.
    public let path: String
  }

  /// A wait for another process that holds the database.
  public struct Waiting: Hashable, Sendable {
    /// The time that the upgrade has waited so far.
    public let duration: Duration
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

  /// A script that is running.
  ///
  /// For a step in Swift both `bytes` and `size` are 0.
  public struct Progress: Hashable, Sendable {
    /// The number of the script.
    public let version: Version
    /// The bytes of the script that have run; they stay the same while a long statement runs.
    public let bytes: Int
    /// The bytes of the whole script.
    public let size: Int
  }

  /// A script that has ended without an error.
  public struct Finished: Hashable, Sendable {
    /// The number of the script.
    public let version: Version
  }

  /// The scripts that are committed.
  public struct Committed: Hashable, Sendable {
    /// The number of the last script that is committed.
    public let version: Version
  }
}

/// The events, made from their facts.
extension Upgrader.Event {
  package static func seeded(_ version: Version) -> Upgrader.Event {
    .seeded(Seeded(version: version))
  }

  package static func existing(_ version: Version) -> Upgrader.Event {
    .existing(Existing(version: version))
  }

  package static func waiting(_ duration: Duration) -> Upgrader.Event {
    .waiting(Waiting(duration: duration))
  }

  package static func started(
    _ version: Version, name: String, index: Int, count: Int
  ) -> Upgrader.Event {
    .started(Started(version: version, name: name, index: index, count: count))
  }

  package static func progress(_ version: Version, bytes: Int, of size: Int) -> Upgrader.Event {
    .progress(Progress(version: version, bytes: bytes, size: size))
  }

  package static func finished(_ version: Version) -> Upgrader.Event {
    .finished(Finished(version: version))
  }

  package static func committed(_ version: Version) -> Upgrader.Event {
    .committed(Committed(version: version))
  }
}
