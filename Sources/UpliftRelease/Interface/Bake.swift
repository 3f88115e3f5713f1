public import Uplift

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
  /// True if the seed was changed, kept its number, and a script reads it.
  ///
  /// If its rows have changed, databases at this number do not get them. Bake with `hasNewContent`
  /// then.
  public let mayNeedNumber: Bool

  package init(
    path: String, version: Version, isChanged: Bool, renamed: String?, varying: [String],
    mayNeedNumber: Bool = false
  ) {
    self.path = path
    self.version = version
    self.isChanged = isChanged
    self.renamed = renamed
    self.varying = varying
    self.mayNeedNumber = mayNeedNumber
  }
}
