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
    /// Changes nothing, and throws an error if a file would change.
    public var isCheck = false

    /// The defaults: a bake runs all pending scripts, and replaces the seed.
    public init() {}
  }
}
