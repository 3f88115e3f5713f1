internal import Uplift
internal import UpliftSQLite

/// What a script can lose: read before and after it, and compared by names.
struct Snapshot {
  struct Table {
    let columns: [Name]
    let options: [String]
    let rows: Int64
    let primaryKey: [TableSchema.IndexColumn]
    let indexes: [Connection.Index]
  }

  struct Trigger {
    let table: Name
    let words: SQLWords
  }

  /// Those that the script names.
  private(set) var tables: [Name: Table] = [:]
  private(set) var views: [Name: SQLWords] = [:]
  private(set) var triggers: [Name: Trigger] = [:]
  /// The names of all tables, indexes, views and triggers.
  private(set) var objects: Set<Name> = []

  init(for script: Script, _ connection: borrowing Connection) throws(SQLiteError) {
    let rows = try connection.prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_master")
    let own = Set(try connection.tables())
    while try rows.step() {
      guard let name = rows.name(1), let table = rows.name(2) else { continue }
      objects.insert(name)
      let words = { rows.withText(3) { SQLWords(Array($0)) } }
      switch rows.text(0) {
      case "table" where own.contains(name) && script.mayMention(name):
        tables[name] = Table(
          columns: try connection.columns(of: name).map(\.name), options: words().tableOptions,
          rows: try connection.integer("SELECT count(*) FROM main.\(name)" as SQL),
          primaryKey: try connection.primaryKey(of: name),
          indexes: try connection.indexes(of: name))
      case "view": views[name] = words()
      case "trigger": triggers[name] = Trigger(table: table, words: words())
      default: continue
      }
    }
  }
}

/// What a script has lost that drops a table and makes a new one.
///
/// What the new one lacks was mostly forgotten: a column, an index, a trigger, a view, an option,
/// rows. What a statement of its own drops or deletes is meant, unless it had to go before the
/// rebuild: a view, or a trigger of another table, that names the table.
struct Rebuild {
  private let script: Script
  private let before: Snapshot
  private let after: Snapshot
  private let actions: ScriptActions
  private let madeUp: Set<Name>
  private let renamed: [Name: Name]

  /// `madeUp` are the tables whose rows were made up.
  init(
    by script: Script, _ before: Snapshot, _ after: Snapshot, _ actions: ScriptActions,
    madeUp: Set<Name>
  ) {
    (self.script, self.before, self.after) = (script, before, after)
    (self.actions, self.madeUp, renamed) = (actions, madeUp, script.renamedColumns)
  }

  /// An index, a trigger or a view that is lost, unless a later script makes it again.
  struct Loss {
    let object: Name?
    let finding: Finding
  }

  var losses: [Loss] {
    // A table that got another name before it was dropped is dropped under a new name.
    let dropsUnknown = actions.droppedTables.keys.contains { before.tables[$0] == nil }
    let rebuilt = before.tables.keys.filter {
      after.tables[$0] != nil && (dropsUnknown || actions.droppedTables[$0] != nil)
    }.sorted()
    var losses: [Loss] = []
    var lostColumns: Set<Name> = []
    for name in rebuilt {
      guard let old = before.tables[name], let new = after.tables[name] else { continue }
      let missing = old.columns.map(newName).filter { !new.columns.contains($0) }
      lostColumns.formUnion(missing)
      losses += lostParts(of: name, old, new, missing) + lostIndexes(of: name, old, new)
    }
    return losses + lostReaders(of: rebuilt, without: lostColumns)
  }

  private func newName(_ column: Name) -> Name { renamed[column] ?? column }

  /// The columns, options and rows.
  private func lostParts(
    of name: Name, _ old: Snapshot.Table, _ new: Snapshot.Table, _ missing: [Name]
  ) -> [Loss] {
    var losses: [Loss] = []
    func add(_ kind: Finding.Kind, _ words: String, fix: String) {
      let finding = Finding(
        kind, in: script, at: actions.offsetOfDrop(name), "\(name.shown) loses \(words)", fix: fix)
      losses.append(Loss(object: nil, finding: finding))
    }
    let dropped = Set(actions.droppedColumns.keys.map(\.name))
    let forgotten = missing.filter { !dropped.contains($0) }
    let known = old.columns.map(newName)
    // Columns that the new table has under other names were renamed, as far as anybody can tell.
    if forgotten.count > new.columns.count(where: { !known.contains($0) }) {
      add(
        .columnLost,
        "the \(forgotten.count == 1 ? "column" : "columns") \(list(forgotten)) in its rebuild",
        fix:
          "copy them into the new table; what is meant to go, drop with ALTER TABLE … DROP COLUMN "
          + "first")
    }
    // Only a key that is the row identifier can count.
    let canCount = !new.primaryKey.isEmpty && !new.indexes.contains { $0.origin == "pk" }
    for option in old.options
    where !new.options.contains(option) && (option != "AUTOINCREMENT" || canCount) {
      add(.objectLost, option, fix: "write \(option) into the definition of the new table")
    }
    // A `DELETE` means what it says.
    if new.rows < old.rows, actions.deletions[name] == nil {
      let kind = madeUp.contains(name) ? "rows that were made up" : "rows"
      add(
        .rowsLost, "\(old.rows - new.rows) of \(old.rows) \(kind) in its rebuild",
        fix:
          "copy all rows into the new table; what is meant to go, delete with a statement of its own"
      )
    }
    return losses
  }

  /// The indexes that are gone, and whose work no key and no other index does.
  private func lostIndexes(
    of name: Name, _ old: Snapshot.Table, _ new: Snapshot.Table
  ) -> [Loss] {
    old.indexes.sorted { $0.name < $1.name }.filter { index in
      guard index.origin == "c", !after.objects.contains(index.name),
        actions.droppedObjects[index.name] == nil
      else { return false }
      let wanted = index.columns.map { column in
        TableSchema.IndexColumn(name: column.name.map(newName), collation: column.collation)
      }
      guard wanted.allSatisfy({ $0.name.map(new.columns.contains) ?? true }) else { return false }
      // Nobody can tell whether an expression does the work of another.
      if wanted.contains(where: { $0.name == nil }) { return true }
      let whole = new.indexes.filter { !$0.isPartial && ($0.isUnique || !index.isUnique) }
      return !(whole.map(\.columns) + [new.primaryKey]).contains { columns in
        index.isUnique ? Set(columns) == Set(wanted) : columns.starts(with: wanted)
      }
    }.map { Loss(.index, $0.name, of: name, in: script, at: actions.offsetOfDrop(name)) }

  }

  /// The views and triggers that name a rebuilt table, and the triggers that went with their table, or
  /// with a view that was made again.
  ///
  /// Those that name a lost column could not be made again.
  private func lostReaders(of rebuilt: [Name], without columns: Set<Name>) -> [Loss] {
    func table(in words: SQLWords) -> Name? {
      if columns.contains(where: { words.contains($0.folded) }) { return nil }
      return rebuilt.first { words.contains($0.folded) }
    }
    var losses: [Loss] = []
    for (name, words) in before.views.sorted(by: { $0.key < $1.key })
    where !after.objects.contains(name) {
      guard let table = table(in: words) else { continue }
      losses.append(Loss(.view, name, of: table, in: script, at: actions.droppedObjects[name]))
    }
    for (name, trigger) in before.triggers.sorted(by: { $0.key < $1.key })
    where !after.objects.contains(name) && after.objects.contains(trigger.table) {
      let drop = actions.droppedObjects[name]
      let isRemade =
        before.views[trigger.table] != nil && actions.droppedObjects[trigger.table] != nil
      let wentWithTable = drop == nil && (isRemade || rebuilt.contains(trigger.table))
      let readsTable = !rebuilt.contains(trigger.table) && table(in: trigger.words) != nil
      guard wentWithTable || readsTable else { continue }
      losses.append(
        Loss(
          .trigger, name, of: trigger.table, in: script,
          at: drop ?? actions.offsetOfDrop(trigger.table)))
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
