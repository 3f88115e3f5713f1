internal import Uplift
internal import UpliftSQLite

/// Notes what each script takes from a database beside what its statements say.
///
/// A rebuild drops a table and makes a new one. What the new one lacks was mostly forgotten: a column,
/// an index, a trigger, a view, an option, rows. What a statement of its own drops or deletes is meant.
final class LossObserver: StepObserver {
  private(set) var facts: [PlacedFact] = []
  private var tables: ObservedTables?
  private var counts = RowCounts()
  private var broken = BrokenObjects()
  private var done = Version.zero
  private var began = ContinuousClock.now
  /// The time that each script took.
  private(set) var durations: [Version: Duration] = [:]
  private(set) var keys = KeyOrigins()
  /// The names that tables had before they got the name of another one, or that a table left to a new
  /// one before it was dropped: a rebuild, perhaps in several scripts.
  private(set) var intermediateTables: Set<Name> = []
  private var pastNames: Set<Name> = []
  /// The names that renamed tables left to new ones, by their new names.
  private var renamedAway: [Name: Name] = [:]

  /// The tables that scripts have refreshed from the seed.
  private(set) var refreshedTables: Set<Name> = []

  /// The tables whose rows scripts have written, and those that were renamed or rebuilt.
  private(set) var writtenTables: Set<Name> = []

  private let userRows: UserRows
  private var repeatedRows = RepeatedRows()

  /// True if the upgrade starts from a seed that was released before.
  private let isOldSeed: Bool

  init(_ userRows: UserRows, isOldSeed: Bool) {
    self.userRows = userRows
    self.isOldSeed = isOldSeed
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    // If a commit failed, its changes were undone, and the script runs again.
    if tables == nil || script.migration.version <= done {
      let now = try ObservedTables(connection)
      if tables == nil {
        try keys.begin(with: now.all.keys, connection)
        broken = BrokenObjects(before: now, connection)
      }
      counts = RowCounts(of: now.all.keys)
      tables = now
    }
    guard let tables else { return }
    try counts.count(before: script, tables, connection)
    broken.willRun(script, tables, connection)
    let refreshed = try connection.refreshedTables(script)
    refreshedTables.formUnion(refreshed.map(\.name))
    try userRows.willRefresh(refreshed, on: connection)
    try repeatedRows.willRefresh(refreshed, on: connection)
    connection.scriptGuard.actions = ScriptActions()
    began = .now
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions ?? ScriptActions()
    connection.scriptGuard.actions = nil
    done = script.migration.version
    durations[done] = ContinuousClock.now - began
    writtenTables.formUnion(actions.writtenTables)
    guard let changes = try tables?.update(after: script, actions, connection), let tables
    else { return }
    writtenTables.formUnion(changes.kept.filter(\.isRebuilt).map(\.after.name))
    for (before, after) in changes.renamed where writtenTables.contains(before) {
      writtenTables.insert(after)
    }
    forgetMadeAgain(changes)
    for kept in changes.kept { try compare(kept, changes, script, actions, connection) }
    noteViews(script, changes, tables, actions)
    pastNames.formUnion(changes.gone.map(\.name) + changes.kept.map(\.before.name))
    for (before, after) in changes.renamed {
      if pastNames.contains(after) { intermediateTables.insert(before) }
      if changes.new.contains(where: { $0.name == before }) { renamedAway[after] = before }
    }
    intermediateTables.formUnion(changes.gone.compactMap { renamedAway[$0.name] })
    try keys.note(changes.kept.map(\.after.name) + changes.new.map(\.name), script, connection)
    facts += broken.didRun(script, changes, tables, actions, connection)
    let rebuilt = Set(changes.kept.filter(\.isRebuilt).map(\.after.name))
    for loss in try counts.losses(actions, changes, tables, connection)
    where rebuilt.contains(loss.table) && actions.deletions[loss.oldName] == nil {
      note(
        .rowsLost(table: loss.table.shown, before: loss.before, after: loss.after), script,
        actions.offsetOfDrop(loss.oldName))
    }
    facts += try userRows.didRun(script, actions, on: connection)
    facts += try repeatedRows.didRun(script, on: connection)
    if isOldSeed { facts += try MissedRows.facts(after: script, on: connection) }
  }

  /// Notes the views and triggers that do not work after the last script, and forgets those that
  /// work again.
  ///
  /// `start` is the place of those that no script has made or changed.
  func end(_ connection: borrowing Connection, start: Finding.Place) {
    guard let tables else { return }
    let atEnd = broken.atEnd(tables, connection, start: start)
    facts.removeAll { fact in fact.fact.isBroken && !atEnd.contains { $0.fact == fact.fact } }
    let known = Set(facts.map(\.fact))
    facts += atEnd.filter { !known.contains($0.fact) }
  }

  private func note(_ fact: Fact, _ script: Script, _ offset: Int?) {
    facts.append(PlacedFact(fact, in: script, at: offset))
  }
}

/// Tables before and after a script.
extension LossObserver {
  /// Notes what a table has lost.
  private func compare(
    _ kept: ObservedTables.Kept, _ changes: ObservedTables.Changes, _ script: Script,
    _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let after = kept.after
    // A virtual table sees to its own tables.
    guard kept.before.kind == after.kind, kept.before.kind != .virtual,
      tables?.shadows.contains(after.name) != true
    else { return }
    let rebuild = actions.offsetOfDrop(kept.before.name)
    let renamed = Dictionary(script.renamedColumns ?? [], uniquingKeysWith: { $1 })
    let before = kept.isRebuilt ? kept.before.renaming(renamed) : kept.before
    // Columns that the new table has under other names were renamed, as far as anybody can tell.
    let missing = before.lost(in: after)
    let new = after.columns.filter { !before.columns.contains($0) }
    if kept.isRebuilt, missing.count > new.count {
      note(.columnsLost(table: after.name.shown, columns: missing.map(\.shown)), script, rebuild)
    }
    let losses = try before.losses(
      in: after, dropped: actions.droppedByChoice(from: before, changes),
      made: actions.madeIndexes, connection)
    for loss in losses {
      var place = rebuild
      if case .lost(let object, table: _) = loss, let drop = actions.droppedObjects[object.name] {
        place = drop
      }
      note(loss, script, place)
    }
  }

  /// Forgets what earlier scripts have lost and this script has made again.
  private func forgetMadeAgain(_ changes: ObservedTables.Changes) {
    var made: [LostObject.Kind: Set<Name>] = [:]
    for kept in changes.kept {
      let (before, after) = (kept.before, kept.after)
      made[.index, default: []].formUnion(after.indexes.keys.filter { before.indexes[$0] == nil })
      made[.trigger, default: []].formUnion(
        after.triggers.keys.filter { before.triggers[$0] == nil })
    }
    made[.view] = Set(changes.new.filter { $0.kind == .view }.map(\.name))
    facts.removeAll { fact in
      guard case .lost(let object, table: _) = fact.fact else { return false }
      return made[object.kind]?.contains(object.name) == true
    }
  }

  /// Notes the views that a rebuild has dropped and not made again.
  private func noteViews(
    _ script: Script, _ changes: ObservedTables.Changes, _ tables: ObservedTables,
    _ actions: ScriptActions
  ) {
    var gone = changes.gone.filter { $0.kind == .view }
    if gone.isEmpty { return }
    let madeAgain = actions.droppedObjects.keys.compactMap { tables.all[$0] }
      .filter { $0.kind == .view }
    let rebuilt =
      changes.kept.filter(\.isRebuilt).map(\.after.name)
      + actions.droppedTables.keys.filter { tables.all[$0] != nil }
    for table in rebuilt.sorted() {
      let pairs = changes.kept.filter { $0.after.name == table }
      let reading = (gone + madeAgain).reading(
        Set([table] + pairs.map(\.before.name)),
        without: pairs.flatMap { $0.before.lost(in: $0.after) })
      for view in gone where reading.contains(view) {
        note(
          .lost(LostObject(.view, view.name), table: table.shown), script,
          actions.droppedObjects[view.name])
      }
      gone.removeAll(where: reading.contains)
    }
  }
}

extension ScriptActions {
  /// The statement that dropped a table, or the only one that dropped any.
  ///
  /// If the script drops several tables, and this one under another name, the statement is not
  /// known.
  func offsetOfDrop(_ table: Name) -> Int? {
    droppedTables[table] ?? (droppedTables.count == 1 ? droppedTables.values.first : nil)
  }

  /// The indexes and triggers of a table that the script wanted to drop.
  ///
  /// Before it rebuilds a table, it must drop the triggers of other tables that name it.
  fileprivate func droppedByChoice(
    from table: ObservedTable, _ changes: ObservedTables.Changes
  ) -> Set<Name> {
    let rebuilt = changes.kept.filter { $0.isRebuilt && $0.before.name != table.name }
    let inTheWay = table.triggers.filter { trigger in
      rebuilt.contains { trigger.value.contains($0.before.name.folded) }
    }
    return Set(droppedObjects.keys).subtracting(inTheWay.keys)
  }
}
