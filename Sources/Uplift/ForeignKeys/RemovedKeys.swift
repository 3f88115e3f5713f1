internal import UpliftSQLite

/// The foreign keys that a script removed, with their tables or columns.
///
/// A script rebuilds a table by making a new one and dropping the old one. Then the foreign keys of
/// the new table replace those of the old one, and orphans of the old ones are not the script's
/// fault.
struct RemovedKeys {
  private struct Key {
    let before: ForeignKey
    /// The foreign key when it was removed.
    let last: ForeignKey

    /// The foreign key of a table; nil if the script made it.
    init?(_ key: FollowedTable.Key) {
      guard let before = key.before else { return nil }
      self.before = before
      last = key.now
    }

    /// True if a new foreign key has the same columns and the same parent.
    ///
    /// The script may have renamed the columns or the parent. `parentBefore` is the name that the
    /// new key's parent had before the script.
    func isReplaced(by key: ForeignKey, parentBefore: Name?) -> Bool {
      [before.from, last.from].contains(key.from)
        && [before.parent, last.parent].contains { $0 == key.parent || $0 == parentBefore }
    }
  }

  /// A table that the script dropped.
  private struct Table {
    let nameBefore: Name
    /// The table's final name, which it had when it was dropped.
    let finalName: Name
    let keys: [Key]
    /// Nil until a new table with `nameBefore` replaces this one; then the foreign keys that the
    /// script had removed from this table by that time.
    ///
    /// This table stays in the list, because a new table with `finalName` may still come, and is a
    /// better match.
    var removedBefore: [Key]?
  }

  /// The tables that the script dropped, without those that a table with their final name has
  /// replaced.
  private var tables: [Table] = []
  /// The foreign keys that the script removed from a table that is still there, by the name of the
  /// table before the script.
  private var keysOfTables: [Name: [Key]] = [:]

  /// Records that a table was dropped.
  mutating func addTable(_ nameBefore: Name, finalName: Name, _ keys: [FollowedTable.Key]) {
    tables.append(
      Table(nameBefore: nameBefore, finalName: finalName, keys: keys.compactMap { Key($0) }))
  }

  /// Records that foreign keys were removed from a table.
  mutating func addKeys(_ keys: [FollowedTable.Key], of nameBefore: Name) {
    keysOfTables[nameBefore, default: []] += keys.compactMap { Key($0) }
  }

  /// The dropped table that a new table replaces, with the foreign key that each foreign key of the
  /// new table replaces; nil if there is no such table.
  ///
  /// A new table replaces a dropped table that had the same name, if at least one foreign key of
  /// the new table replaces one of the dropped table. If this is true of two new tables, the one
  /// with the final name of the dropped table replaces it. `parentsBefore` are the names that the
  /// parents of the new table had before the script.
  mutating func takeTable(
    replacedBy name: Name, _ keys: [ForeignKey], parentsBefore: [Name: Name]
  ) -> (name: Name, keys: [ForeignKey?])? {
    let sameFinal = tables.lastIndex { $0.finalName == name }
    let sameBefore = tables.lastIndex { $0.nameBefore == name && $0.removedBefore == nil }
    guard let index = sameFinal ?? sameBefore else { return nil }
    let table = tables[index]
    var left = table.keys
    let replaced = keys.map { key -> ForeignKey? in
      let parentBefore = parentsBefore[key.parent]
      let match = left.firstIndex { $0.isReplaced(by: key, parentBefore: parentBefore) }
      return match.map { left.remove(at: $0).before }
    }
    // The two tables have nothing but the name in common.
    if left.count == table.keys.count { return nil }
    let removedBefore = table.removedBefore ?? keysOfTables[table.nameBefore] ?? []
    keysOfTables[table.nameBefore] = removedBefore + left
    if sameFinal == nil {
      tables[index].removedBefore = removedBefore
    } else {
      tables.remove(at: index)
    }
    return (table.nameBefore, replaced)
  }

  /// The foreign key that a new one of the same table replaces; nil if there is none.
  ///
  /// There is one if a column was dropped and made again. The foreign keys in `matched` are already
  /// replaced.
  func key(
    replacedBy key: ForeignKey, parentBefore: Name?, of nameBefore: Name,
    matched: Set<OldForeignKey>
  ) -> OldForeignKey? {
    (keysOfTables[nameBefore] ?? [])
      .filter { !matched.contains(OldForeignKey(table: nameBefore, key: $0.before)) }
      .first { $0.isReplaced(by: key, parentBefore: parentBefore) }
      .map { OldForeignKey(table: nameBefore, key: $0.before) }
  }
}
