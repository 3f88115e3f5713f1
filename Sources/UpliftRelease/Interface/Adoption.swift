public import Uplift

/// The report of ``Upgrader/adopt(version:isCancelled:)``.
public struct Adoption: Hashable, Sendable {
  /// The version that was written.
  public let version: Version
  /// The objects that were not compared, as in `index by_town on guests`: an operator's own
  /// indexes, and the tables of Litestream and of other tools for migrations.
  public let others: [String]
}

/// Why a database got no version; nothing was written.
public struct AdoptionFailure: Error, Hashable, Sendable {
  /// The error, with its remedy.
  public let error: UpgradeError
  /// The versions that the database may have: several that fit, or the nearest.
  public let versions: [Version]
  /// The differences to the last of these versions.
  public let differences: [ObjectDifference]
}

extension AdoptionFailure: CustomStringConvertible {
  /// The words of the error.
  public var description: String { error.description }
}

/// The report of ``Upgrader/verify(isCancelled:)``.
public struct Verification: Hashable, Sendable {
  /// The version that the database claims.
  public let version: Version
  /// The differences to the schema that the steps make for this version.
  ///
  /// If the steps make different schemas from the seed and from an empty database, the nearer one
  /// is compared.
  public let differences: [ObjectDifference]
  /// The objects that were not compared, as in `index by_town on guests`: an operator's own
  /// indexes, and the tables of Litestream and of other tools for migrations.
  public let others: [String]

  /// True if the schema is what the steps make.
  public var fits: Bool { differences.isEmpty }
}

/// An object in a database that is not as the steps make it.
public struct ObjectDifference: Hashable, Sendable {
  /// The object, as in `column users.email`.
  public let object: String
  /// What is wrong with the object, as in `is missing` or `is not in version 2`.
  public let words: String
  /// True if the database has the object, and the version does not.
  let isExtra: Bool
}

extension ObjectDifference: CustomStringConvertible {
  /// The object and the words, as in `column users.email is missing`.
  public var description: String { "\(object) \(words)" }
}

extension ObjectDifference {
  /// The difference between a database, which comes first, and what the steps make for a version.
  init(_ difference: SchemaDifference, to version: Version) {
    object = difference.object
    isExtra = difference.isInFirst && difference.property == nil
    if let property = difference.property {
      words = "differs; here: \(property.first); from the scripts: \(property.second)"
    } else {
      words = difference.isInFirst ? "is not in version \(version)" : "is missing"
    }
  }
}
