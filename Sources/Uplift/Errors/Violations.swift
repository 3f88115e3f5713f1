extension UpgradeError {
  /// An orphan: a row whose foreign key leads to no row.
  public struct Violation: Hashable, Sendable {
    /// The table that has the row.
    public let table: String
    /// The row's identifier; nil in a table without row identifiers.
    public let row: Int64?
    /// The columns of the foreign key.
    public let columns: [String]
    /// The table that the foreign key leads to.
    public let parent: String
    /// The problem of the foreign key itself; nil if SQLite could enforce it.
    public let fault: Fault?

    package init(
      table: String, row: Int64?, columns: [String], parent: String, fault: Fault? = nil
    ) {
      self.table = table
      self.row = row
      self.columns = columns
      self.parent = parent
      self.fault = fault
    }

    /// The reason why SQLite cannot enforce a foreign key.
    @nonexhaustive
    public enum Fault: Hashable, Sendable {
      /// The table that the foreign key leads to does not exist.
      case noTable
      /// The parent lacks a column of the foreign key, or the key of the parent has another number of
      /// columns than the foreign key.
      case noColumns
      /// The columns in the parent are neither its primary key nor unique.
      case noKey
    }
  }
}

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
