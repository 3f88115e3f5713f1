internal import Uplift
internal import UpliftSQLite

/// Gives each empty table a few rows before each script.
///
/// Most scripts that fail in production have passed on empty tables.
final class RowFiller: StepObserver {
  /// What is known about the tables.
  ///
  /// A trial on a copy of the database begins with the same state.
  struct State {
    fileprivate var tables: ObservedTables?
    /// The tables that may be empty.
    fileprivate var toFill: Set<Name> = []
    /// The tables whose rows were made up.
    fileprivate(set) var filled: Set<Name> = []
    /// The tables that could not be filled.
    fileprivate(set) var unfilled: [Name: Unfilled] = [:]
    /// The tables that have rows of their own, or had them.
    fileprivate(set) var withRows: Set<Name> = []
    /// The script that runs, or ran last.
    fileprivate var begun = Version.zero
  }

  /// A table for which no row is possible.
  struct Unfilled {
    let reason: String
    let parents: Set<Name>
  }

  /// The rows to leave in a table before a script.
  enum Remainder {
    case none
    /// Only these.
    case rows([TableRow])
  }

  /// From this number on, the rows of a table are not compared.
  ///
  /// A script has made most of them.
  private static let few = 8
  /// How many parents of parents are filled for one table.
  private static let depth = 200

  private(set) var state: State
  /// For each script that has failed: the made-up rows to leave in the tables before it runs again.
  var remainders: [Version: [Name: Remainder]] = [:]
  /// The script that runs, or ran last, and when it began.
  private(set) var current: Script?
  private(set) var began = ContinuousClock.now
  private(set) var facts: [PlacedFact] = []
  /// The rows that were removed because of `remainders`.
  private(set) var removed: [Name: [TableRow]] = [:]
  /// The made-up rows before the script that runs, of the tables that have fewer than `few`.
  private var samples: [Name: [TableRow]] = [:]
  /// True for a table that gets its rows from the seed or from another table.
  private let isContent: (Name) -> Bool
  /// No rows are made up before the scripts up to this one.
  private let idleThrough: Version
  /// The time that each script takes without made-up rows.
  let usual: [Version: Duration]

  init(
    _ state: State = State(), idleThrough: Version = .zero, usual: [Version: Duration] = [:],
    isContent: @escaping (Name) -> Bool
  ) {
    self.state = state
    self.idleThrough = idleThrough
    self.usual = usual
    self.isContent = isContent
  }

  /// True after the script was stopped because it ran for too long.
  var isStopped = false

  /// Stops a script that runs for too long; true if it is stopped.
  ///
  /// This is called many times while a script runs: on rows that were made up it may never end.
  func stopIfTooSlow() -> Bool {
    let usual = current.flatMap { self.usual[$0.migration.version] } ?? .zero
    if ContinuousClock.now - began > .seconds(20) + usual * 10 { isStopped = true }
    return isStopped
  }

  /// The remainder that leaves no made-up row in any filled table.
  var remainderOfNone: [Name: Remainder] {
    state.filled.reduce(into: [:]) { $0[$1] = Remainder.none }
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    current = script
    began = .now
    let version = script.migration.version
    // After a failure the script runs again. SQLite has undone the rows that were made up for it.
    if state.tables == nil || version <= state.begun {
      state.tables = try ObservedTables(connection)
      state.toFill = Set(state.tables.map { Array($0.all.keys) } ?? [])
    }
    state.begun = version
    if version > idleThrough {
      try connection.withoutTriggers { () throws(SQLiteError) in
        for name in state.toFill.sorted() {
          var visiting: Set<Name> = []
          try fill(name, &visiting, connection)
        }
        state.toFill = []
        for (name, remainder) in remainders[version] ?? [:] {
          try reduce(name, to: remainder, connection)
        }
      }
    }
    samples = [:]
    // Only a rebuild loses rows that no statement deletes.
    if script.mayMention("drop") {
      for name in state.filled {
        let rows = try TableRow.sample(Self.few, of: name, connection)
        if rows.count < Self.few { samples[name] = rows }
      }
    }
    connection.scriptGuard.actions = ScriptActions()
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions ?? ScriptActions()
    connection.scriptGuard.actions = nil
    let changes = try state.tables?.update(after: script, actions, connection)
    for (before, after) in changes?.renamed ?? [] {
      if state.filled.remove(before) != nil { state.filled.insert(after) }
      if state.withRows.remove(before) != nil { state.withRows.insert(after) }
    }
    for table in changes?.gone ?? [] {
      state.filled.remove(table.name)
      state.unfilled[table.name] = nil
    }
    let changed = (changes?.kept.map(\.after.name) ?? []) + (changes?.new.map(\.name) ?? [])
    state.toFill.formUnion(actions.writtenTables.union(changed))
    if let reduced = remainders[script.migration.version] { state.toFill.formUnion(reduced.keys) }
    // If a parent now has rows, a table that could not be filled before may be filled.
    for (name, unfilled) in state.unfilled where !unfilled.parents.isDisjoint(with: state.toFill) {
      state.toFill.insert(name)
    }
    try noteLostRows(script, actions, changes, connection)
  }

  /// Fills a table and first the tables that it refers to.
  private func fill(
    _ name: Name, _ visiting: inout Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard let tables = state.tables, let table = tables.all[name], table.kind == .table,
      !tables.shadows.contains(name), !isContent(name), visiting.count < Self.depth,
      visiting.insert(name).inserted
    else { return }
    if connection.deadline.mustStopNow {
      throw SQLiteError(code: .interrupted, message: "interrupted")
    }
    if try connection.count(upTo: 1, of: name) > 0 {
      if !state.filled.contains(name) { state.withRows.insert(name) }
      state.unfilled[name] = nil
      return
    }
    if let virtual = table.triggers.values.lazy.compactMap({ self.virtualTable(in: $0) }).first {
      // Without its triggers, the rows would be missing in the virtual table.
      state.unfilled[name] = Unfilled(
        reason: "its triggers write the virtual table \(virtual.shown)", parents: [])
      return
    }
    let keys = try connection.foreignKeys(of: name)
    let parents = Set(keys.map(\.parent))
    for parent in parents.sorted() { try fill(parent, &visiting, connection) }
    let filling = try TableFilling(table, keys, connection)
    let reason = try filling.fill(connection)
    state.unfilled[name] = reason.map { words in
      let empty = parents.subtracting([name]).sorted().first { state.unfilled[$0] != nil }
      return Unfilled(reason: empty.map { "\($0.shown) has no row" } ?? words, parents: parents)
    }
    if reason == nil { state.filled.insert(name) }
  }

  private func virtualTable(in trigger: SQLWords) -> Name? {
    state.tables?.all.values.first { $0.kind == .virtual && trigger.contains($0.name.folded) }?.name
  }

  private func reduce(
    _ name: Name, to remainder: Remainder, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard state.filled.contains(name) else { return }
    removed[name] = try TableRow.sample(8, of: name, connection)
    try connection.run("DELETE FROM main.\(name)" as SQL)
    if case .rows(let rows) = remainder {
      for row in rows { try row.insert(connection) }
    }
  }

  /// Notes the tables that have lost made-up rows in a rebuild.
  private func noteLostRows(
    _ script: Script, _ actions: ScriptActions, _ changes: ObservedTables.Changes?,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard !actions.droppedTables.isEmpty, !script.readsSeed else { return }
    for name in state.filled.intersection(actions.changedTables).sorted() {
      guard state.tables?.all[name] != nil else { continue }
      // `reduce` has removed the rows on purpose, before the script.
      if case .some = remainders[script.migration.version]?[name] { continue }
      // The script deletes rows of this table itself.
      if actions.deletions[name] != nil { continue }
      let oldName = changes?.kept.first { $0.after.name == name }?.before.name
      let before = oldName.flatMap { samples[$0] } ?? []
      let after = Int(try connection.count(upTo: Self.few, of: name))
      let fact: Fact
      if after == 0 {
        fact = .madeUpRowsGone(table: name.shown)
      } else if after < before.count {
        var gone: [TableRow] = []
        for row in before where try !row.isIn(name, connection) { gone.append(row) }
        // If the script has changed the rows as well, it is not known which ones are gone.
        let rows = gone.count == before.count - after ? gone.map(\.shown) : []
        fact = .someMadeUpRowsGone(
          table: name.shown, before: before.count, after: after, rows: rows)
      } else {
        continue
      }
      facts.append(PlacedFact(fact, in: script, at: actions.offsetOfDrop(name)))
    }
  }
}
