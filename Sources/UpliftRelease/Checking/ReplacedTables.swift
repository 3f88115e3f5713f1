internal import Uplift
internal import UpliftSQLite

/// Tables that other tables have replaced over several scripts, which is a rebuild in steps.
///
/// One script drops a table, and a later script gives its name to another table. Or one script
/// renames a table and makes a new one with its name, and a later script drops the renamed one. The
/// last of these scripts ends the rebuild, and the two tables are compared.
struct ReplacedTables {
  /// A table that was dropped.
  struct Dropped {
    let table: ObservedTable
    let rows: Int64
    /// Its counter of `AUTOINCREMENT`.
    let counter: Int64?
    /// The indexes, triggers and views that the same script has dropped, with statements of their own.
    let objects: Set<Name>
    /// The number of the script.
    let version: Version
    let place: Finding.Place
  }

  /// The names of all tables that a script has changed, also those that are gone.
  private var pastNames: Set<Name> = []
  private var dropped: [Name: Dropped] = [:]
  /// For each table that a script has made: its number.
  private var made: [Name: Version] = [:]
  /// For each table that was renamed to make room for a new one, by its new name: the name that it
  /// had, and the number of the script.
  private var renamedAway: [Name: (name: Name, version: Version)] = [:]
  /// The views that were dropped, each with the number of the script.
  private var views: [(view: ObservedTable, version: Version, place: Finding.Place)] = []
  /// The names of tables that later get the name of another table, and the names that renamed tables
  /// leave to new ones.
  private(set) var intermediate: Set<Name> = []

  /// Takes in what a script has renamed; returns the names of dropped tables that are there again,
  /// and what these tables have lost.
  mutating func didRun(
    _ changes: ObservedTables.Changes, _ version: Version, _ tables: ObservedTables,
    _ counters: IdentifierCounters?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (back: [Name], losses: [PlacedFact]) {
    pastNames.formUnion(changes.kept.map(\.before.name))
    pastNames.formUnion(changes.gone.map(\.name))
    var back: [Name] = []
    var losses: [PlacedFact] = []
    for (before, after) in changes.renamed where pastNames.contains(after) {
      // Two tables that exchange their names replace nothing.
      if changes.renamed.contains(where: { $0.before == after && $0.after == before }) { continue }
      intermediate.insert(before)
      back.append(after)
      guard let new = tables.all[after] else { continue }
      let since = made[before] ?? version
      if let old = dropped.removeValue(forKey: after) {
        losses += try self.losses(
          of: old, since: min(since, old.version), new, tables, counters, connection)
      } else if let old = changes.kept.first(where: { $0.after == new && $0.isRebuilt })?.before {
        // This script has dropped the table, and an earlier one its views.
        losses += lostViews(of: old, since: since, new, tables)
      }
    }
    for (before, after) in changes.renamed where changes.new.contains(where: { $0.name == before })
    {
      renamedAway[after] = (before, version)
    }
    for table in changes.new { made[table.name] = version }
    pastNames.formUnion(changes.new.map(\.name))
    return (back, losses)
  }

  /// Notes that a script has dropped a table.
  ///
  /// Returns the losses if another table has replaced it already; otherwise nil.
  mutating func drop(
    _ old: Dropped, _ tables: ObservedTables, _ counters: IdentifierCounters?,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact]? {
    guard let (name, version) = renamedAway.removeValue(forKey: old.table.name),
      let new = tables.all[name], new.kind == .table
    else {
      dropped[old.table.name] = old
      return nil
    }
    intermediate.insert(name)
    return try losses(of: old, since: version, new, tables, counters, connection)
  }

  /// Notes that a script has dropped a view with a statement of its own.
  mutating func dropView(_ view: ObservedTable, in version: Version, at place: Finding.Place) {
    views.append((view, version, place))
  }

  /// What the new table does not have, and the views that are gone since the rebuild began.
  private func losses(
    of old: Dropped, since version: Version, _ new: ObservedTable, _ tables: ObservedTables,
    _ counters: IdentifierCounters?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [PlacedFact] {
    guard new.kind == .table else { return [] }
    var facts: [Fact] = []
    let columns = old.table.lost(in: new)
    if !columns.isEmpty {
      facts.append(.columnsDropped(table: new.name.shown, columns: columns.map(\.shown)))
    }
    let rows = try connection.count(of: new.name)
    if rows < old.rows {
      facts.append(.rowsGone(table: new.name.shown, before: old.rows, after: rows))
    }
    if old.table.kind == .table {
      facts += try old.table.losses(
        in: new, dropped: old.objects, made: Set(new.indexes.keys), connection)
    }
    if let loss = counters?.loss(of: old.counter, new) { facts.append(loss.fact) }
    return facts.map { PlacedFact($0, old.place) }
      + lostViews(of: old.table, since: version, new, tables)
  }

  /// The views of a table that are gone since the rebuild began.
  private func lostViews(
    of old: ObservedTable, since version: Version, _ new: ObservedTable, _ tables: ObservedTables
  ) -> [PlacedFact] {
    let since = views.filter { $0.version >= version }
    let reading = since.map(\.view).reading([old.name, new.name], without: old.lost(in: new))
    return since.filter { reading.contains($0.view) && tables.all[$0.view.name] == nil }
      .map { view, _, place in
        PlacedFact(.lost(LostObject(.view, view.name), table: new.name.shown), place)
      }
  }
}
