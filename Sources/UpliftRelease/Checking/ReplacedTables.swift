internal import Uplift
internal import UpliftSQLite

/// Tables that other tables have replaced over several scripts, which is a rebuild in steps.
///
/// One script may drop a table, and a later one give its name to another. Or one script may rename
/// a table and make a new one with its name, and a later one drop the old table. In either case the
/// last of these scripts ends the rebuild, and the two tables are compared.
struct ReplacedTables {
  /// A table that was dropped.
  private struct Dropped {
    let table: ObservedTable
    let rows: Int64
    let place: Finding.Place
  }

  /// The names of all tables that a script has changed.
  private var everNames: Set<Name> = []
  private var dropped: [Name: Dropped] = [:]
  /// The tables that were renamed so that a new table could have their name, with that name.
  private var renamedAway: [Name: Name] = [:]
  /// The tables that replace another one, and those that are replaced.
  private(set) var intermediate: Set<Name> = []

  /// Takes in what a script has renamed; returns the names of dropped tables that are there again,
  /// and what these tables have lost.
  mutating func didRun(
    _ changes: ObservedTables.Changes, _ tables: ObservedTables?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (back: [Name], losses: [PlacedFact]) {
    everNames.formUnion(changes.kept.map(\.before.name))
    everNames.formUnion(changes.gone.map(\.name))
    var back: [Name] = []
    var losses: [PlacedFact] = []
    for (before, after) in changes.renamed where everNames.contains(after) {
      intermediate.insert(before)
      back.append(after)
      if let old = dropped.removeValue(forKey: after) {
        losses += try Self.losses(of: old, tables?.all[after], connection)
      }
    }
    for (before, after) in changes.renamed where changes.new.contains(where: { $0.name == before })
    {
      intermediate.insert(before)
      renamedAway[after] = before
    }
    everNames.formUnion(changes.new.map(\.name))
    return (back, losses)
  }

  /// Takes in that a script at a place has dropped a table with some rows.
  ///
  /// Returns the losses if another table has its first name already; otherwise nil.
  mutating func drop(
    _ table: ObservedTable, rows: Int64, at place: Finding.Place, _ tables: ObservedTables?,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact]? {
    let old = Dropped(table: table, rows: rows, place: place)
    guard let name = renamedAway.removeValue(forKey: table.name) else {
      dropped[table.name] = old
      return nil
    }
    return try Self.losses(of: old, tables?.all[name], connection)
  }

  /// The columns and rows that the new table does not have.
  private static func losses(
    of old: Dropped, _ new: ObservedTable?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact] {
    guard let new, new.kind == .table else { return [] }
    var facts: [PlacedFact] = []
    let columns = old.table.columns.filter { !new.columns.contains($0) }
    if !columns.isEmpty {
      let fact = Fact.columnsDropped(table: new.name.shown, columns: columns.map(\.shown))
      facts.append(PlacedFact(fact, old.place))
    }
    let rows = try connection.count(of: new.name)
    if rows < old.rows {
      let fact = Fact.rowsGone(table: new.name.shown, before: old.rows, after: rows)
      facts.append(PlacedFact(fact, old.place))
    }
    return facts
  }
}
