internal import Uplift
internal import UpliftSQLite

/// Tables that other tables have replaced over several scripts, which is a rebuild in steps.
///
/// One script drops a table, and a later script gives its name to another table. Or one script
/// renames a table and makes a new one with its name, and a later script drops the renamed one. The
/// last of these scripts ends the rebuild, and the two tables are compared.
struct ReplacedTables {
  /// A table that was dropped.
  private struct Dropped {
    let table: ObservedTable
    let rows: Int64
    let place: Finding.Place
  }

  /// The names of all tables that a script has changed, also those that are gone.
  private var pastNames: Set<Name> = []
  private var dropped: [Name: Dropped] = [:]
  /// For each table that was renamed to make room for a new one: its new name, and the name that it
  /// had.
  private var renamedAway: [Name: Name] = [:]
  /// The names of tables that later get the name of another table, and the names that renamed tables
  /// leave to new ones.
  private(set) var intermediate: Set<Name> = []

  /// Takes in what a script has renamed; returns the names of dropped tables that are there again,
  /// and what these tables have lost.
  mutating func didRun(
    _ changes: ObservedTables.Changes, _ tables: ObservedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (back: [Name], losses: [PlacedFact]) {
    pastNames.formUnion(changes.kept.map(\.before.name))
    pastNames.formUnion(changes.gone.map(\.name))
    var back: [Name] = []
    var losses: [PlacedFact] = []
    for (before, after) in changes.renamed where pastNames.contains(after) {
      intermediate.insert(before)
      back.append(after)
      if let old = dropped.removeValue(forKey: after) {
        losses += try Self.losses(of: old, tables.all[after], connection)
      }
    }
    for (before, after) in changes.renamed where changes.new.contains(where: { $0.name == before })
    {
      intermediate.insert(before)
      renamedAway[after] = before
    }
    pastNames.formUnion(changes.new.map(\.name))
    return (back, losses)
  }

  /// Notes that a script has dropped a table with this number of rows.
  ///
  /// Returns the losses if another table has replaced it already; otherwise nil.
  mutating func drop(
    _ table: ObservedTable, rows: Int64, at place: Finding.Place, _ tables: ObservedTables,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact]? {
    let old = Dropped(table: table, rows: rows, place: place)
    guard let name = renamedAway.removeValue(forKey: table.name) else {
      dropped[table.name] = old
      return nil
    }
    return try Self.losses(of: old, tables.all[name], connection)
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
