internal import Uplift
internal import UpliftSQLite

/// A table or a view as it is between two scripts.
struct ObservedTable: Hashable {
  enum Kind { case table, virtual, view }

  let name: Name
  let kind: Kind
  /// The first page in the file; a rename does not change it.
  let rootPage: Int64
  let sql: [UInt8]
  let columns: [Name]
  let options: TableOptions
  /// True if the definition has the word `REPLACE`, as in `ON CONFLICT REPLACE`.
  let replacesRows: Bool
  /// The triggers on it, each with its definition without its name.
  var triggers: [Name: SQLWords] = [:]
  var indexes: [Name: Index] = [:]

  /// True if rows may go although no statement deletes them: a trigger, or `ON CONFLICT REPLACE`.
  var mayTakeRows: Bool {
    replacesRows
      || triggers.values.contains { $0.contains("delete") || $0.contains("replace") }
  }

  /// The columns that the table does not have afterwards.
  func lost(in after: ObservedTable) -> [Name] { columns.filter { !after.columns.contains($0) } }

  /// The same table after some of its columns were renamed.
  func renaming(_ renamed: [Name: Name]) -> ObservedTable {
    if columns.allSatisfy({ renamed[$0] == nil }) { return self }
    var table = ObservedTable(
      name: name, kind: kind, rootPage: rootPage, sql: sql,
      columns: columns.map { renamed[$0] ?? $0 }, options: options, replacesRows: replacesRows,
      triggers: triggers)
    table.indexes = indexes.mapValues { index in
      let columns = index.columns.map { column in
        TableSchema.IndexColumn(
          name: column.name.map { renamed[$0] ?? $0 }, collation: column.collation,
          isDescending: column.isDescending)
      }
      return Index(words: index.words, columns: columns, isUnique: index.isUnique)
    }
    return table
  }

  struct Index: Hashable {
    /// The definition without its name.
    let words: SQLWords
    /// The columns by which it is sorted.
    let columns: [TableSchema.IndexColumn]
    let isUnique: Bool
  }
}

/// The tables and views of a database, kept up to date after each script.
///
/// Only what a script has changed is read again, so that a history of a thousand scripts does not
/// take a thousand times as long as one script.
struct ObservedTables {
  private(set) var all: [Name: ObservedTable] = [:]
  private(set) var shadows: Set<Name> = []

  /// What a script did to the tables.
  struct Changes {
    /// The tables that the script changed and that are still there, also under another name.
    ///
    /// `isRebuilt` is true if a new table has taken the name.
    var kept: [(before: ObservedTable, after: ObservedTable, isRebuilt: Bool)] = []
    var gone: [ObservedTable] = []
    var new: [ObservedTable] = []
    /// The old and the new names of tables that were renamed.
    var renamed: [(before: Name, after: Name)] = []
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    all = try read(nil, connection)
    shadows = try connection.shadowTables()
  }

  /// Takes in what a script has changed.
  ///
  /// If the step may have renamed something, or is in Swift, all tables are read again.
  mutating func update(
    after script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Changes {
    var names = actions.changedTables
    // VACUUM gives other root pages to tables, and so does DROP in a database with auto_vacuum.
    let vacuumsItself = try connection.integer("PRAGMA main.auto_vacuum") != 0
    let movesPages =
      script.runsAlone && script.mayMention("vacuum")
      || vacuumsItself && script.mayMention("drop")
    if names.isEmpty, !movesPages { return Changes() }
    let readsAll = movesPages || script.mayMention("rename")
    let found = try read(readsAll ? nil : names, connection)
    if readsAll { names = Set(all.keys).union(found.keys) }
    let befores = names.sorted().compactMap { all[$0] }
    for name in names { all[name] = found[name] }
    let changes = Self.changes(from: befores, to: found, actions, followsPages: !movesPages)
    if (changes.new + changes.gone).contains(where: { $0.kind == .virtual }) {
      shadows = try connection.shadowTables()
    }
    return changes
  }

  /// Compares tables before and after a script.
  ///
  /// If pages are not followed, a table that was renamed is recognised by its definition.
  private static func changes(
    from befores: [ObservedTable], to found: [Name: ObservedTable], _ actions: ScriptActions,
    followsPages: Bool
  ) -> Changes {
    var changes = Changes()
    var afters = found
    var roots: [Int64: Name]? = followsPages ? [:] : nil
    for table in afters.values where table.rootPage > 0 { roots?[table.rootPage] = table.name }
    let known = Set(befores.map(\.name))
    // The script has dropped a table under a name that no table had before. A new table may have
    // got its page.
    let reusesPages = actions.droppedTables.keys.contains { !known.contains($0) }
    // A table that was renamed is the same table. Another one may have its old name now.
    var left: [ObservedTable] = []
    for before in befores {
      guard
        let name = successor(of: before, among: known, afters, roots, actions, reusesPages),
        let after = afters.removeValue(forKey: name)
      else {
        left.append(before)
        continue
      }
      if before.name != name { changes.renamed.append((before.name, name)) }
      // A column that was dropped and made again may have the same definition.
      let hasDropped = actions.droppedColumns.keys.contains {
        [before.name, name].contains($0.table)
      }
      if before != after || hasDropped {
        changes.kept.append((before, after, isRebuilt: false))
      }
    }
    let renamed = left.filter {
      $0.kind == .table && afters[$0.name] == nil && actions.droppedTables[$0.name] == nil
    }
    let passing = actions.droppedTables.keys.filter { !known.contains($0) }
    // The script has renamed a table, and has then rebuilt it under its new name.
    if renamed.count == 1, passing.count == 1, let after = afters[passing[0]], after.kind == .table
    {
      afters[after.name] = nil
      left.removeAll { $0 == renamed[0] }
      changes.renamed.append((renamed[0].name, after.name))
      changes.kept.append((renamed[0], after, isRebuilt: true))
    }
    for before in left {
      if let after = afters.removeValue(forKey: before.name) {
        changes.kept.append((before, after, isRebuilt: before.kind == .table))
      } else if let now = found[before.name] {
        // Another table was renamed to its name: the rebuild of a table.
        changes.kept.append((before, now, isRebuilt: true))
      } else {
        changes.gone.append(before)
      }
    }
    changes.new = afters.values.sorted { $0.name < $1.name }
    return changes
  }

  /// The name that a table has after the script; nil if it was dropped.
  ///
  /// `known` are the names of all tables before the script. `roots` are the tables by their root pages
  /// after it; nil if tables have other pages now.
  private static func successor(
    of before: ObservedTable, among known: Set<Name>, _ afters: [Name: ObservedTable],
    _ roots: [Int64: Name]?, _ actions: ScriptActions, _ reusesPages: Bool
  ) -> Name? {
    guard actions.droppedTables[before.name] == nil else { return nil }
    switch before.kind {
    case .table:
      guard let roots else { return sameDefinition(as: before, afters, except: known) }
      guard let name = roots[before.rootPage] else { return nil }
      if name != before.name, reusesPages, let after = afters[name],
        SQLWords(after.sql).without(name) != SQLWords(before.sql).without(before.name)
      {
        return nil
      }
      return name
    case .view: return afters[before.name]?.kind == .view ? before.name : nil
    case .virtual: return sameDefinition(as: before, afters, except: [])
    }
  }

  /// The table of the same name, or one with another name and the same definition.
  private static func sameDefinition(
    as before: ObservedTable, _ afters: [Name: ObservedTable], except known: Set<Name>
  ) -> Name? {
    if afters[before.name] != nil { return before.name }
    let words = SQLWords(before.sql).without(before.name)
    return afters.values.first {
      $0.kind == before.kind && !known.contains($0.name)
        && SQLWords($0.sql).without($0.name) == words
    }?.name
  }

  /// Reads the tables with these names; all for nil.
  private func read(
    _ names: Set<Name>?, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Name: ObservedTable] {
    var sql: SQL =
      "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master WHERE sql IS NOT NULL"
    let names = names.map { $0.sorted() }
    if let names {
      let places = Array(repeating: "?" as SQL, count: names.count).joined(separator: ", ")
      sql = "\(sql) AND tbl_name COLLATE NOCASE IN (\(places))"
    }
    let rows = try connection.prepare(sql)
    for (index, name) in (names ?? []).enumerated() { try rows.bind(name, at: index + 1) }
    var found: [Name: ObservedTable] = [:]
    var parts: [(table: Name, name: Name, isIndex: Bool, words: SQLWords)] = []
    while try rows.step() {
      guard let name = rows.name(1), let table = rows.name(2), !name.isInternal else { continue }
      let text = rows.withText(4) { Array($0) }
      let type = rows.text(0)
      guard type == "table" || type == "view" else {
        // Without the name, so that it can be equal to that of an object with another name.
        parts.append((table, name, type == "index", SQLWords(text).without(name)))
        continue
      }
      let rootPage = rows.integer(3)
      if let known = all[name], known.sql == text, known.rootPage == rootPage {
        var known = known
        known.indexes = [:]
        known.triggers = [:]
        found[name] = known
        continue
      }
      let kind: ObservedTable.Kind = type == "view" ? .view : rootPage == 0 ? .virtual : .table
      let words = SQLWords(text)
      found[name] = ObservedTable(
        name: name, kind: kind, rootPage: rootPage, sql: text,
        columns: kind == .table ? try connection.columns(of: name).map(\.name) : [],
        options: TableOptions(words), replacesRows: words.contains("replace"))
    }
    for part in parts {
      if part.isIndex {
        let columns = try connection.columns(ofIndex: part.name)
        found[part.table]?.indexes[part.name] = ObservedTable.Index(
          words: part.words, columns: columns, isUnique: part.words.contains("unique"))
      } else {
        found[part.table]?.triggers[part.name] = part.words
      }
    }
    return found
  }
}

extension [ObservedTable] {
  /// The views among these that read one of the tables, directly or through another of these views.
  ///
  /// It leaves out the views that name one of these columns: they could not be made again.
  func reading(_ tables: Set<Name>, without columns: [Name]) -> Set<ObservedTable> {
    var names = tables
    var found: Set<ObservedTable> = []
    while true {
      let next = filter { view in
        let words = SQLWords(view.sql)
        return !found.contains(view) && names.contains { words.contains($0.folded) }
          && !columns.contains { words.contains($0.folded) }
      }
      if next.isEmpty { return found }
      found.formUnion(next)
      names.formUnion(next.map(\.name))
    }
  }
}

extension Connection {
  /// True if a key or another index of the table does the work of this index, which is gone.
  ///
  /// For a unique index, that is a key or a unique index on the same columns, with the same
  /// collations. For any other index, it is one whose first columns are the same.
  borrowing func hasReplacement(
    for index: ObservedTable.Index, on table: Name
  ) throws(SQLiteError) -> Bool {
    let wanted = index.columns.map(\.ascending)
    func serves(_ columns: [TableSchema.IndexColumn], isUnique: Bool) -> Bool {
      let columns = columns.map(\.ascending)
      return index.isUnique
        ? isUnique && Set(columns) == Set(wanted)
        : Array(columns.prefix(wanted.count)) == wanted
    }
    if index.columns.contains(where: { $0.name == nil }) { return false }
    if serves(try primaryKey(of: table), isUnique: true) { return true }
    let rows = try prepare("PRAGMA main.index_list(\(table))" as SQL)
    while try rows.step() {
      guard let name = rows.name(1), rows.integer(4) == 0 else { continue }
      if serves(try columns(ofIndex: name), isUnique: rows.integer(2) == 1) { return true }
    }
    return false
  }
}

extension SQLWords {
  /// The words without the first occurrence of this name.
  fileprivate func without(_ name: Name) -> SQLWords {
    guard let index = words.firstIndex(where: { $0.text == name.folded }) else { return self }
    return SQLWords(words: Array(words[..<index] + words[(index + 1)...]))
  }
}
