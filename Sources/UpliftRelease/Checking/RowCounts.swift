internal import Uplift
internal import UpliftSQLite

/// The numbers of rows in tables, before and after each script.
struct RowCounts {
  /// Up to this number of rows, a table is counted again after each script that writes it.
  private static let few = 10_000
  /// Without one of these words in a script, a trigger or a table, no row goes.
  private static let words = ["delete", "drop", "replace"]

  /// False if the script that runs now takes no row.
  private var mayTakeRows = true
  private var counts: [Name: Int64] = [:]
  private var uncounted: Set<Name>

  /// A table that has fewer rows than before the script.
  struct Loss {
    let table: Name
    /// The name of the table before the script.
    let oldName: Name
    let before: Int64
    let after: Int64
  }

  init(of tables: some Sequence<Name> = []) {
    uncounted = Set(tables)
  }

  /// Counts the tables that are not counted yet: a large one only if the script may take rows.
  mutating func count(
    before script: Script, _ tables: ObservedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    mayTakeRows =
      Self.words.contains { script.mayMention($0) }
      || tables.all.values.contains { $0.mayTakeRows }
    for name in uncounted.sorted() where tables.all[name]?.kind == .table {
      var count = try connection.count(upTo: Self.few, of: name)
      if count == Self.few {
        guard mayTakeRows else { continue }
        count = try connection.count(of: name)
      }
      counts[name] = count
      uncounted.remove(name)
    }
  }

  /// The number of rows before the script.
  func rows(of table: Name) -> Int64 { counts[table] ?? 0 }

  /// Counts again the tables that the script has changed, and returns those with fewer rows.
  mutating func losses(
    _ actions: ScriptActions, _ changes: ObservedTables.Changes, _ tables: ObservedTables,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Loss] {
    var names: [Name: Name] = [:]
    for name in actions.writtenTables.union(actions.changedTables) { names[name] = name }
    for kept in changes.kept { names[kept.before.name] = kept.after.name }
    // All counts are taken out first, because two tables may have swapped their names.
    var befores: [Name: Int64] = [:]
    for name in names.keys {
      uncounted.remove(name)
      befores[name] = counts.removeValue(forKey: name)
    }
    var losses: [Loss] = []
    for (name, now) in names.sorted(by: { $0.key < $1.key }) {
      guard tables.all[now]?.kind == .table, !isIndexData(now, tables) else { continue }
      guard let before = befores[name], before < Self.few || mayTakeRows else {
        uncounted.insert(now)
        continue
      }
      let after = try connection.count(of: now)
      counts[now] = after
      if after < before {
        losses.append(Loss(table: now, oldName: name, before: before, after: after))
      }
    }
    return losses
  }

  /// True for a table in which a full-text index keeps words; fewer rows may hold the same words.
  private func isIndexData(_ name: Name, _ tables: ObservedTables) -> Bool {
    guard tables.shadows.contains(name) else { return false }
    return ["_data", "_idx", "_segments", "_segdir", "_docsize"].contains { ending in
      name.folded.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }
  }
}
