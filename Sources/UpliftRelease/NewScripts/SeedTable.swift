internal import Uplift
internal import UpliftSQLite

/// A table of the seed: its columns, its key, and the tables that it refers to.
struct SeedTable {
  struct Column {
    let name: Name
    /// True if values that differ in their bytes may be equal, because of the column's collation.
    let foldsValues: Bool
    /// True if the column's type lets it hold both 1 and 1.0, which compare as equal.
    let distinguishesIntegerFromReal: Bool
  }

  /// A column of the primary key.
  struct KeyColumn {
    let name: Name
    let mayBeNull: Bool
    /// The collation of the key, if it is not that of the column.
    let collation: Name?
  }

  let name: Name
  /// The columns that a script can write: generated columns are left out.
  let columns: [Column]
  /// The columns of the primary key, in its order.
  let key: [KeyColumn]
  let parents: Set<Name>
  let hasTriggers: Bool
  /// True if a trigger of any table writes into this one.
  let isWrittenByTriggers: Bool
  /// True if the table itself says what to do with a row that breaks a constraint, for example
  /// `UNIQUE ON CONFLICT REPLACE`.
  let hasConflictClause: Bool

  /// Reads a table by its name, and refuses one whose rows cannot be refreshed.
  init(_ wanted: String, in seed: borrowing Connection) throws(UpgradeError) {
    func refused(_ problem: String, fix: String) -> UpgradeError {
      UpgradeError(.seed, "\(wanted.quoted) \(problem)", fix: fix)
    }
    let found: (name: Name, isVirtual: Bool)?
    do {
      found = try Self.find(Name(wanted), in: seed)
    } catch {
      throw UpgradeError(error, at: wanted)
    }
    guard let found else {
      throw .path(wanted, "is not a table of the seed", fix: "name a table that the seed has")
    }
    guard !found.isVirtual else {
      throw refused(
        "is a virtual table",
        fix: "name the table that its rows come from; triggers fill the virtual table")
    }
    do {
      name = found.name
      let index = try seed.primaryIndex(of: found.name)
      columns = try Self.columns(of: found.name, index, in: seed)
      key = try Self.key(of: found.name, index, in: seed)
      parents = try Self.parents(of: found.name, in: seed)
      hasTriggers = try !Self.definitions("trigger", of: found.name, in: seed).isEmpty
      // A trigger may fire others.
      let triggers = try Self.definitions("trigger", of: nil, in: seed)
      isWrittenByTriggers = triggers.flatMap(Self.writtenTables).contains(found.name)
      let table = try Self.definitions("table", of: found.name, in: seed)
      hasConflictClause = table.contains { words in
        zip(words, words.dropFirst()).contains { $0.isKeyword("on") && $1.isKeyword("conflict") }
      }
    } catch {
      throw UpgradeError(error, at: wanted)
    }
    guard !key.isEmpty else {
      throw refused(
        "has no primary key, so its rows cannot be told apart",
        fix: "rebuild the table with a primary key, or write the script by hand")
    }
    guard ([name] + columns.map(\.name)).allSatisfy(\.isUTF8) else {
      throw refused(
        "is a name that is not UTF-8, or has a column with such a name",
        fix: "write the script by hand")
    }
    let hasNull: Bool
    do {
      hasNull = try hasNullInKey(seed)
    } catch {
      throw UpgradeError(error, at: wanted)
    }
    guard !hasNull else {
      throw refused(
        "has rows with NULL in their primary key, which cannot be told from others",
        fix: "declare the key NOT NULL, or write the script by hand")
    }
  }

  private static func find(
    _ name: Name, in seed: borrowing Connection
  ) throws(SQLiteError) -> (name: Name, isVirtual: Bool)? {
    let row = try seed.prepare(
      "SELECT name, rootpage = 0 FROM sqlite_master"
        + " WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    try row.bind(name, at: 1)
    guard try row.step(), let found = row.name(0) else { return nil }
    return (found, row.integer(1) != 0)
  }

  private static func columns(
    of table: Name, _ index: [TableSchema.IndexColumn], in seed: borrowing Connection
  ) throws(SQLiteError) -> [Column] {
    let rows = try seed.prepare(
      "SELECT name, type FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid")
    try rows.bind(table, at: 1)
    var columns: [Column] = []
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let type = (rows.text(1) ?? "").lowercased()
      let ofKey = index.first { $0.name == name }?.collation
      let folding = [seed.collation(of: name, in: table), ofKey].compactMap { $0 }
      columns.append(
        Column(
          name: name, foldsValues: folding.contains { $0 != Name("BINARY") },
          distinguishesIntegerFromReal: type.isEmpty || type.contains("blob") || type == "any"))
    }
    return columns
  }

  /// A primary key may be NULL, unless the table is WITHOUT ROWID or STRICT or the key is a rowid
  /// (sqlite.org/lang_createtable.html, section 3.5).
  ///
  /// In the first two cases, SQLite says that the columns are NOT NULL. A rowid has no index.
  private static func key(
    of table: Name, _ index: [TableSchema.IndexColumn], in seed: borrowing Connection
  ) throws(SQLiteError) -> [KeyColumn] {
    let rows = try seed.prepare(
      "SELECT name, \"notnull\" FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk")
    try rows.bind(table, at: 1)
    var key: [KeyColumn] = []
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let collation = index.first { $0.name == name }?.collation
      let isOwn = collation == seed.collation(of: name, in: table) ?? Name("BINARY")
      key.append(
        KeyColumn(
          name: name, mayBeNull: !index.isEmpty && rows.integer(1) == 0,
          collation: isOwn ? nil : collation))
    }
    return key
  }

  private static func parents(
    of table: Name, in seed: borrowing Connection
  ) throws(SQLiteError) -> Set<Name> {
    let rows = try seed.prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)")
    try rows.bind(table, at: 1)
    var parents: Set<Name> = []
    while try rows.step() {
      if let parent = rows.name(0) { parents.insert(parent) }
    }
    return parents
  }

  /// The words of the statements that made a table or its triggers; of all tables if it is nil.
  private static func definitions(
    _ type: String, of table: Name?, in seed: borrowing Connection
  ) throws(SQLiteError) -> [[SQLWords.Word]] {
    let rows = try seed.prepare(
      "SELECT sql FROM sqlite_master WHERE type = '\(type)'"
        + " AND (?1 IS NULL OR tbl_name = ?1 COLLATE NOCASE)")
    if let table { try rows.bind(table, at: 1) }
    var definitions: [[SQLWords.Word]] = []
    while try rows.step() { definitions.append(SQLWords(rows.withText(0) { Array($0) }).words) }
    return definitions
  }

  /// The names that stand right after `UPDATE`, `UPDATE OR …`, `INTO` and `DELETE FROM`.
  private static func writtenTables(_ trigger: [SQLWords.Word]) -> [Name] {
    trigger.indices.dropFirst(3).compactMap { index in
      let (first, second, third) = (trigger[index - 3], trigger[index - 2], trigger[index - 1])
      let isWritten =
        third.isKeyword("update") || third.isKeyword("into")
        || second.isKeyword("delete") && third.isKeyword("from")
        || first.isKeyword("update") && second.isKeyword("or")
      return isWritten ? trigger[index].name : nil
    }
  }

  private func hasNullInKey(_ seed: borrowing Connection) throws(SQLiteError) -> Bool {
    var sql: SQL = "SELECT 1 FROM \(name) WHERE 0"
    for column in key where column.mayBeNull { sql = "\(sql) OR \(column.name) IS NULL" }
    return try seed.prepare(sql).step()
  }
}

extension SeedTable {
  /// Sorts tables so that each comes after those that it refers to, except in a circle.
  static func parentsFirst(_ tables: [SeedTable]) -> [SeedTable] {
    let tables = tables.sorted { $0.name < $1.name }
    var seen: Set<Name> = []
    var sorted: [SeedTable] = []
    func add(_ table: SeedTable) {
      guard seen.insert(table.name).inserted else { return }
      for parent in tables where table.parents.contains(parent.name) { add(parent) }
      sorted.append(table)
    }
    for table in tables { add(table) }
    return sorted
  }
}

extension Name {
  fileprivate var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }
}
