internal import Uplift
internal import UpliftSQLite

/// The text of a script that makes the rows of some tables equal to those of the seed.
///
/// It is written to be read and edited: a line for each column, and comments that say which line to
/// remove for which purpose.
struct RefreshScript {
  let tables: [SeedTable]

  var text: String {
    let sorted = SeedTable.parentsFirst(tables)
    let others =
      tables.contains(where: \.hasTriggers)
      ? "Triggers fire, and\n-- may change rows of other tables."
      : "Rows of other tables are not changed."
    let head = """
      -- uplift: reads-seed
      --
      -- Brings the rows of the seed into existing databases. \(others)
      --
      -- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep users'
      -- values, remove the UPDATE, or a column in two places: after SET and after AND.

      """
    // Rows are removed first, so that a new row may have the unique values of one that is gone.
    let statements = sorted.reversed().map { delete($0) } + sorted.map { bring($0) }
    return head + statements.map { "\n" + $0 + "\n" }.joined()
  }

  private func delete(_ table: SeedTable) -> String {
    let name = table.name.text
    if table.key.count == 1, let key = table.key.first, !key.mayBeNull, key.collation == nil {
      let key = key.name.text
      return "DELETE FROM \(name) WHERE \(key) NOT IN (SELECT \(key) FROM seed.\(name));"
    }
    // With a NULL among the keys of the seed, NOT IN would never be true. For a key of several columns
    // SQLite may take an index with other collations (seen in 3.40.1).
    let note =
      table.key.contains(where: \.mayBeNull)
      ? "-- A row with NULL in its key cannot be told from others: it is deleted and inserted again.\n"
      : ""
    let new = table.name == Name("new") ? "seeded" : "new"
    return """
      \(note)DELETE FROM \(name)
      WHERE NOT EXISTS (SELECT 1 FROM seed.\(name) AS \(new) WHERE \(sameKey(table, name, as: new)));
      """
  }

  /// An `UPDATE` and an `INSERT`.
  ///
  /// SQLite's upsert would do for many tables, but not for all. It fires a trigger without `AFTER` for
  /// rows that are there already. It passes over `OR IGNORE` in triggers. It may take
  /// another unique index for the key. It may change numbers in the columns after a virtual column
  /// (seen in 3.40.1).
  private func bring(_ table: SeedTable) -> String {
    let name = table.name.text
    let columns = list(table.columns.map(\.name))
    let note = table.isWrittenByTriggers ? Self.triggersWrite + "\n" : ""
    return """
      \(note)\(update(table))INSERT\(abort(table)) INTO \(name) (\(columns))
      SELECT \(columns) FROM seed.\(name) AS new
      WHERE NOT EXISTS (SELECT 1 FROM \(name) AS old WHERE \(sameKey(table, "old", as: "new")));
      """
  }

  private static let triggersWrite = """
    -- Triggers write into this table, too. If they keep a column, such as a counter, remove it in all
    -- four places: after SET, AND, INSERT INTO and SELECT.
    """

  /// Empty if the table has only a key.
  private func update(_ table: SeedTable) -> String {
    // The seed may spell a key in another way: in another case, if the collation ignores case, or
    // as 1.0 instead of 1.
    let key = table.key.map(\.name)
    let changing = table.columns.filter {
      $0.foldsValues || $0.distinguishesIntegerFromReal || !key.contains($0.name)
    }
    guard !changing.isEmpty else { return "" }
    let sets = changing.map { "  \($0.name.text) = new.\($0.name.text)" }.joined(separator: ",\n")
    let name = table.name.text
    return """
      UPDATE\(abort(table)) \(name) AS old SET
      \(sets)
      FROM seed.\(name) AS new
      WHERE \(sameKey(table, "old", as: "new"))
        AND \(differ(changing));


      """
  }

  /// The words of the table would delete a user's row that has the text of a new row, or would leave
  /// out the new row.
  private func abort(_ table: SeedTable) -> String { table.hasConflictClause ? " OR ABORT" : "" }

  /// The condition that a row `old` of the database has other values than the row `new` of the seed.
  private func differ(_ columns: [SeedTable.Column]) -> String {
    // The collation of the left side decides, and must not take `a` and `A` for the same.
    let olds = columns.flatMap { column in
      compared(column, "old.\(column.name.text)" + (column.foldsValues ? " COLLATE BINARY" : ""))
    }
    let news = columns.flatMap { compared($0, "new.\($0.name.text)") }
    return olds.count == 1
      ? "\(olds[0]) IS NOT \(news[0])"
      : "(\(olds.joined(separator: ", "))) IS NOT (\(news.joined(separator: ", ")))"
  }

  /// The condition that a row of the database has the key of a row of the seed.
  private func sameKey(_ table: SeedTable, _ old: String, as new: String) -> String {
    table.key.map { "\(old).\($0.text) = \(new).\($0.name.text)" }.joined(separator: " AND ")
  }

  /// The expressions by which two values of a column are compared.
  private func compared(_ column: SeedTable.Column, _ value: String) -> [String] {
    column.distinguishesIntegerFromReal ? [value, "typeof(\(value))"] : [value]
  }

  private func list(_ names: [Name]) -> String { names.map(\.text).joined(separator: ", ") }
}

extension SeedTable.KeyColumn {
  /// The column in SQL, with its collation if that has to be named.
  fileprivate var text: String {
    name.text + (collation.map { " COLLATE \($0.text)" } ?? "")
  }
}

extension Name {
  /// The name in SQL; the names of a `SeedTable` are UTF-8.
  fileprivate var text: String { String(decoding: written, as: UTF8.self) }
}

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
  private let hasNullInKey: Bool

  /// Reads a table by its name, and refuses one whose rows cannot be refreshed.
  static func read(
    _ wanted: String, in seed: borrowing Connection
  ) throws(UpgradeError) -> SeedTable {
    func refused(_ problem: String, fix: String) -> UpgradeError {
      UpgradeError(.seed, "\(wanted.quoted) \(problem)", fix: fix)
    }
    let found: (name: Name, isVirtual: Bool)?
    var table: SeedTable?
    do throws(SQLiteError) {
      found = try find(Name(wanted), in: seed)
      if let found, !found.isVirtual { table = try SeedTable(found.name, in: seed) }
    } catch {
      throw UpgradeError(error, at: wanted)
    }
    guard found != nil else {
      throw .path(wanted, "is not a table of the seed", fix: "name a table that the seed has")
    }
    guard let table else {
      throw refused(
        "is a virtual table",
        fix: "name the table that its rows come from; triggers fill the virtual table")
    }
    guard !table.key.isEmpty else {
      throw refused(
        "has no primary key, so its rows cannot be told apart",
        fix: "rebuild the table with a primary key, or write the script by hand")
    }
    guard
      ([table.name] + table.columns.map(\.name)).allSatisfy({
        String(validating: $0.bytes, as: UTF8.self) != nil
      })
    else {
      throw refused(
        "is a name that is not UTF-8, or has a column with such a name",
        fix: "write the script by hand")
    }
    guard !table.hasNullInKey else {
      throw refused(
        "has rows with NULL in their primary key, which cannot be told from others",
        fix: "declare the key NOT NULL, or write the script by hand")
    }
    return table
  }

  private init(_ table: Name, in seed: borrowing Connection) throws(SQLiteError) {
    name = table
    let index = try seed.primaryIndex(of: table)
    columns = try Self.columns(of: table, index, in: seed)
    key = try Self.key(of: table, index, in: seed)
    parents = Set(try seed.foreignKeys(of: table).map(\.parent))
    hasTriggers = try !Self.definitions("trigger", of: table, in: seed).isEmpty
    // A trigger may fire others.
    isWrittenByTriggers = try Self.definitions("trigger", of: nil, in: seed)
      .contains { $0.changedTables.contains(table) }
    hasConflictClause = try Self.definitions("table", of: table, in: seed)
      .contains { !$0.followers(of: "on conflict").isEmpty }
    var sql: SQL = "SELECT 1 FROM \(table) WHERE 0"
    for column in key where column.mayBeNull { sql = "\(sql) OR \(column.name) IS NULL" }
    hasNullInKey = try seed.prepare(sql).step()
  }

  private static func find(
    _ name: Name, in seed: borrowing Connection
  ) throws(SQLiteError) -> (name: Name, isVirtual: Bool)? {
    let row = try seed.prepare(
      """
      SELECT name, rootpage = 0 FROM sqlite_master
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """)
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

  /// The words of the statements that made a table or its triggers; of all tables if it is nil.
  private static func definitions(
    _ type: String, of table: Name?, in seed: borrowing Connection
  ) throws(SQLiteError) -> [SQLWords] {
    let rows = try seed.prepare(
      "SELECT sql FROM sqlite_master WHERE type = '\(type)'"
        + " AND (?1 IS NULL OR tbl_name = ?1 COLLATE NOCASE)")
    if let table { try rows.bind(table, at: 1) }
    var definitions: [SQLWords] = []
    while try rows.step() { definitions.append(SQLWords(rows.withText(0) { Array($0) })) }
    return definitions
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
