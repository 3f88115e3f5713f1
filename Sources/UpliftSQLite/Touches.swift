/// What a script did to which tables, as SQLite's authorizer was told; names in lower case.
package struct Touches {
  package var inserted: Set<String> = []
  package var deleted: Set<String> = []
  /// The columns that were updated, by table; `rowid` where the row's own identifier was.
  package var updated: [String: Set<String>] = [:]
  /// Created or dropped.
  package var reshaped: Set<String> = []
  /// Altered, under the name that the table had before; a new name is not told.
  package var altered: Set<String> = []

  package init() {}

  /// Every table that is named here.
  package var tables: Set<String> {
    inserted.union(deleted).union(updated.keys).union(reshaped).union(altered)
  }

  package var isEmpty: Bool {
    inserted.isEmpty && deleted.isEmpty && updated.isEmpty && reshaped.isEmpty && altered.isEmpty
  }
}
