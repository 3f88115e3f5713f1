internal import UpliftSQLite

/// One table after the latest statement of a script, with its name and foreign keys from before the
/// script.
struct FollowedTable {
  /// A foreign key of the table.
  struct Key {
    var now: ForeignKey
    /// The same foreign key as it was before the script; nil if the script made it.
    var before: ForeignKey?
    /// True if the script changed the foreign key or one of the tables at its ends, so that all
    /// rows must be checked.
    var isSuspect = false
  }

  /// The changes to the rows of a table, with the statements that made them.
  struct RowChanges {
    var inserted: TouchOrigin?
    var deleted: TouchOrigin?
    /// By the column that was updated.
    var updated: [Name: TouchOrigin] = [:]
  }

  /// The table's name before the script; nil if the script made the table.
  var nameBefore: Name?
  var keys: [Key]
  var rows = RowChanges()
  /// The statements that made or renamed the table, or changed it by more than a new column; nil if
  /// there are none.
  ///
  /// All rows of the table are then checked.
  var reshaped: TouchOrigin?

  /// Records that a statement changed rows of the table.
  mutating func addChange(_ change: Touch.Change, by origin: TouchOrigin) {
    switch change {
    case .insert: rows.inserted.add(origin)
    case .delete: rows.deleted.add(origin)
    case .update(let column): rows.updated[column].add(origin)
    case .create, .drop, .alter: break
    }
  }

  /// Marks the table as one that the script made.
  mutating func forgetHistory() {
    nameBefore = nil
    for index in keys.indices { keys[index].before = nil }
  }

  /// Marks the foreign keys that lead to a parent as suspect.
  mutating func suspectKeys(to parent: Name) {
    for index in keys.indices where keys[index].now.parent == parent {
      keys[index].isSuspect = true
    }
  }
}

extension TouchOrigin? {
  /// Adds a statement to those that made a change; nil stands for none.
  mutating func add(_ origin: TouchOrigin) { self = self?.merged(with: origin) ?? origin }
}
