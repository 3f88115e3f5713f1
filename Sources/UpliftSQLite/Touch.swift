/// One kind of change to one table of the main database, as SQLite's authorizer reports it.
package struct Touch: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case insert
    case delete
    /// An update of this column. For the row identifier the column is `rowid`.
    case update(Name)
    /// The table was created, or existed already (`IF NOT EXISTS`).
    case create
    case drop
    /// The table was altered. The touch has the name that the table had before.
    case alter
  }

  package let change: Change
  package let table: Name

  /// True for a change of the schema.
  ///
  /// After it a name may mean a different table.
  package var isOfSchema: Bool {
    switch change {
    case .insert, .delete, .update: false
    case .create, .drop, .alter: true
    }
  }
}
