internal import Uplift
internal import UpliftSQLite

/// The tables and views of a database, kept up to date after each script.
///
/// Only what a script has changed is read again, so that a history of a thousand scripts does not
/// take a thousand times as long as one script.
struct ObservedTables {
  private(set) var all: [Name: ObservedTable] = [:]
  private(set) var shadows: Set<Name> = []

  /// A table that a script changed and that is still there, also under another name.
  struct Kept {
    let before: ObservedTable
    let after: ObservedTable
    /// True if a new table has taken the name.
    let isRebuilt: Bool
  }

  /// What a script did to the tables.
  struct Changes {
    var kept: [Kept] = []
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
        changes.kept.append(Kept(before: before, after: after, isRebuilt: false))
      }
    }
    if let (before, after) = renamedAndRebuilt(left, known, afters, actions) {
      afters[after.name] = nil
      left.removeAll { $0 == before }
      changes.renamed.append((before.name, after.name))
      changes.kept.append(Kept(before: before, after: after, isRebuilt: true))
    }
    for before in left {
      guard let now = found[before.name], before.kind == now.kind || before.kind == .view else {
        changes.gone.append(before)
        continue
      }
      if let after = afters.removeValue(forKey: before.name) {
        changes.kept.append(Kept(before: before, after: after, isRebuilt: before.kind == .table))
      } else {
        // Another table was renamed to its name: the rebuild of a table.
        changes.kept.append(Kept(before: before, after: now, isRebuilt: true))
      }
    }
    changes.new = afters.values.sorted { $0.name < $1.name }
    return changes
  }

  /// The table that the script has renamed, and has then rebuilt under its new name.
  ///
  /// It is gone, and was not dropped under its old name. A table was dropped under a name that no
  /// table had before, and there is a table of that name. If there are several such tables, nobody
  /// can tell which is which.
  private static func renamedAndRebuilt(
    _ left: [ObservedTable], _ known: Set<Name>, _ afters: [Name: ObservedTable],
    _ actions: ScriptActions
  ) -> (before: ObservedTable, after: ObservedTable)? {
    let renamed = left.filter {
      $0.kind == .table && afters[$0.name] == nil && actions.droppedTables[$0.name] == nil
    }
    let passing = actions.droppedTables.keys.filter { !known.contains($0) }
    guard renamed.count == 1, passing.count == 1, let after = afters[passing[0]],
      after.kind == .table
    else { return nil }
    return (renamed[0], after)
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
    case .virtual:
      // The name of a table that was dropped is free for another one.
      return sameDefinition(
        as: before, afters, except: known.subtracting(actions.droppedTables.keys))
    }
  }

  /// The table of the same name, or one with another name and the same definition.
  private static func sameDefinition(
    as before: ObservedTable, _ afters: [Name: ObservedTable], except known: Set<Name>
  ) -> Name? {
    if afters[before.name]?.kind == before.kind { return before.name }
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

extension SQLWords {
  /// The words without the first occurrence of this name.
  fileprivate func without(_ name: Name) -> SQLWords {
    guard let index = words.firstIndex(where: { $0.text == name.folded }) else { return self }
    return SQLWords(words: Array(words[..<index] + words[(index + 1)...]))
  }
}
