public import Uplift

extension Upgrader {
  /// Recognises a database that has tables and no version, as after `.dump`, and writes its version.
  ///
  /// The schema is compared with that of each version, which the steps make in a scratch directory,
  /// from the seed and from each older database in the directories `released` (by default `Released`
  /// beside the directory of the seed) and `fixtures`.
  ///
  /// **A version whose schema is not known is never written.** If exactly one version fits, it is
  /// written, in one transaction in which the schema is compared again. If none or several fit,
  /// nothing is written, and the error names those that may be right. With a `version`, only this one
  /// is accepted, and the schema must still fit.
  ///
  /// Tables, and indexes on a table of the steps, whose names no step uses were made by an operator
  /// or by another tool, such as Litestream. They are not compared.
  @discardableResult
  public func adopt(
    version: Version? = nil, released: String? = nil, fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(AdoptionFailure) -> Adoption {
    var adopting: Adopting?
    do throws(UpgradeError) {
      let older = try ReleasedDirectory.older(than: self, released, fixtures)
      var run = Adopting(
        upgrader: self, wanted: version, fixtures: older, isCancelled: isCancelled)
      defer { adopting = run }
      return try run.run()
    } catch {
      throw AdoptionFailure(
        error: error, versions: adopting?.versions ?? [], differences: adopting?.differences ?? [])
    }
  }

  /// Compares the schema of the database with that of the version that it claims; nothing is
  /// changed.
  ///
  /// Nil if there is no database, or if it holds nothing. It throws if an upgrade would refuse the
  /// database, for example because the database is newer than the target.
  public func verify(
    released: String? = nil, fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Verification? {
    try verifying(
      fixtures: try ReleasedDirectory.older(than: self, released, fixtures),
      isCancelled: isCancelled)
  }
}

/// The report of ``Upgrader/adopt(version:released:fixtures:isCancelled:)``.
public struct Adoption: Hashable, Sendable {
  /// The version that was written.
  public let version: Version
  /// The objects that were not compared, as in `index by_town on guests`: an operator's own
  /// tables and indexes, and those of Litestream and other tools.
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

/// The report of ``Upgrader/verify(released:fixtures:isCancelled:)``.
public struct Verification: Hashable, Sendable {
  /// The version that the database claims.
  public let version: Version
  /// The differences to the schema that the steps make for this version.
  ///
  /// If the steps make different schemas from the seed and from an empty database, the nearer one
  /// is compared.
  public let differences: [ObjectDifference]
  /// The objects that were not compared, as in `index by_town on guests`: an operator's own
  /// tables and indexes, and those of Litestream and other tools.
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
}

extension ObjectDifference: CustomStringConvertible {
  /// The object and the words, as in `column users.email is missing`.
  public var description: String { "\(object) \(words)" }
}

extension ObjectDifference {
  /// The difference between a database, which comes first, and what the steps make for a version.
  init(_ difference: SchemaDifference, to version: Version) {
    object = difference.object
    if let property = difference.property {
      words = "differs; here: \(property.first); from the scripts: \(property.second)"
    } else {
      words = difference.isInFirst ? "is not in version \(version)" : "is missing"
    }
  }
}
