/// The facts of the errors about a database that must not be changed.
extension UpgradeError {
  /// A database that is newer than the target.
  public struct Newer: Hashable, Sendable {
    /// The version of the database.
    public let database: Version
    /// The target.
    public let target: Version
  }

  /// A database whose `user_version` is not a version.
  public struct Invalid: Hashable, Sendable {
    /// The number, which is negative.
    public let version: Int32
  }

  /// A file that is not a whole database.
  public struct Damaged: Hashable, Sendable {
    /// The file.
    public let path: String
    /// The problem of the file.
    public let problem: FileProblem
  }

  /// A database that has tables and no version.
  public struct Unversioned: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The version of the seed.
    public let seed: Version
  }

  /// A database of another application.
  public struct Foreign: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The `application_id` of the database.
    public let applicationID: Int32
    /// The `application_id` of the seed.
    public let expected: Int32
  }

  /// A journal or a log without its database.
  public struct Orphaned: Hashable, Sendable {
    /// The journal or the log.
    public let journal: String
  }

  /// A database whose file was replaced or removed.
  public struct Moved: Hashable, Sendable {
    /// The path at which the file was.
    public let path: String
    /// The version of the file that was open.
    public let reached: Version
  }
}

/// The errors, made from their facts.
extension UpgradeError {
  package static func newer(database: Version, target: Version) -> UpgradeError {
    .newer(Newer(database: database, target: target))
  }

  package static func invalid(version: Int32) -> UpgradeError {
    .invalid(Invalid(version: version))
  }

  package static func damaged(path: String, _ problem: FileProblem) -> UpgradeError {
    .damaged(Damaged(path: path, problem: problem))
  }

  package static func unversioned(path: String, seed: Version) -> UpgradeError {
    .unversioned(Unversioned(path: path, seed: seed))
  }

  package static func foreign(
    path: String, applicationID: Int32, expected: Int32
  ) -> UpgradeError {
    .foreign(Foreign(path: path, applicationID: applicationID, expected: expected))
  }

  package static func orphaned(journal: String) -> UpgradeError {
    .orphaned(Orphaned(journal: journal))
  }

  package static func moved(path: String, reached: Version) -> UpgradeError {
    .moved(Moved(path: path, reached: reached))
  }
}
