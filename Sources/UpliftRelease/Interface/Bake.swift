public import Uplift

extension Upgrader {
  /// Makes the seed anew: a copy of it, with all steps up to the target.
  ///
  /// The database of the upgrader is not used. The new seed is packed by `VACUUM`, checked and
  /// synced, and takes the place of the old one in one rename. The same seed, the same steps and
  /// the same SQLite give the same bytes.
  @discardableResult
  public func bake(
    _ options: BakeOptions = BakeOptions(),
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Bake {
    try Baking(
      upgrader: self, options: options, isCancelled: isCancelled, onEvent: onEvent
    ).run()
  }

  /// Choices for ``Upgrader/bake(_:isCancelled:onEvent:)``.
  public struct BakeOptions: Hashable, Sendable {
    /// The rows of the seed have changed.
    ///
    /// All pending steps run, whatever the target is. Then the seed gets the next number, and the
    /// script that reads the seed is renamed with it.
    public var hasNewContent = false
    /// Begins with an empty database and runs all scripts; refused if one of them reads the seed.
    public var beginsEmpty = false
    /// Writes the database to this file, which must not exist, and leaves the seed as it is.
    public var output: String?
    /// The directory of the seeds of earlier releases; nil for `Released` beside the directory of the
    /// seed.
    public var released: String?
    /// Changes nothing, and throws an error if a file would change.
    public var isCheck = false

    /// The defaults: a bake runs all pending scripts, and replaces the seed.
    public init() {}
  }
}

/// The report of ``Upgrader/bake(_:isCancelled:onEvent:)``.
public struct Bake: Hashable, Sendable {
  /// The path of the seed, or of the file that ``Upgrader/BakeOptions/output`` names.
  public let path: String
  /// The version of the database in it.
  public let version: Version
  /// True if the file was written, false if it was already right.
  public let isChanged: Bool
  /// The new path of the script that reads the seed; nil if it was not renamed.
  public let renamed: String?
  /// The names of the steps that give other rows if they run a second later.
  ///
  /// With them each bake gives another seed.
  public let varying: [String]
}
