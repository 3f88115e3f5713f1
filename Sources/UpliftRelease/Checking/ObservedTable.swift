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
  /// The indexes and triggers on it, each with its definition without its name.
  var indexes: [Name: SQLWords] = [:]
  var triggers: [Name: SQLWords] = [:]
}

/// The tables and views of a database, kept up to date after each script.
///
/// Only what a script has changed is read again, so that a history of a thousand scripts does not take
/// a thousand times as long as one script.
struct ObservedTables {
  private(set) var all: [Name: ObservedTable] = [:]
  private(set) var shadows: Set<Name> = []

  /// What a script did to the tables.
  struct Changes {
    /// The tables that are still there, before and after, also under another name.
    var kept: [(before: ObservedTable, after: ObservedTable)] = []
    var gone: [ObservedTable] = []
    var new: [ObservedTable] = []
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    all = try read(nil, connection)
    shadows = try connection.shadowTables()
  }

  /// Takes in what a script has changed.
  ///
  /// If it may have renamed something, or is not a script, all tables are read again.
  mutating func update(
    after script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Changes {
    var names = actions.changedTables
    if names.isEmpty { return Changes() }
    let mayRename = script.mayMention("rename")
    let found = try read(mayRename ? nil : names, connection)
    if mayRename { names = Set(all.keys).union(found.keys) }
    var changes = Changes()
    var gone: [ObservedTable] = []
    for name in names.sorted() {
      switch (all[name], found[name]) {
      case (let before?, let after?): if before != after { changes.kept.append((before, after)) }
      case (let before?, nil): gone.append(before)
      case (nil, let after?): changes.new.append(after)
      case (nil, nil): break
      }
      all[name] = found[name]
    }
    for before in gone {
      let renamed = changes.new.firstIndex {
        $0.rootPage == before.rootPage && before.rootPage > 0
          && actions.droppedTables[before.name] == nil
      }
      if let renamed {
        changes.kept.append((before, changes.new.remove(at: renamed)))
      } else {
        changes.gone.append(before)
      }
    }
    if (changes.new + changes.gone).contains(where: { $0.kind == .virtual }) {
      shadows = try connection.shadowTables()
    }
    return changes
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
        // The definition begins after the name.
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
      found[name] = ObservedTable(
        name: name, kind: kind, rootPage: rootPage, sql: text,
        columns: kind == .table ? try connection.columns(of: name).map(\.name) : [],
        options: TableOptions(SQLWords(text)))
    }
    for part in parts {
      if part.isIndex {
        found[part.table]?.indexes[part.name] = part.words
      } else {
        found[part.table]?.triggers[part.name] = part.words
      }
    }
    return found
  }
}

extension SQLWords {
  /// The words without the first that is this name.
  fileprivate func without(_ name: Name) -> SQLWords {
    guard let index = words.firstIndex(of: name.folded) else { return self }
    return SQLWords(words: Array(words[..<index] + words[(index + 1)...]))
  }
}
