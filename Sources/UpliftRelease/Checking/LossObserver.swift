internal import Uplift
internal import UpliftSQLite

/// Notes what each script takes from a database: tables, columns, indexes, triggers, rows.
final class LossObserver: StepObserver {
  private(set) var facts: [PlacedFact] = []
  private var tables: ObservedTables?
  /// The numbers of rows that are known; a script that inserts rows makes one unknown.
  private var counts: [Name: Int64] = [:]
  /// The views that could be read before the script.
  private var readableViews: Set<Name> = []
  private var done = Version.zero
  /// The scripts that made foreign keys; those of the first database are not in it.
  private(set) var keyOrigins: [TableKey: Finding.Place] = [:]
  private var firstKeys: Set<TableKey> = []

  /// A foreign key of a table.
  struct TableKey: Hashable {
    let table: Name
    let key: ForeignKey
  }
  private let userRows: UserRows

  init(_ userRows: UserRows) {
    self.userRows = userRows
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    // A script whose commit failed runs again, and its changes are undone.
    if tables == nil || script.migration.version <= done {
      let isFirst = tables == nil
      tables = try ObservedTables(connection)
      counts = [:]
      if isFirst {
        if let names = tables?.all.keys { firstKeys = Set(try keys(of: names, connection)) }
      }
    }
    if Self.words.contains(where: { script.mayMention($0) }) { try look(at: script, connection) }
    try userRows.willRun(script, on: connection)
    connection.scriptGuard.actions = ScriptActions()
  }

  /// Without one of these words, a script takes no rows from a table and breaks no view.
  private static let words = ["delete", "drop", "replace"]

  /// Counts the rows of the tables that the script names, and finds out which views can be read.
  private func look(at script: Script, _ connection: borrowing Connection) throws(SQLiteError) {
    readableViews = []
    for (name, table) in tables?.all ?? [:] {
      switch table.kind {
      case .table where counts[name] == nil && script.mayMention(name):
        counts[name] = try connection.count(name)
      case .view where script.mayMention("drop"):
        if connection.faultOfView(name) == nil { readableViews.insert(name) }
      default: break
      }
    }
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions ?? ScriptActions()
    connection.scriptGuard.actions = nil
    done = script.migration.version
    let changes = try tables?.update(after: script, actions, connection) ?? ObservedTables.Changes()
    for (before, after) in changes.kept { compare(before, after, script, actions) }
    for table in changes.gone {
      counts[table.name] = nil
      if table.kind == .view {
        noteView(table, script, actions)
      } else if !(tables?.shadows.contains(table.name) ?? false), !isShadow(table, in: changes) {
        note(.tableDropped(table.name.shown), script, actions.droppedTables[table.name])
      }
    }
    for key in try keys(of: changes.kept.map(\.after.name) + changes.new.map(\.name), connection)
    where !firstKeys.contains(key) && keyOrigins[key] == nil {
      keyOrigins[key] = Finding.Place(in: script, at: nil)
    }
    try noteBrokenViews(script, actions, connection)
    try countAgain(script, actions, changes, connection)
    facts += try userRows.didRun(script, actions, on: connection)
  }

  private func keys(
    of tables: some Collection<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TableKey] {
    var keys: [TableKey] = []
    for table in tables {
      keys += try connection.foreignKeys(of: table).map { TableKey(table: table, key: $0) }
    }
    return keys
  }

  private func isShadow(_ table: ObservedTable, in changes: ObservedTables.Changes) -> Bool {
    changes.gone.contains { $0.kind == .virtual && table.name.isShadow(of: $0.name) }
  }

  private func note(_ fact: Fact, _ script: Script, _ offset: Int?) {
    facts.append(PlacedFact(fact, in: script, at: offset))
  }
}

/// Tables before and after a script.
extension LossObserver {
  /// Notes what a table has lost.
  private func compare(
    _ before: ObservedTable, _ after: ObservedTable, _ script: Script, _ actions: ScriptActions
  ) {
    guard before.kind == .table, after.kind == .table else { return }
    let isRebuilt = before.rootPage != after.rootPage && !actions.droppedTables.isEmpty
    let rebuild = actions.droppedTables[before.name] ?? actions.droppedTables.values.min()
    let table = after.name.shown
    for column in before.columns where !after.columns.contains(column) {
      let names = [before.name, after.name]
      let drop = names.lazy.compactMap {
        actions.droppedColumns[ScriptActions.Column(table: $0, name: column)]
      }.first
      // Otherwise the column was renamed.
      guard drop != nil || isRebuilt else { continue }
      note(.columnDropped(table: table, column: column.shown), script, drop ?? rebuild)
    }
    for (name, words) in before.indexes.sorted(by: { $0.key < $1.key })
    where actions.droppedObjects[name] == nil && after.indexes[name] == nil
      && !after.indexes.values.contains(words)
    {
      note(.lost(object: "the index \(name.shown)", table: table), script, rebuild)
    }
    for (name, words) in before.triggers.sorted(by: { $0.key < $1.key })
    where actions.droppedObjects[name] == nil && after.triggers[name] == nil
      && !after.triggers.values.contains(words)
    {
      note(.lost(object: "the trigger \(name.shown)", table: table), script, rebuild)
    }
    for (option, now) in zip(before.options.all, after.options.all) where option.isOn && !now.isOn {
      note(.lost(object: option.name, table: table), script, rebuild)
    }
  }

  /// Notes a view that a rebuild has dropped and not made again.
  private func noteView(_ view: ObservedTable, _ script: Script, _ actions: ScriptActions) {
    let words = SQLWords(view.sql)
    let rebuilt = actions.droppedTables.keys.sorted().first {
      words.contains($0.folded) && tables?.all[$0] != nil
    }
    guard let rebuilt else { return }
    note(
      .lost(object: "the view \(view.name.shown)", table: rebuilt.shown), script,
      actions.droppedObjects[view.name])
  }

  /// Notes the views that can no longer be read.
  private func noteBrokenViews(
    _ script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for view in readableViews.sorted() where tables?.all[view]?.kind == .view {
      guard let words = connection.faultOfView(view) else { continue }
      note(
        .brokenView(name: view.shown, words: words), script, actions.droppedTables.values.min())
    }
    readableViews = []
  }

  /// Counts the tables again that may have lost rows.
  private func countAgain(
    _ script: Script, _ actions: ScriptActions, _ changes: ObservedTables.Changes,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    var names: [Name: Name] = [:]
    for name in actions.writtenTables.union(actions.changedTables) { names[name] = name }
    for (before, after) in changes.kept { names[before.name] = after.name }
    for (name, now) in names.sorted(by: { $0.key < $1.key }) {
      guard let before = counts.removeValue(forKey: name), tables?.all[now]?.kind == .table,
        actions.deletions[name] != nil || !actions.droppedTables.isEmpty
          || script.mayMention("replace")
      else { continue }
      let after = try connection.count(now)
      counts[now] = after
      // A script that reads the seed deletes the rows that the seed has no more.
      guard after < before, !script.readsSeed else { continue }
      note(
        .rowsGone(table: now.shown, before: before, after: after, areMadeUp: false), script,
        actions.deletions[name] ?? actions.droppedTables[name])
    }
  }
}

/// A fact and its place in a script.
struct PlacedFact: Hashable {
  let fact: Fact
  let place: Finding.Place

  init(_ fact: Fact, _ place: Finding.Place) {
    self.fact = fact
    self.place = place
  }

  /// `offset` is that of a statement; nil if no single statement did it.
  init(_ fact: Fact, in script: Script, at offset: Int?) {
    self.fact = fact
    place = Finding.Place(in: script, at: offset)
  }
}

extension Finding.Place {
  init(in script: Script, at offset: Int?) {
    let found = offset.flatMap { script.place(ofStatementAt: $0) }
    self.init(
      file: script.migration.path, line: found?.line, column: found?.column,
      excerpt: found?.excerpt)
  }
}

extension Connection {
  borrowing func count(_ table: Name) throws(SQLiteError) -> Int64 {
    let row = try prepare("SELECT count(*) FROM main.\(table)" as SQL)
    return try row.step() ? row.integer(0) : 0
  }

  /// SQLite's words if a view cannot be read; nil if it can.
  borrowing func faultOfView(_ name: Name) -> String? {
    do {
      _ = try prepare("SELECT * FROM main.\(name)" as SQL)
      return nil
    } catch {
      return error.message
    }
  }
}
