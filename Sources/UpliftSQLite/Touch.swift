/// One kind of change to one table of the main database, as SQLite's authorizer reported it.
package struct Touch: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case insert
    case delete
    /// The column that was updated; `rowid` for the row's own identifier.
    case update(Name)
    /// The table was created, or was there already (`IF NOT EXISTS`).
    case create
    case drop
    /// The table was altered, under the name that it had before.
    case alter
  }

  package let change: Change
  package let table: Name

  /// True for a change of the schema, after which names may mean other tables.
  package var isOfSchema: Bool {
    switch change {
    case .insert, .delete, .update: false
    case .create, .drop, .alter: true
    }
  }
}

/// Which statement of a script made a change.
package enum TouchOrigin: Hashable, Sendable {
  /// The only one that did; the number is the one given to the script guard.
  case one(Int)
  case several

  package func merged(with other: TouchOrigin) -> TouchOrigin { self == other ? self : .several }
}
