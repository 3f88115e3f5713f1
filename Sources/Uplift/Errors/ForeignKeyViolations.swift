extension UpgradeError {
  /// The orphans that a script made.
  ///
  /// An orphan is a row whose foreign key leads to no row.
  public struct ForeignKeyViolations: Hashable, Sendable {
    /// The first orphans, at most ten.
    public let rows: [Violation]
    /// The number of all orphans.
    public let count: Int
    /// True if the script removed rows or a table that the orphans may have referred to.
    public let followRemoval: Bool
    /// True if a table to which the orphans refer was dropped or renamed by the script.
    package let followDrop: Bool

    package init(
      rows: [Violation], count: Int, followRemoval: Bool = false, followDrop: Bool = false
    ) {
      self.rows = rows
      self.count = count
      self.followRemoval = followRemoval
      self.followDrop = followDrop
    }
  }
}
