internal import Uplift
internal import UpliftSQLite

/// Tables that other tables have replaced over several scripts, which is a rebuild in steps.
///
/// One script may drop a table, and a later one give its name to another. Or one script may rename
/// a table and make a new one with its name, and a later one drop the old table. The rows may be
/// copied in any of these scripts, so the tables are compared after the last one.
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
  private var replaced: [(old: Dropped, name: Name)] = []
  /// The tables that replace another one, and those that are replaced.
  private(set) var intermediate: Set<Name> = []

  /// Takes in what a script has renamed; returns the names of dropped tables that are there again.
  mutating func didRun(_ changes: ObservedTables.Changes) -> [Name] {
    var back: [Name] = []
    for (before, after) in changes.renamed where everNames.contains(after) {
      intermediate.insert(before)
      back.append(after)
      if let old = dropped.removeValue(forKey: after) { replaced.append((old, after)) }
    }
    for (before, after) in changes.renamed where changes.new.contains(where: { $0.name == before })
    {
      intermediate.insert(before)
      renamedAway[after] = before
    }
    everNames.formUnion(changes.new.map(\.name))
    everNames.formUnion(changes.kept.map(\.before.name))
    everNames.formUnion(changes.gone.map(\.name))
    return back
  }

  /// Notes that a script at a place has dropped a table with some rows; true if another table has
  /// its first name already.
  mutating func drop(_ table: ObservedTable, rows: Int64, at place: Finding.Place) -> Bool {
    let old = Dropped(table: table, rows: rows, place: place)
    guard let name = renamedAway[table.name] else {
      dropped[table.name] = old
      return false
    }
    replaced.append((old, name))
    return true
  }

  /// The columns and rows that the tables at the end do not have.
  func losses(
    _ tables: ObservedTables, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact] {
    var facts: [PlacedFact] = []
    for (old, name) in replaced {
      guard let now = tables.all[name], now.kind == .table else { continue }
      let columns = old.table.columns.filter { !now.columns.contains($0) }
      if !columns.isEmpty {
        let fact = Fact.columnsDropped(table: name.shown, columns: columns.map(\.shown))
        facts.append(PlacedFact(fact, old.place))
      }
      let rows = try connection.count(of: name)
      if rows < old.rows {
        let fact = Fact.rowsGone(table: name.shown, before: old.rows, after: rows)
        facts.append(PlacedFact(fact, old.place))
      }
    }
    return facts
  }
}
