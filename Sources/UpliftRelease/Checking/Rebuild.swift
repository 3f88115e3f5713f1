internal import Uplift
internal import UpliftSQLite

/// What a script may lose that drops a table and makes a new one.
///
/// What the new one lacks was mostly forgotten: a column, an index, a trigger, a view, an option,
/// rows. What a statement of its own drops or deletes is meant, unless it had to go before the
/// rebuild: a view, or a trigger of another table, that names the table.
struct Rebuild {
  private var tables: [Name: Table] = [:]
  private var views: [Name: SQLWords] = [:]
  private var triggers: [Name: Trigger] = [:]

  private struct Table {
    let columns: [Name]
    let options: [String]
    let rows: Int64
    let hasMadeUpRows: Bool
    var indexes: [Name: Index] = [:]
  }

  private struct Index {
    let columns: [TableSchema.IndexColumn]
    let isUnique: Bool
  }

  private struct Trigger {
    let table: Name
    let words: SQLWords
  }

  /// Reads what the script may lose: nothing, if it does not have the word `drop`.
  ///
  /// `madeUp` are the tables whose rows were made up.
  init(
    before script: Script, madeUp: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard script.mayMention("drop") else { return }
    let rows = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    )
    let own = Set(try connection.tables())
    while try rows.step() {
      guard let name = rows.name(1), let table = rows.name(2) else { continue }
      let words = { rows.withText(3) { SQLWords(Array($0)) } }
      switch rows.text(0) {
      case "table" where own.contains(name) && script.mayMention(name):
        tables[name] = Table(
          columns: try connection.columns(of: name).map(\.name), options: words().tableOptions,
          rows: try connection.integer("SELECT count(*) FROM main.\(name)" as SQL),
          hasMadeUpRows: madeUp.contains(name))
      case "view": views[name] = words()
      case "trigger": triggers[name] = Trigger(table: table, words: words())
      case "index":
        tables[table]?.indexes[name] = Index(
          columns: try connection.columns(ofIndex: name), isUnique: words().contains("unique"))
      default: continue
      }
    }
  }

  /// An index, a trigger or a view that is lost, unless a later script makes it again.
  struct Loss {
    let object: Name?
    let finding: Finding
  }

  /// What the script has lost.
  func losses(
    after script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Loss] {
    // A table that got another name before it was dropped is dropped under a new name.
    let dropsUnknown = actions.droppedTables.keys.contains { tables[$0] == nil }
    let now = Set(try connection.tables())
    let rebuilt = tables.keys.filter {
      now.contains($0) && (dropsUnknown || actions.droppedTables[$0] != nil)
    }.sorted()
    var losses: [Loss] = []
    let objects = try connection.objects()
    var lostColumns: Set<Name> = []
    for name in rebuilt {
      guard let table = tables[name] else { continue }
      let found = try self.losses(of: name, table, objects, script, actions, connection)
      losses += found.losses
      lostColumns.formUnion(found.columns)
    }
    return losses + lostTriggers(of: Set(rebuilt), objects, script, actions)
      + lostReaders(of: Set(rebuilt), without: lostColumns, objects, script, actions)
  }
}

extension Rebuild {
  /// What one table has lost.
  private func losses(
    of name: Name, _ table: Table, _ objects: Set<Name>, _ script: Script,
    _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (losses: [Loss], columns: [Name]) {
    let drop = actions.offsetOfDrop(name)
    var losses: [Loss] = []
    func add(_ kind: Finding.Kind, _ words: String, fix: String) {
      let finding = Finding(kind, in: script, at: drop, "\(name.shown) loses \(words)", fix: fix)
      losses.append(Loss(object: nil, finding: finding))
    }
    let columns = try connection.columns(of: name).map(\.name)
    let renamed = script.renamedColumns
    let before = table.columns.map { renamed[$0] ?? $0 }
    let dropped = Set(actions.droppedColumns.keys.map(\.name))
    let missing = before.filter { !columns.contains($0) }
    let forgotten = missing.filter { !dropped.contains($0) }
    // Columns that the new table has under other names were renamed, as far as anybody can tell.
    if forgotten.count > columns.count(where: { !before.contains($0) }) {
      add(
        .columnLost,
        "the \(forgotten.count == 1 ? "column" : "columns") \(list(forgotten)) in its rebuild",
        fix:
          "copy them into the new table; what is meant to go, drop with ALTER TABLE … DROP COLUMN "
          + "first")
    }
    for (index, lost) in table.indexes.sorted(by: { $0.key < $1.key })
    where !objects.contains(index) && actions.droppedObjects[index] == nil {
      let wanted = lost.columns.map { column in
        TableSchema.IndexColumn(
          name: column.name.map { renamed[$0] ?? $0 }, collation: column.collation,
          isDescending: false)
      }
      let isNeeded = wanted.allSatisfy { $0.name.map(columns.contains) ?? true }
      if isNeeded, try !connection.isServed(wanted, isUnique: lost.isUnique, on: name) {
        losses.append(Loss(.index, index, of: name, in: script, at: drop))
      }
    }
    for option in try connection.lost(table.options, in: name) {
      add(
        .objectLost, option, fix: "write \(option) into the definition of the new table")
    }
    // A `DELETE` means what it says.
    let rows = try connection.integer("SELECT count(*) FROM main.\(name)" as SQL)
    if rows < table.rows, actions.deletions[name] == nil {
      add(
        .rowsLost,
        "\(table.rows - rows) of \(table.rows) rows\(table.hasMadeUpRows ? " that were made up" : "") "
          + "in its rebuild",
        fix:
          "copy all rows into the new table; what is meant to go, delete with a statement of its own"
      )
    }
    return (losses, missing)
  }

  /// The triggers that went with their table, or with a view that was made again.
  private func lostTriggers(
    of rebuilt: Set<Name>, _ objects: Set<Name>, _ script: Script, _ actions: ScriptActions
  ) -> [Loss] {
    triggers.sorted { $0.key < $1.key }.filter { name, trigger in
      let isRemade = views[trigger.table] != nil && actions.droppedObjects[trigger.table] != nil
      return (isRemade || rebuilt.contains(trigger.table)) && objects.contains(trigger.table)
        && !objects.contains(name) && actions.droppedObjects[name] == nil
    }.map { name, trigger in
      Loss(.trigger, name, of: trigger.table, in: script, at: actions.offsetOfDrop(trigger.table))
    }
  }

  /// The views, and the triggers of other tables, that name a rebuilt table and are not there any more.
  ///
  /// Those that name a lost column could not be made again.
  private func lostReaders(
    of rebuilt: Set<Name>, without columns: Set<Name>, _ objects: Set<Name>, _ script: Script,
    _ actions: ScriptActions
  ) -> [Loss] {
    func table(in words: SQLWords) -> Name? {
      if columns.contains(where: { words.contains($0.folded) }) { return nil }
      return rebuilt.sorted().first { words.contains($0.folded) }
    }
    var losses: [Loss] = []
    for (name, words) in views.sorted(by: { $0.key < $1.key }) where !objects.contains(name) {
      guard let table = table(in: words) else { continue }
      let drop = actions.droppedObjects[name]
      losses.append(Loss(.view, name, of: table, in: script, at: drop))
    }
    for (name, trigger) in triggers.sorted(by: { $0.key < $1.key })
    where !rebuilt.contains(trigger.table) && !objects.contains(name)
      && objects.contains(trigger.table) && table(in: trigger.words) != nil
    {
      let drop = actions.droppedObjects[name]
      losses.append(Loss(.trigger, name, of: trigger.table, in: script, at: drop))
    }
    return losses
  }
}

extension Rebuild.Loss {
  enum Kind: String { case index, trigger, view }

  init(_ kind: Kind, _ object: Name, of table: Name, in script: Script, at offset: Int?) {
    let shown = "the \(kind.rawValue) \(object.shown)"
    self.object = object
    finding = Finding(
      .objectLost, in: script, at: offset, "\(table.shown) loses \(shown)",
      fix: "make it again after the rebuild: \(shown)")
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
}

extension Connection {
  /// The names of all indexes, triggers, views and tables.
  borrowing func objects() throws(SQLiteError) -> Set<Name> {
    let rows = try prepare("SELECT name FROM main.sqlite_master")
    var names: Set<Name> = []
    while try rows.step() { names.insert(rows.name(0) ?? Name("")) }
    return names
  }

  /// Those of these options that the table does not have any more.
  fileprivate borrowing func lost(
    _ options: [String], in table: Name
  ) throws(SQLiteError) -> [String] {
    let row = try prepare(
      "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE" as SQL)
    try row.bind(table, at: 1)
    guard try row.step() else { return [] }
    let now = row.withText(0) { SQLWords(Array($0)) }.tableOptions
    // Only a key that is the row identifier can count.
    let index = try primaryIndex(of: table)
    let canCount = try index.isEmpty ? !columns(of: table).primaryKey.isEmpty : false
    return options.filter { !now.contains($0) && ($0 != "AUTOINCREMENT" || canCount) }
  }

  /// True if a key or another index of the table does the work of an index that is gone.
  ///
  /// For a unique index, that is a key or a unique index on the same columns, with the same
  /// collations. For any other index, it is one whose first columns are the same. Nobody can tell
  /// whether an expression does the work of another.
  fileprivate borrowing func isServed(
    _ wanted: [TableSchema.IndexColumn], isUnique: Bool, on table: Name
  ) throws(SQLiteError) -> Bool {
    if wanted.contains(where: { $0.name == nil }) { return false }
    var keys = try wholeIndexes(of: table).filter { $0.isUnique || !isUnique }
      .map { $0.columns.map(\.ascending) }
    keys.append(try primaryKey(of: table))
    return keys.contains { isUnique ? Set($0) == Set(wanted) : $0.starts(with: wanted) }
  }
}
