extension UpgradeError {
  /// The orphans that a script made.
  ///
  /// An orphan is a row whose foreign key leads to no row.
  public struct ForeignKeyViolations: Hashable, Sendable {
    /// The first orphans, at most ten.
    public let rows: [Violation]
    /// The number of all orphans.
    public let count: Int

    package init(rows: [Violation], count: Int) {
      self.rows = rows
      self.count = count
    }
  }
}
