public import Uplift

extension Upgrader {
  /// Choices for ``Upgrader/bake(_:isCancelled:onEvent:)``.
  public struct BakeOptions: Hashable, Sendable {
    /// The rows of the seed have changed.
    ///
    /// The seed gets the next number, and the script that reads the seed is renamed with it.
    public var hasNewContent = false
    /// Begins with an empty database and runs all scripts.
    public var beginsEmpty = false
    /// Writes the database to this file, which must not exist, and leaves the seed as it is.
    public var output: String?
    /// The directory to which the replaced seed is copied, as `guestbook-1.db` for version 1.
    ///
    /// No file in it is replaced.
    public var archive: String?
    /// The file for the schema as text.
    public var schema: String?
    /// Changes nothing, and throws ``ReleaseError/outdated(path:)`` if a file would change.
    public var isCheck = false

    /// A seed with all pending scripts, in the place of the seed.
    public init() {}
  }
}

/// What `bake` has done.
public struct Bake: Hashable, Sendable {
  /// The path of the file that was written, or that is as it should be.
  public let path: String
  /// The version of the database in it.
  public let version: Version
  /// True if the file was written, false if it was already right.
  public let isChanged: Bool
  /// The new path of the script that reads the seed; nil if it was not renamed.
  public let renamed: String?
  /// The path of the copy of the replaced seed; nil if none was made.
  public let archived: String?
  /// The names of the steps that give other rows if they run a second later.
  ///
  /// With them each bake gives another seed.
  public let varying: [String]

  package init(
    path: String, version: Version, isChanged: Bool, renamed: String?, archived: String?,
    varying: [String]
  ) {
    self.path = path
    self.version = version
    self.isChanged = isChanged
    self.renamed = renamed
    self.archived = archived
    self.varying = varying
  }
}
