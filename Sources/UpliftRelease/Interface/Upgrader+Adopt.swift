public import Uplift

extension Upgrader {
  /// Recognises a database that has tables and no version, and writes its version.
  ///
  /// `.dump`, `.clone` and `.recover` lose the version. The steps run in a scratch directory: from
  /// the seed, and from an empty database, if there is no seed, or if a step that does not read the
  /// seed has the number 1. A seed with tables and the version 0 takes the place of the empty
  /// database. If the database has the
  /// schema of exactly one version, this version is written, in one transaction in which the schema
  /// is compared again. If it has the schema of no version, or of several, nothing is written and
  /// the error names those that may be right. With a `version`, only this one is accepted, and the
  /// schema must still fit.
  ///
  /// An index on a table of the steps, with a name that no step uses, was made by an operator. It
  /// is not compared. The tables of Litestream, and those in which other tools list their
  /// migrations, are not compared either, unless a step uses their names.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// let adoption = try upgrader.adopt()
  /// ```
  @discardableResult
  public func adopt(
    version: Version? = nil, isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(AdoptionFailure) -> Adoption {
    var adopting = Adopting(self, as: version, isCancelled: isCancelled)
    do {
      return try adopting.run()
    } catch {
      throw AdoptionFailure(
        error: error, versions: adopting.versions, differences: adopting.differences)
    }
  }

  /// Compares the schema of the database with that of the version that it claims; nothing is
  /// changed.
  ///
  /// Nil if there is no database, or if it holds nothing. It throws if an upgrade would refuse the
  /// database, for example because the database is newer than the target.
  public func verify(
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Verification? {
    try Verifying(self, isCancelled: isCancelled).run()
  }
}
